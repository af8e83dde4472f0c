import { generateKeyPairSync, hkdfSync, randomBytes } from 'node:crypto'
import { type Db, inTransaction } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import { OperatorError } from '#server/operator-error.ts'
import { decrypt, encrypt } from './seal.ts'

/** The rows in which all processes share their keys, encrypted with SECRET. */

const random = () => randomBytes(32).toString('base64')
const newSigningKey = () =>
  JSON.stringify(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }))

/** grant: signs grants and consent bundles. hmac: keyed hashes. data: encrypts what has to be read again. */
const create = { grant: newSigningKey, hmac: random, data: random }
export type KeyName = keyof typeof create
const names = Object.keys(create) as KeyName[]

/** SECRET_PREVIOUS: what SECRET was before, for as long as some rows may be encrypted with it. */
export type Secrets = { SECRET: string; SECRET_PREVIOUS?: string | undefined }

type Row = Tables['server_key']
export type ServerKey = Omit<Row, 'sealed' | 'created_at'> & { content: string }

const nameOf = ({ name, version }: Pick<Row, 'name' | 'version'>) => (version === 1 ? name : `${name} ${version}`)

const sealingKey = (secret: string, name: string) => Buffer.from(hkdfSync('sha256', secret, 'foyer', name, 32))

/** Encrypts under SECRET. The name is part of the key, so that one row cannot be put in the place of another. */
export const seal = (secret: string, name: string, text: string) => encrypt(sealingKey(secret, name), text)
export const unseal = (secret: string, name: string, sealed: string) => decrypt(sealingKey(secret, name), sealed)

/** Checked at startup, before anything is signed with a new key. */
class WrongSecret extends OperatorError {
  constructor({ SECRET_PREVIOUS }: Secrets) {
    super(
      SECRET_PREVIOUS
        ? 'Neither SECRET nor SECRET_PREVIOUS is the one that this database’s keys were encrypted with.'
        : 'SECRET is not the one that this database’s keys were encrypted with. If you have changed it, set SECRET_PREVIOUS to the old one.',
    )
  }
}

/** Reads the keys, or creates those that are missing. If several processes start at once, the first row wins. */
export async function openRows(db: Db, secrets: Secrets, now: Date): Promise<ServerKey[]> {
  const existing = await readRows(db, secrets) // before any row is created: a wrong SECRET must not leave one behind
  const missing = names.filter((name) => !existing.some((key) => key.name === name))
  if (!missing.length) return existing
  const rows = missing.map((name) => ({
    name,
    version: 1,
    created_at: now,
    used_from: now,
    sealed: seal(secrets.SECRET, name, create[name]()),
  }))
  await db
    .insertInto('server_key')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return readRows(db, secrets)
}

/** Every version. What was opened before is not opened again: its row may by now be encrypted with a newer SECRET. */
export async function readRows(db: Db, secrets: Secrets, opened: ServerKey[] = []): Promise<ServerKey[]> {
  const rows = await db.selectFrom('server_key').selectAll().orderBy('name').orderBy('version').execute()
  return rows.map(({ sealed, created_at: _, ...row }) => {
    const known = opened.find(({ name, version }) => name === row.name && version === row.version)
    return { ...row, content: known?.content ?? open(secrets, nameOf(row), sealed) }
  })
}

/** Whether SECRET, or the one before it, opens every key. */
export async function isSecretOf(db: Db, secrets: Secrets): Promise<boolean> {
  const rows = await db.selectFrom('server_key').select(['name', 'version', 'sealed']).execute()
  return rows.every((row) => openWithEither(secrets, nameOf(row), row.sealed) !== undefined)
}

function open(secrets: Secrets, name: string, sealed: string): string {
  const content = openWithEither(secrets, name, sealed)
  if (content === undefined) throw new WrongSecret(secrets)
  return content
}

/** What an older version has encrypted under SECRET itself, too. */
export function openWithEither({ SECRET, SECRET_PREVIOUS }: Secrets, name: string, sealed: string) {
  const content = unseal(SECRET, name, sealed)
  return content === undefined && SECRET_PREVIOUS ? unseal(SECRET_PREVIOUS, name, sealed) : content
}

