import { createPublicKey, verify } from 'node:crypto'
import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { newSecret, signedHeaders, verificationKey } from './signing.ts'

type Verifier = { verify: (body: string, headers: Record<string, string>) => unknown }
const { Webhook }: { Webhook: new (secret: string) => Verifier } = createRequire(import.meta.url)('standardwebhooks')

const body = '{"type":"member.joined","data":{"name":"Zoë"}}'
const message = { id: 'f3b4', at: new Date(), body }

it('28.1 the public verifier accepts our HMAC signature, and no other text, id, time or secret', () => {
  const secret = newSecret('hmac')
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
  expect(verificationKey(secret)).toBe(secret)
  const headers = signedHeaders(message, [secret])
  expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
  const isAccepted = (text: string, changed: Record<string, string>, key = secret) => {
    try {
      return Boolean(new Webhook(key).verify(text, { ...headers, ...changed }))
    } catch {
      return false
    }
  }
  expect(isAccepted(`${body} `, {})).toBe(false)
  expect(isAccepted(body, { 'webhook-id': 'other' })).toBe(false)
  expect(isAccepted(body, { 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) })).toBe(false)
  expect(isAccepted(body, {}, newSecret('hmac'))).toBe(false)
})

it('28.1 an Ed25519 signature is verified with the public key alone', () => {
  const secret = newSecret('ed25519')
  const key = verificationKey(secret)
  expect(secret).toMatch(/^whsk_/)
  expect(key).toMatch(/^whpk_[\w+/]{43}=$/)
  const headers = signedHeaders(message, [secret])
  const [version, signature = ''] = (headers['webhook-signature'] ?? '').split(',')
  const x = Buffer.from(key.slice('whpk_'.length), 'base64').toString('base64url')
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  const signed = (text: string) => Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`)
  expect(version).toBe('v1a')
  expect(verify(null, signed(body), publicKey, Buffer.from(signature, 'base64'))).toBe(true)
  expect(verify(null, signed(`${body} `), publicKey, Buffer.from(signature, 'base64'))).toBe(false)
})

it('28.11 during a rotation, receivers with the old secret and with the new one both accept', () => {
  const [older, newer] = [newSecret('hmac'), newSecret('hmac')]
  const headers = signedHeaders(message, [newer, older])
  expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)
  for (const secret of [older, newer]) expect(new Webhook(secret).verify(body, headers)).toBeTruthy()
})
