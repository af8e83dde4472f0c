import {
  createHmac,
  createPrivateKey,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  sign,
  timingSafeEqual,
} from 'node:crypto'
import type { JWK } from 'jose'
import type { Db } from '#server/db/db.ts'
import {
  changeSecret,
  DATA_PREFIX,
  type KeyName,
  openRows,
  openWithEither,
  readRows,
  type Secrets,
  type ServerKey,
} from './key-rows.ts'
import { isAccepted, type Purpose } from './purposes.ts'
import { decrypt, encrypt } from './seal.ts'

type SigningKey = { privateKey: KeyObject; publicJwk: JWK; kid: string }

/** The keys that all processes share. The object stays the same for as long as a process runs; the keys in it come and go. */
export type Keys = {
  /** Signs grants for the office, and consent bundles. */
  readonly signing: SigningKey
  /** Every key that others may verify a signature with: those in use, the next, and those that were retired. */
  publicKeys: () => JWK[]
  /** The key that a grant was signed with, if such a grant can still be valid. */
  grantKey: (kid: string) => JWK | undefined
  /** A keyed hash, with the key in use at a time. */
  hmac: (purpose: Purpose, text: string, at?: Date) => string
  /** The same with every key that still counts for the purpose, the one in use first: to find what was stored before. */
  hmacs: (purpose: Purpose, text: string) => string[]
  /** Whether a keyed hash was made by us, with any key that still counts. */
  isHmac: (purpose: Purpose, text: string, hmac: string) => boolean
  /** The same with the key in use at a time only. False once that key is revoked. */
  isHmacAt: (purpose: Purpose, text: string, hmac: string, at: Date) => boolean
  /** The keys of a purpose, the one in use first, for libraries that compute with them themselves. */
  secrets: (purpose: Purpose) => Buffer[]
  /** Encrypts a text that has to be read again. It can only be opened under the same name. */
  seal: (name: string, text: string) => string
  /** Undefined if it was not encrypted by us, or under another name. */
  unseal: (name: string, sealed: string) => string | undefined
  /** Reads the rows again. Every process does so every few seconds. */
  refresh: () => Promise<void>
}

/** A grant is valid for a minute, and the clocks of two processes may differ a little. */
const GRANT_GRACE_MS = 5 * 60_000

type Options = { now: () => Date; print?: (line: string) => void }

export async function openKeys(db: Db, secrets: Secrets, { now, print }: Options): Promise<Keys> {
  let keys = await openRows(db, secrets, now())
  const signingKey = cached(parseSigningKey)
  const purposeKeys = cached(derivePurposeKeys)
  const versionsOf = (name: KeyName) => keys.filter((key) => key.name === name)
  const inUse = (name: KeyName, at = now()): ServerKey => {
    const versions = versionsOf(name)
    const key = versions.findLast(({ used_from }) => used_from <= at) ?? versions[0]
    if (!key) throw new Error(`There is no key '${name}'.`)
    return key
  }
  /** The one in use first. */
  const acceptedFor = (purpose: Purpose): PurposeKey[] => {
    const at = now()
    const current = inUse('hmac', at)
    const others = keys.filter(
      (key) => key.name === 'hmac' && key.version !== current.version && isAccepted(key, purpose, at),
    )
    return [current, ...others].map((key) => purposeKeys(key.content)(purpose))
  }
  const signingKeys = () => versionsOf('grant').map((key) => ({ ...key, ...signingKey(key.content) }))
  const isRevoked = ({ revoked_at }: ServerKey) => revoked_at !== null && revoked_at <= now()

  const all: Keys = {
    get signing() {
      return signingKey(inUse('grant').content)
    },
    publicKeys: () =>
      signingKeys()
        .filter((key) => !isRevoked(key))
        .map(({ publicJwk }) => publicJwk),
    grantKey: (kid) => {
      const key = signingKeys().find((key) => key.kid === kid)
      const isOver = key?.retired_at && key.retired_at.getTime() + GRANT_GRACE_MS <= now().getTime()
      return !key || isOver || isRevoked(key) ? undefined : key.publicJwk
    },
    hmac: (purpose, text, at) => purposeKeys(inUse('hmac', at).content)(purpose).hmac(text),
    hmacs: (purpose, text) => acceptedFor(purpose).map(({ hmac }) => hmac(text)),
    isHmac: (purpose, text, hmac) => acceptedFor(purpose).some((key) => isEqual(key.hmac(text), hmac)),
    isHmacAt: (purpose, text, hmac, at) => {
      const key = inUse('hmac', at)
      return !isRevoked(key) && isEqual(purposeKeys(key.content)(purpose).hmac(text), hmac)
    },
    secrets: (purpose) => acceptedFor(purpose).map(({ secret }) => secret),
    seal: (name, text) => {
      const { version, content } = inUse('data')
      return `${DATA_PREFIX}${version}.${encrypt(dataKey(content, name), text)}`
    },
    unseal: (name, sealed) => {
      if (!sealed.startsWith(DATA_PREFIX)) return openWithEither(secrets, name, sealed)
      const [, version, ...rest] = sealed.split('.')
      const key = versionsOf('data').find((key) => String(key.version) === version)
      return key && decrypt(dataKey(key.content, name), rest.join('.'))
    },
    refresh: async () => {
      keys = await readRows(db, secrets, keys)
    },
  }
  if (await changeSecret(db, secrets, all.seal))
    print?.(
      'SECRET was changed: all keys are encrypted with the new one. Remove SECRET_PREVIOUS once every process runs with it.',
    )
  return all
}