/**
 * After SECRET was changed: encrypts everything again that only the old one opens, all or nothing. Processes that start at once
 * wait for each other here; those that still run with the old SECRET have the keys in memory. Returns how much there was.
 */
export async function changeSecret(db: Db, secrets: Secrets, sealWithDataKey: Sealer): Promise<number> {
  if (!secrets.SECRET_PREVIOUS) return 0
  return inTransaction(db, async (db) => {
    let changed = 0
    for (const row of await lockRows(db)) {
      const name = nameOf(row)
      if (unseal(secrets.SECRET, name, row.sealed) !== undefined) continue
      const sealed = seal(secrets.SECRET, name, open(secrets, name, row.sealed))
      await db
        .updateTable('server_key')
        .set({ sealed })
        .where('name', '=', row.name)
        .where('version', '=', row.version)
        .execute()
      changed++
    }
    return changed + (await sealAppSecrets(db, secrets, sealWithDataKey))
  })
}

type Sealer = (name: string, text: string) => string
export const STAFF_APP = 'staff authenticator app'

/** Version 0.5 encrypted the secrets of authenticator apps with SECRET itself. From here on they do not depend on it. */
async function sealAppSecrets(db: Db, secrets: Secrets, sealWithDataKey: Sealer): Promise<number> {
  const staff = await db
    .selectFrom('staff')
    .select(['id', 'totp_sealed'])
    .where('totp_sealed', 'not like', `${DATA_PREFIX}%`)
    .forUpdate()
    .execute()
  for (const { id, totp_sealed } of staff) {
    const sealed = sealWithDataKey(STAFF_APP, open(secrets, STAFF_APP, totp_sealed ?? ''))
    await db.updateTable('staff').set({ totp_sealed: sealed }).where('id', '=', id).execute()
  }
  return staff.length
}

/** What is encrypted with a data key begins with this and the key's version. */
export const DATA_PREFIX = 'data.'

const lockRows = (db: Db) =>
  db.selectFrom('server_key').selectAll().orderBy('name').orderBy('version').forUpdate().execute()

/** Other systems may keep our public keys for five minutes, and our own processes learn of a new key within seconds. */
const PUBLISHED_SECONDS = { ordinary: 600, revoking: 15 }

/**
 * Makes a new version of each key. It is published at once and used a little later, so that nobody meets a signature whose key
 * they do not know. `revoke`: the keys until now have leaked.
 */
export async function rekey(db: Db, secrets: Secrets, now: Date, { revoke = false } = {}): Promise<Date> {
  const used_from = new Date(now.getTime() + PUBLISHED_SECONDS[revoke ? 'revoking' : 'ordinary'] * 1000)
  await inTransaction(db, async (db) => {
    const rows = await lockRows(db)
    for (const row of rows) open(secrets, nameOf(row), row.sealed)
    const next = rows.find((row) => row.used_from > now)
    if (next && !revoke)
      throw new OperatorError(`New keys were made already. They are used from ${next.used_from.toISOString()} on.`)
    await db.updateTable('server_key').set({ retired_at: used_from }).where('retired_at', 'is', null).execute()
    if (revoke) {
      await db.updateTable('server_key').set({ revoked_at: used_from }).where('revoked_at', 'is', null).execute()
      await db.deleteFrom('email_link').execute() // their tokens can be computed
    }
    await db
      .insertInto('server_key')
      .values(names.map((name) => newVersion(secrets, rows, name, { created_at: now, used_from })))
      .execute()
  })
  return used_from
}

function newVersion({ SECRET }: Secrets, rows: Row[], name: KeyName, times: { created_at: Date; used_from: Date }) {
  const version = 1 + Math.max(0, ...rows.flatMap((row) => (row.name === name ? [row.version] : [])))
  return { ...times, name, version, sealed: seal(SECRET, nameOf({ name, version }), create[name]()) }
}
