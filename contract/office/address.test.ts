import fc from 'fast-check'
import { expect, test } from 'vitest'
import { officeAddress, tokenFromAddress } from './address.ts'

test.each([
  ['https://office.example', 'a.b.c', 'https://office.example/autologin/grant-access/a~b~c'],
  ['https://office.example/', 'a.b.c', 'https://office.example/autologin/grant-access/a~b~c'],
  ['http://localhost:3000/office', 'a.b.c', 'http://localhost:3000/office/autologin/grant-access/a~b~c'],
])('4.16 the office at %s takes the token %s in its URL', (vo_url, token, address) =>
  expect(officeAddress(vo_url, token)).toBe(address),
)

test('4.16 a token survives the URL unchanged and needs no escaping', () => {
  const part = fc.base64String({ minLength: 1 }).map((text) => text.replace(/[+/=]/g, '_'))
  fc.assert(
    fc.property(fc.tuple(part, part, part), (parts) => {
      const token = parts.join('.')
      const pathSegment = officeAddress('https://office.example', token).split('/').at(-1) ?? ''
      expect(pathSegment).not.toContain('.')
      expect(encodeURIComponent(pathSegment)).toBe(pathSegment)
      expect(tokenFromAddress(pathSegment)).toBe(token)
    }),
  )
})
