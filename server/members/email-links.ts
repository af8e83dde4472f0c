import { type Insertable, sql } from 'kysely'
import type { Db } from '#server/db/db.ts'
import { consumeKey } from '#server/db/one-time-keys.ts'
import { statement } from '#server/db/statement.ts'
import type { Tables } from '#server/db/tables.ts'
import { Refusal } from '#server/refusal.ts'
import { sha256 } from '#server/secrets/secrets.ts'
import type { World } from '#server/world/world.ts'

/** Links that are sent by email: to reset a password, and to confirm a new email address or the current one. */

const HOURS_A_DAY = 24
const validHours = { password: 1, email: HOURS_A_DAY, address: 8 * HOURS_A_DAY, invitation: 14 * HOURS_A_DAY }
type Purpose = keyof typeof validHours

/** The token of a link is derived from these values. */
type LinkSeed = Pick<Tables['email_link'], 'purpose' | 'member_id' | 'email' | 'created_at'>

/** Derived instead of stored, so that an email that is sent again contains the same token, also after the keys were changed. */
export const linkToken = ({ keys }: Pick<World, 'keys'>, seed: LinkSeed): string =>
  keys.hmac('letter keys', textOf(seed), seed.created_at)

const textOf = ({ purpose, member_id, email, created_at }: LinkSeed) =>
  JSON.stringify([purpose, member_id, email, created_at.toISOString()])

/** Not with a key that was revoked, even if another process hadn't heard of that when it made the link. */
const isMadeByUs = ({ keys }: Pick<World, 'keys'>, seed: LinkSeed, token: string): boolean =>
  keys.isHmacAt('letter keys', textOf(seed), token, seed.created_at)

/**
 * Makes a link valid. A new email link replaces the member's earlier one. A password link does not, because a stranger
 * who requests another reset would break the link that has just arrived. The caller's transaction locks the member's row.
 */
export async function activateLink(
  { db, keys }: Pick<World, 'db' | 'keys'>,
  seed: LinkSeed,
  { by_staff = false } = {},
): Promise<void> {
  if (seed.purpose === 'email') await deleteLinks(db, seed.member_id, ['email'])
  await insertLink(db, { ...seed, by_staff, key_hash: sha256(linkToken({ keys }, seed)), expires_at: expiryOf(seed) })
}

const insertLink = statement(
  (db, link: Insertable<Tables['email_link']>) =>
    db
      .insertInto('email_link')
      .values(link)
      .onConflict((conflict) => conflict.doNothing()), // two emails that are written at the same time
)

/** For a job that may run twice or late: a link that was used or has expired does not become valid again. Returns whether it did. */
export async function activateLinkOnce(
  { db, keys, now }: Pick<World, 'db' | 'keys' | 'now'>,
  seed: LinkSeed,
): Promise<boolean> {
  const expires_at = expiryOf(seed)
  if (expires_at <= now()) return false
  const isFirst = await consumeKey(db, { kind: 'letter', key: sha256(linkToken({ keys }, seed)), expires_at })
  if (isFirst) await activateLink({ db, keys }, seed)
  return isFirst
}

const expiryOf = ({ purpose, created_at }: LinkSeed) => new Date(created_at.getTime() + validHours[purpose] * 3_600_000)

/** The member a valid link belongs to. */
export async function findLink(world: Pick<World, 'db' | 'keys' | 'now'>, purpose: Purpose, token: string) {
  const seed = await findSeed(world, purpose, token)
  if (!seed) return undefined
  return world.db.selectFrom('member').selectAll().where('id', '=', seed.member_id).executeTakeFirst()
}

async function findSeed({ db, keys, now }: Pick<World, 'db' | 'keys' | 'now'>, purpose: Purpose, token: string) {
  const seed = await db
    .selectFrom('email_link')
    .select(['purpose', 'member_id', 'email', 'created_at'])
    .where('key_hash', '=', sha256(token))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now())
    .executeTakeFirst()
  return seed && isMadeByUs({ keys }, seed, token) ? seed : undefined
}

/** Uses up a link. If several requests send the same token at once, only one succeeds. */
export async function redeemLink(world: Pick<World, 'db' | 'keys' | 'now'>, purpose: Purpose, token: string) {
  if (!(await findSeed(world, purpose, token))) return undefined
  return world.db
    .deleteFrom('email_link')
    .where('key_hash', '=', sha256(token))
    .where('purpose', '=', purpose)
    .returning(['member_id', 'email', 'by_staff'])
    .executeTakeFirst()
}

/** Counts a try before it is checked, so that parallel guesses cannot exceed the limit. False: there were enough. */
export async function countLinkTry({ db }: Pick<World, 'db'>, token: string, max: number): Promise<boolean> {
  const result = await db
    .updateTable('email_link')
    .set((row) => ({ tries: row('tries', '+', 1) }))
    .where('key_hash', '=', sha256(token))
    .where('tries', '<', max)
    .executeTakeFirst()
  return Number(result.numUpdatedRows) === 1
}

export const expiredLinkRefusal = (advice = '') =>
  new Refusal(401, `This link has expired or was already used. ${advice}`.trim())

/** Invalidates links that were sent to a member. */
export const deleteLinks = (db: Db, member_id: string, purposes: Purpose[]) =>
  db.deleteFrom('email_link').where('member_id', '=', member_id).where('purpose', 'in', purposes).execute()

/** A member's newest valid link for a purpose. */
export async function findNewestLink(
  { db, now }: Pick<World, 'db' | 'now'>,
  purpose: Purpose,
  member_id: string,
): Promise<LinkSeed | undefined> {
  const { rows } = await selectNewestLink(db, { purpose, member_id, now: now() })
  return rows[0]
}

type NewestLink = { purpose: Purpose; member_id: string; now: Date }
const selectNewestLink = statement((db, { purpose, member_id, now }: NewestLink) =>
  db
    .selectFrom('email_link')
    .select(['purpose', 'member_id', 'email', 'created_at'])
    .where('member_id', '=', member_id)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .limit(sql.lit(1)),
)

type Addressee = { id: string; email: string }

/** The token that confirms a member's current address for at least a week. An email that is written twice in a day gets the same one. */
export async function addressLinkToken(world: World, { id, email }: Addressee): Promise<string> {
  const now = world.now()
  const last = await findNewestLink(world, 'address', id)
  const isFresh = last?.email === email && now.getTime() - last.created_at.getTime() < HOURS_A_DAY * 3_600_000
  if (isFresh && isMadeByUs(world, last, linkToken(world, last))) return linkToken(world, last)
  const seed = { purpose: 'address' as const, member_id: id, email, created_at: now }
  await activateLink(world, seed)
  return linkToken(world, seed)
}
