import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'

/** Signatures as in Standard Webhooks 1.0: HMAC-SHA256 with a shared secret, or Ed25519 with a public key. */

export const schemes = ['hmac', 'ed25519'] as const
export type Scheme = (typeof schemes)[number]

const HMAC_PREFIX = 'whsec_'
const PRIVATE_PREFIX = 'whsk_'
const PUBLIC_PREFIX = 'whpk_'
const SECRET_BYTES = 32

/** The DER of an Ed25519 private key (RFC 8410) is this and its 32 bytes. */
const PRIVATE_DER = Buffer.from('302e020100300506032b657004220420', 'hex')

/** What we sign with: 'whsec_…' or 'whsk_…'. */
export function newSecret(scheme: Scheme): string {
  if (scheme === 'hmac') return HMAC_PREFIX + randomBytes(SECRET_BYTES).toString('base64')
  const { privateKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(PRIVATE_DER.length)
  return PRIVATE_PREFIX + seed.toString('base64')
}

/** What the receiver verifies with: the same secret, or the public key 'whpk_…'. */
export function verificationKey(secret: string): string {
  if (secret.startsWith(HMAC_PREFIX)) return secret
  const key = createPublicKey(privateKeyOf(secret)).export({ format: 'jwk' })
  return PUBLIC_PREFIX + Buffer.from(key.x ?? '', 'base64url').toString('base64')
}

function privateKeyOf(secret: string): KeyObject {
  const seed = Buffer.from(secret.slice(PRIVATE_PREFIX.length), 'base64')
  return createPrivateKey({ key: Buffer.concat([PRIVATE_DER, seed]), format: 'der', type: 'pkcs8' })
}

export type Message = { id: string; at: Date; body: string }

/** The three headers of a delivery. During a rotation there is a signature for each secret, the newest first. */
export function signedHeaders({ id, at, body }: Message, secrets: string[]): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const content = `${id}.${timestamp}.${body}`
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signatureOf(content, secret)).join(' '),
  }
}

function signatureOf(content: string, secret: string): string {
  if (secret.startsWith(PRIVATE_PREFIX))
    return `v1a,${sign(null, Buffer.from(content), privateKeyOf(secret)).toString('base64')}`
  const key = Buffer.from(secret.slice(HMAC_PREFIX.length), 'base64')
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}
