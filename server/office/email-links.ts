import type { Db } from '#server/db/db.ts'
import { consumeKey } from '#server/db/one-time-keys.ts'
import type { Tables } from '#server/db/tables.ts'
import { Refusal } from '#server/refusal.ts'
import { sha256 } from '#server/secrets/secrets.ts'
import type { World } from '#server/world.ts'

/** Words that are sent by letter and open one thing once: a new password, or a new email address. */

const hoursGood = { password: 1, email: 24 }
type Purpose = keyof typeof hoursGood

/** What a word is made from. */
type LinkSeed = Pick<Tables['email_link'], 'purpose' | 'member_id' | 'email' | 'created_at'>

/** The word is derived and never stored, so a letter that is sent again carries the same one. */
export const linkToken = ({ keys }: Pick<World, 'keys'>, { purpose, member_id, email, created_at }: LinkSeed): string =>
  keys.hmac('letter keys', JSON.stringify([purpose, member_id, email, created_at.toISOString()]))

/**
 * Makes a word good. A new address takes the place of the one asked for before; a word for a new password does not, or a
 * stranger who asks for another would spoil the letter that has just arrived. Runs in a transaction that holds the member.
 */
export async function activateLink({ db, keys }: Pick<World, 'db' | 'keys'>, seed: LinkSeed): Promise<void> {
  if (seed.purpose === 'email')
    await db.deleteFrom('email_link').where('member_id', '=', seed.member_id).where('purpose', '=', 'email').execute()
  await db
    .insertInto('email_link')
    .values({ ...seed, key_hash: sha256(linkToken({ keys }, seed)), expires_at: expiryOf(seed) })
    .execute()
}

/** The same for somebody who may come twice, or late: what was good once and is used up or too old does not come back. */
export async function activateLinkOnce(
  { db, keys, now }: Pick<World, 'db' | 'keys' | 'now'>,
  seed: LinkSeed,
): Promise<void> {
  const expires_at = expiryOf(seed)
  if (expires_at <= now()) return
  const isFirst = await consumeKey(db, { kind: 'letter', key: sha256(linkToken({ keys }, seed)), expires_at })
  if (isFirst) await activateLink({ db, keys }, seed)
}

const expiryOf = ({ purpose, created_at }: LinkSeed) => new Date(created_at.getTime() + hoursGood[purpose] * 3_600_000)

/** Whose word it is, while it is good. */
export const findLink = ({ db, now }: Pick<World, 'db' | 'now'>, purpose: Purpose, word: string) =>
  db
    .selectFrom('email_link')
    .innerJoin('member', 'member.id', 'email_link.member_id')
    .selectAll('member')
    .where('key_hash', '=', sha256(word))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now())
    .executeTakeFirst()

/** Uses a word up. Of many who bring it at once, one gets what it stands for. */
export const redeemLink = ({ db, now }: Pick<World, 'db' | 'now'>, purpose: Purpose, word: string) =>
  db
    .deleteFrom('email_link')
    .where('key_hash', '=', sha256(word))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now())
    .returning(['member_id', 'email'])
    .executeTakeFirst()

export const expiredLinkRefusal = (advice = '') =>
  new Refusal(401, `This link was used before or is too old. ${advice}`.trim())

/** Nothing that was sent to this member before opens anything. */
export const deleteLinks = (db: Db, member_id: string) =>
  db.deleteFrom('email_link').where('member_id', '=', member_id).execute()

/** The newest word of a member for a purpose, as long as it is good. */
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