const isEqual = (a: string, b: string) => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** Computed once for each content: hashing with an existing KeyObject takes a seventh of the time. */
const cached = <Value>(make: (content: string) => Value) => {
  const values = new Map<string, Value>()
  return (content: string): Value => {
    const value = values.get(content) ?? make(content)
    values.set(content, value)
    return value
  }
}

function parseSigningKey(content: string): SigningKey {
  const jwk: JWK = JSON.parse(content)
  const { d: _private, ...publicJwk } = jwk
  const kid = thumbprint(publicJwk)
  return {
    privateKey: createPrivateKey({ key: jwk, format: 'jwk' }),
    publicJwk: { ...publicJwk, kid, alg: 'ES256', use: 'sig' },
    kid,
  }
}

type PurposeKey = { secret: Buffer; hmac: (text: string) => string }

const derivePurposeKeys = (root: string) =>
  cached((purpose): PurposeKey => {
    const secret = createHmac('sha256', Buffer.from(root, 'base64')).update(purpose).digest()
    const key = createSecretKey(secret)
    return { secret, hmac: (text) => createHmac('sha256', key).update(text).digest('base64url') }
  })

const dataKey = (content: string, name: string) => Buffer.from(hkdfSync('sha256', content, 'foyer', name, 32))

/** A signed payload as the three parts of a JWS (RFC 7515). `typ` says what kind it is. */
export function signJws({ privateKey, kid }: Keys['signing'], typ: string, content: object) {
  const [head = '', payload = ''] = [{ alg: 'ES256', kid, typ }, content].map((part) =>
    toBase64Url(JSON.stringify(part)),
  )
  const signature = sign('sha256', Buffer.from(`${head}.${payload}`), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return { payload, protected: head, signature: signature.toString('base64url') }
}

const toBase64Url = (text: string) => Buffer.from(text).toString('base64url')

/** Tokens are stored only as their hash. */
export const sha256 = (text: string): string => hash('sha256', text, 'base64url')

/** The id of a key (RFC 7638). The order of the properties matters. */
const thumbprint = ({ crv, kty, x, y }: JWK) => sha256(JSON.stringify({ crv, kty, x, y }))

const POLL_MS = 3_000

/** Follows what `npm run db -- rekey` does, without a restart. Returns how to stop it. */
export function watchKeys({ keys, log }: { keys: Keys; log: WatchLog }): () => void {
  let isStopped = false
  const report = (err: unknown) => log.error({ err }, 'the keys could not be read again')
  const again = () => {
    if (!isStopped) setTimeout(() => void keys.refresh().catch(report).finally(again), POLL_MS).unref()
  }
  again()
  return () => {
    isStopped = true
  }
}
type WatchLog = { error: (details: object, message: string) => void }
