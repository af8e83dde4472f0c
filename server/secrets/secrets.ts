import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createSecretKey,
  generateKeyPairSync,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import type { JWK } from 'jose'
import type { Db } from '#server/db/db.ts'
import { OperatorError } from '#server/operator-error.ts'

/** The keys all processes share: rows in the database, sealed under SECRET. */
export type Keys = {
  /** Signs the grants that open the office, and what was accepted. */
  signing: { privateKey: KeyObject; publicJwk: JWK; kid: string }
  /** A keyed hash, by a key of its own for each purpose, so that what one part signs means nothing to another. */
  hmac: (purpose: string, text: string) => string
  /** The key itself, for a part that does its own arithmetic. */
  secret: (purpose: string) => Buffer
}

/** Rows sealed under another SECRET cannot be opened: say so before anything is signed with a new one. */
class WrongSecret extends OperatorError {
  constructor() {
    super('SECRET is not the one that this database’s keys were sealed with.')
  }
}

/** Finds the keys, or makes them at the first start. Processes that start together agree on the first row written. */
export async function openKeys(db: Db, secret: string, now: Date): Promise<Keys> {
  const root = await keep(db, secret, now, 'hmac', () => randomBytes(32).toString('base64'))
  const jwk: JWK = JSON.parse(await keep(db, secret, now, 'grant', newSigningKey))
  const { d: _private, ...publicJwk } = jwk
  const kid = thumbprint(publicJwk)
  return {
    signing: {
      privateKey: createPrivateKey({ key: jwk, format: 'jwk' }),
      publicJwk: { ...publicJwk, kid, alg: 'ES256', use: 'sig' },
      kid,
    },
    ...derivedFrom(Buffer.from(root, 'base64')),
  }
}

/** Something signed: the three parts of a JWS (RFC 7515). `typ` says what it is. */
export function signJws({ privateKey, kid }: Keys['signing'], typ: string, said: object) {
  const [head = '', payload = ''] = [{ alg: 'ES256', kid, typ }, said].map((part) => asBase64(JSON.stringify(part)))
  const signature = derToJose(sign('sha256', Buffer.from(`${head}.${payload}`), privateKey))
  return { payload, protected: head, signature: signature.toString('base64url') }
}

/**
 * The two numbers of a signature in 32 bytes each, as a JWS has them; in DER a sign and a length stand before each. Node does
 * it too, and then takes twice as long to sign.
 */
export function derToJose(der: Buffer): Buffer {
  const middle = 4 + (der[3] ?? 0)
  const numbers = [der.subarray(4, middle), der.subarray(middle + 2)]
  return Buffer.concat(numbers.map((number) => Buffer.concat([Buffer.alloc(32), number]).subarray(-32)))
}

const asBase64 = (text: string) => Buffer.from(text).toString('base64url')

/** Each key is derived once: hashing with one that is ready costs a seventh. */
function derivedFrom(root: Buffer): Pick<Keys, 'hmac' | 'secret'> {
  const ready = new Map<string, KeyObject>()
  const keyFor = (purpose: string): KeyObject => {
    const key = ready.get(purpose) ?? createSecretKey(createHmac('sha256', root).update(purpose).digest())
    ready.set(purpose, key)
    return key
  }
  return {
    hmac: (purpose, text) => createHmac('sha256', keyFor(purpose)).update(text).digest('base64url'),
    secret: (purpose) => keyFor(purpose).export(),
  }
}

const newSigningKey = () =>
  JSON.stringify(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }))

/** All that is kept of a word that opens something. */
export const sha256 = (word: string): string => hash('sha256', word, 'base64url')

/** A key's own name (RFC 7638): the hash of what it consists of, in this order and spelling. */
const thumbprint = ({ crv, kty, x, y }: JWK) => sha256(JSON.stringify({ crv, kty, x, y }))

async function keep(db: Db, secret: string, created_at: Date, name: string, make: () => string): Promise<string> {
  const find = () => db.selectFrom('server_key').select('sealed').where('name', '=', name).executeTakeFirst()
  let row = await find()
  if (!row) {
    const sealed = seal(secret, name, make())
    await db
      .insertInto('server_key')
      .values({ name, sealed, created_at })
      .onConflict((clash) => clash.doNothing())
      .execute()
    row = await find()
  }
  return unseal(secret, name, row?.sealed ?? '')
}

const sealingKey = (secret: string, name: string) => Buffer.from(hkdfSync('sha256', secret, 'foyer', name, 32))

function seal(secret: string, name: string, text: string): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', sealingKey(secret, name), iv)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return [iv, cipher.getAuthTag(), body].map((part) => part.toString('base64')).join('.')
}

function unseal(secret: string, name: string, sealed: string): string {
  const [iv, tag, body] = sealed.split('.').map((part) => Buffer.from(part, 'base64'))
  if (!iv || !tag || !body) throw new WrongSecret()
  try {
    const decipher = createDecipheriv('aes-256-gcm', sealingKey(secret, name), iv).setAuthTag(tag)
    return decipher.update(body, undefined, 'utf8') + decipher.final('utf8')
  } catch {
    throw new WrongSecret()
  }
}
