import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { expect, it } from 'vitest'
import { signed } from './keys.ts'

it('every signature is the one that a JWS has, however short its numbers are', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = { key: createPublicKey(privateKey), dsaEncoding: 'ieee-p1363' } as const
  for (let many = 0; many < 1000; many++) {
    const jws = signed({ privateKey, kid: 'x', publicJwk: {} }, 'test', { many })
    const signature = Buffer.from(jws.signature, 'base64url')
    expect(signature).toHaveLength(64)
    expect(verify('sha256', Buffer.from(`${jws.protected}.${jws.payload}`), key, signature)).toBe(true)
  }
})
