import { expect, it } from 'vitest'
import { appAddress, codeOf, findStep, fromBase32, newSecret, stepAt } from './totp.ts'

/** '12345678901234567890', the secret of RFC 6238. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

it.each([
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
])('19.3 at second %i the code of RFC 6238 is %s', (seconds, code) => {
  expect(codeOf(SECRET, stepAt(new Date(seconds * 1000)))).toBe(code)
})

it('19.3 a code is valid a step earlier and later, and only once', () => {
  const at = (seconds: number) => new Date(seconds * 1000)
  const code = codeOf(SECRET, stepAt(at(3000)))
  expect([2970, 3000, 3059].map((time) => findStep(SECRET, code, at(time), 0))).toEqual([100, 100, 100])
  expect([2939, 3060].map((time) => findStep(SECRET, code, at(time), 0))).toEqual([undefined, undefined])
  expect(findStep(SECRET, code, at(3000), 100)).toBe(undefined)
})

it('19.3 a secret has 20 random bytes, and its address names the site and the person', () => {
  const secret = newSecret()
  expect(fromBase32(secret)).toHaveLength(20)
  expect(newSecret()).not.toBe(secret)
  expect(appAddress(SECRET, { issuer: 'Foyer', email: 'ada@example.com' })).toBe(
    `otpauth://totp/Foyer%3Aada%40example.com?secret=${SECRET}&issuer=Foyer`,
  )
})
