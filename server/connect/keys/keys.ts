import { KEY_PREFIX, type Scope } from '#contract/connect/keys.ts'
import { longDay } from '#contract/days.ts'
import { countAgainstLimit } from '#server/abuse/limits.ts'
import type { Actor } from '#server/audit/audit.ts'
import type { Address } from '#server/client.ts'
import { statement } from '#server/db/statement.ts'
import type { Tables } from '#server/db/tables.ts'
import { Refusal } from '#server/refusal.ts'
import { sha256 } from '#server/secrets/secrets.ts'
import { recordEvent } from '#server/security/security-log.ts'
import { lastDayOf, todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { isWellFormed } from './key-format.ts'

/** A request's API key, once checked. */
export type ApiKey = Pick<Tables['api_key'], 'id' | 'name' | 'scopes'>

/**
 * The key in an Authorization header, or a refusal: 401 if it can't be used, 429 if it was used too often. It's looked up for
 * every request, so a key that is revoked is refused by the next one, whichever process gets it.
 */
export async function authenticate(
  world: World,
  authorization: string | undefined,
  address?: Address,
): Promise<ApiKey> {
  const row = await findKey(world, keyIn(authorization))
  const problem = problemOf(world, row)
  if (problem || !row) {
    await recordEvent(world, { kind: 'api_key_refused', address, details: row ? { key: row.id } : {} })
    throw new Refusal(401, problem ?? UNKNOWN)
  }
  await countAgainstLimit(world, 'LIMIT_API', `key ${row.id}`)
  await noteUse(world, row)
  return { id: row.id, name: row.name, scopes: row.scopes }
}

/** Refuses a key that may not do this. */
export function requireScope({ scopes }: ApiKey, scope: Scope): void {
  if (!scopes.includes(scope)) throw new Refusal(403, `This API key doesn’t have the scope ${scope}.`)
}

/** Who an audit row names for what a key did. */
export const actorOf = ({ id }: ApiKey): Actor => ({ id: null, role: `api key ${id}` })

const MISSING = `Send your API key in the header Authorization: Bearer ${KEY_PREFIX}…`
const MISTYPED = 'This API key isn’t complete. Check that you copied all of it.'
const UNKNOWN = 'This API key doesn’t exist.'

/** Never from the URL: URLs end up in logs. */
function keyIn(authorization: string | undefined): string {
  const [, key] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
  if (!key) throw new Refusal(401, MISSING)
  if (!isWellFormed(key)) throw new Refusal(401, MISTYPED)
  return key
}

type Row = Pick<Tables['api_key'], 'id' | 'name' | 'scopes' | 'used_on' | 'ends_at' | 'revoked_at'>

async function findKey({ db }: World, key: string): Promise<Row | undefined> {
  const { rows } = await findQuery(db, { key_hash: sha256(key) })
  return rows[0]
}
const findQuery = statement((db, { key_hash }: { key_hash: string }) =>
  db
    .selectFrom('api_key')
    .select(['id', 'name', 'scopes', 'used_on', 'ends_at', 'revoked_at'])
    .where('key_hash', '=', key_hash),
)

function problemOf(world: World, row: Row | undefined): string | undefined {
  if (!row) return UNKNOWN
  if (row.revoked_at) return 'This API key was revoked.'
  if (row.ends_at && row.ends_at <= world.now())
    return `This API key expired after ${longDay(lastDayOf(world, row.ends_at))}.`
  return undefined
}

/** Written once a day, by the first request. */
async function noteUse(world: World, { id, used_on }: Row): Promise<void> {
  const today = todayOf(world)
  if (used_on && used_on >= today) return
  await world.db.updateTable('api_key').set({ used_on: today }).where('id', '=', id).execute()
}
