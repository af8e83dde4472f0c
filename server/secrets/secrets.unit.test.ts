import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { expect, it } from 'vitest'
import { derToJose, signJws } from './secrets.ts'

it.each([33, 32, 31, 1])('a number of %i bytes becomes 32 bytes of the signature', (length) => {
  const number = Buffer.concat([Buffer.alloc(length > 32 ? 1 : 0), Buffer.alloc(Math.min(length, 32), 7)])
  const other = Buffer.alloc(32, 5)
  const der = Buffer.concat([
    Buffer.from([0x30, length + 36, 0x02, length]),
    number,
    Buffer.from([0x02, other.length]),
    other,
  ])
  const padded = Buffer.concat([Buffer.alloc(32), number]).subarray(-32)
  expect(derToJose(der)).toEqual(Buffer.concat([padded, other]))
})

it('every signature is valid for a JWS', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = { key: createPublicKey(privateKey), dsaEncoding: 'ieee-p1363' } as const
  for (let round = 0; round < 100; round++) {
    const jws = signJws({ privateKey, kid: 'x', publicJwk: {} }, 'test', { round })
    const signature = Buffer.from(jws.signature, 'base64url')
    expect(signature).toHaveLength(64)
    expect(verify('sha256', Buffer.from(`${jws.protected}.${jws.payload}`), key, signature)).toBe(true)
  }
})
