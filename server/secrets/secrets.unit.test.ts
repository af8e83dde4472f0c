import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { expect, it } from 'vitest'
import { signJws } from './secrets.ts'

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
