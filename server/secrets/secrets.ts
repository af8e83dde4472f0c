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

/** The keys that all processes share: rows in the database, encrypted with SECRET. */
export type Keys = {
  /** Signs grants for the office, and consent bundles. */
  signing: { privateKey: KeyObject; publicJwk: JWK; kid: string }
  /** A keyed hash. Each purpose has its own key, so that a hash for one purpose is worthless for another. */
  hmac: (purpose: string, text: string) => string
  /** The key of a purpose, for libraries that compute with it themselves. */
  secret: (purpose: string) => Buffer
}

/** Checked at startup, before anything is signed with a new key. */
class WrongSecret extends OperatorError {
  constructor() {
    super('SECRET is not the one that this database’s keys were encrypted with.')
  }
}

/** Reads the keys, or creates them on first start. If several processes start at once, the first row wins. */
export async function openKeys(db: Db, secret: string, now: Date): Promise<Keys> {
  const root = await readOrCreate(db, secret, now, 'hmac', () => randomBytes(32).toString('base64'))
  const jwk: JWK = JSON.parse(await readOrCreate(db, secret, now, 'grant', newSigningKey))
  const { d: _private, ...publicJwk } = jwk
  const kid = thumbprint(publicJwk)
  return {
    signing: {
      privateKey: createPrivateKey({ key: jwk, format: 'jwk' }),
      publicJwk: { ...publicJwk, kid, alg: 'ES256', use: 'sig' },
      kid,
    },
    ...deriveKeys(Buffer.from(root, 'base64')),
  }
}

/** A signed payload as the three parts of a JWS (RFC 7515). `typ` says what kind it is. */
export function signJws({ privateKey, kid }: Keys['signing'], typ: string, content: object) {
  const [head = '', payload = ''] = [{ alg: 'ES256', kid, typ }, content].map((part) =>
    toBase64Url(JSON.stringify(part)),
  )
  const signature = derToJose(sign('sha256', Buffer.from(`${head}.${payload}`), privateKey))
  return { payload, protected: head, signature: signature.toString('base64url') }
}

/**
 * The two numbers of a signature as 32 bytes each, as a JWS needs them. DER puts a type and a length before each.
 * Node can do this too (ieee-p1363), but then signing takes twice as long.
 */
export function derToJose(der: Buffer): Buffer {
  const middle = 4 + (der[3] ?? 0)
  const numbers = [der.subarray(4, middle), der.subarray(middle + 2)]
  return Buffer.concat(numbers.map((number) => Buffer.concat([Buffer.alloc(32), number]).subarray(-32)))
}

const toBase64Url = (text: string) => Buffer.from(text).toString('base64url')

/** Keys are cached: hashing with an existing KeyObject takes a seventh of the time. */
function deriveKeys(root: Buffer): Pick<Keys, 'hmac' | 'secret'> {
  const cache = new Map<string, KeyObject>()
  const keyFor = (purpose: string): KeyObject => {
    const key = cache.get(purpose) ?? createSecretKey(createHmac('sha256', root).update(purpose).digest())
    cache.set(purpose, key)
    return key
  }
  return {
    hmac: (purpose, text) => createHmac('sha256', keyFor(purpose)).update(text).digest('base64url'),
    secret: (purpose) => keyFor(purpose).export(),
  }
}

const newSigningKey = () =>
  JSON.stringify(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }))

/** Tokens are stored only as their hash. */
export const sha256 = (text: string): string => hash('sha256', text, 'base64url')

/** The id of a key (RFC 7638). The order of the properties matters. */
const thumbprint = ({ crv, kty, x, y }: JWK) => sha256(JSON.stringify({ crv, kty, x, y }))

async function readOrCreate(
  db: Db,
  secret: string,
  created_at: Date,
  name: string,
  create: () => string,
): Promise<string> {
  const find = () => db.selectFrom('server_key').select('sealed').where('name', '=', name).executeTakeFirst()
  let row = await find()
  if (!row) {
    const sealed = seal(secret, name, create())
    await db
      .insertInto('server_key')
      .values({ name, sealed, created_at })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    row = await find()
  }
  return unseal(secret, name, row?.sealed ?? '')
}

const sealingKey = (secret: string, name: string) => Buffer.from(hkdfSync('sha256', secret, 'foyer', name, 32))

/** Encrypts a text that has to be read again. Only a process with the same SECRET and name can open it. */
export function seal(secret: string, name: string, text: string): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', sealingKey(secret, name), iv)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return [iv, cipher.getAuthTag(), body].map((part) => part.toString('base64')).join('.')
}

export function unseal(secret: string, name: string, sealed: string): string {
  const [iv, tag, body] = sealed.split('.').map((part) => Buffer.from(part, 'base64'))
  if (!iv || !tag || !body) throw new WrongSecret()
  try {
    const decipher = createDecipheriv('aes-256-gcm', sealingKey(secret, name), iv).setAuthTag(tag)
    return decipher.update(body, undefined, 'utf8') + decipher.final('utf8')
  } catch {
    throw new WrongSecret()
  }
}
