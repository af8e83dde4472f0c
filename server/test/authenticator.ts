import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** A passkey in software: enough of an authenticator to answer our own challenges. */
export function testAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credentialId = randomBytes(16)
  const id = credentialId.toString('base64url')
  const rpIdHash = sha256(new URL(origin).hostname)
  const clientData = (type: string, challenge: unknown, from = origin) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }))
  const common = { id, rawId: id, type: 'public-key', clientExtensionResults: {} }
  return {
    /** Answers registration options. */
    create: ({ challenge }: { challenge: string }, from?: string) => {
      const length = Buffer.from([0, credentialId.length])
      const authData = Buffer.concat([
        rpIdHash,
        Buffer.from([FLAGS | HAS_KEY, 0, 0, 0, 0]),
        Buffer.alloc(16),
        length,
        credentialId,
        coseKey(publicKey),
      ])
      const clientDataJSON = clientData('webauthn.create', challenge, from).toString('base64url')
      const attestationObject = attestation(authData).toString('base64url')
      return { ...common, response: { clientDataJSON, attestationObject, transports: ['internal'] } }
    },
    /** Answers sign-in options. */
    get: ({ challenge }: { challenge: string }, from?: string) => {
      const authenticatorData = Buffer.concat([rpIdHash, Buffer.from([FLAGS, 0, 0, 0, 0])])
      const client = clientData('webauthn.get', challenge, from)
      const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(client)]), privateKey)
      return {
        ...common,
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: authenticatorData.toString('base64url'),
          signature: signature.toString('base64url'),
        },
      }
    },
  }
}

/** Somebody was there, and was verified. */
const FLAGS = 0x05
const HAS_KEY = 0x40

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()

/** CBOR of { 1: 2, 3: -7, -1: 1, -2: x, -3: y }, an ES256 key. */
function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const bytes = (text: string) => Buffer.concat([Buffer.from([0x58, 32]), Buffer.from(text, 'base64url')])
  return Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex').subarray(0, -2),
    bytes(x),
    Buffer.from([0x22]),
    bytes(y),
  ])
}

/** CBOR of { fmt: 'none', attStmt: {}, authData }. */
const attestation = (authData: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
    Buffer.from([authData.length]),
    authData,
  ])
