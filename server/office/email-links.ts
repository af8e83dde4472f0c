import type { Db } from '#server/db/db.ts'
import { consumeKey } from '#server/db/one-time-keys.ts'
import type { Tables } from '#server/db/tables.ts'
import { Refusal } from '#server/refusal.ts'
import { sha256 } from '#server/secrets/secrets.ts'
import type { World } from '#server/world.ts'

/** One-time links that are sent by email: to reset a password, or to confirm a new email address. */

const validHours = { password: 1, email: 24 }
type Purpose = keyof typeof validHours

/** The token of a link is derived from these values. */
type LinkSeed = Pick<Tables['email_link'], 'purpose' | 'member_id' | 'email' | 'created_at'>

/** Derived instead of stored, so that an email that is sent again contains the same token, also after the keys were changed. */
export const linkToken = ({ keys }: Pick<World, 'keys'>, { purpose, member_id, email, created_at }: LinkSeed): string =>
  keys.hmac('letter keys', JSON.stringify([purpose, member_id, email, created_at.toISOString()]), created_at)

/**
 * Makes a link valid. A new email link replaces the member's earlier one. A password link does not, because a stranger
 * who requests another reset would break the link that has just arrived. The caller's transaction locks the member's row.
 */
export async function activateLink({ db, keys }: Pick<World, 'db' | 'keys'>, seed: LinkSeed): Promise<void> {
  if (seed.purpose === 'email')
    await db.deleteFrom('email_link').where('member_id', '=', seed.member_id).where('purpose', '=', 'email').execute()
  await db
    .insertInto('email_link')
    .values({ ...seed, key_hash: sha256(linkToken({ keys }, seed)), expires_at: expiryOf(seed) })
    .execute()
}

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
export const findLink = ({ db, now }: Pick<World, 'db' | 'now'>, purpose: Purpose, token: string) =>
  db
    .selectFrom('email_link')
    .innerJoin('member', 'member.id', 'email_link.member_id')
    .selectAll('member')
    .where('key_hash', '=', sha256(token))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now())
    .executeTakeFirst()

/** Uses up a link. If several requests send the same token at once, only one succeeds. */
export const redeemLink = ({ db, now }: Pick<World, 'db' | 'now'>, purpose: Purpose, token: string) =>
  db
    .deleteFrom('email_link')
    .where('key_hash', '=', sha256(token))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now())
    .returning(['member_id', 'email'])
    .executeTakeFirst()

export const expiredLinkRefusal = (advice = '') =>
  new Refusal(401, `This link has expired or was already used. ${advice}`.trim())

/** Invalidates all links that were sent to a member. */
export const deleteLinks = (db: Db, member_id: string) =>
  db.deleteFrom('email_link').where('member_id', '=', member_id).execute()

/** A member's newest valid link for a purpose. */
export const findNewestLink = (
  { db, now }: Pick<World, 'db' | 'now'>,
  purpose: Purpose,
  member_id: string,
): Promise<LinkSeed | undefined> =>
  db
    .selectFrom('email_link')
    .select(['purpose', 'member_id', 'email', 'created_at'])
    .where('member_id', '=', member_id)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now())
    .executeTakeFirst()
