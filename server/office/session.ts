import { createHash, randomBytes } from 'node:crypto'
import type { World } from '#server/world.ts'

const HOURS_OPEN = 12

const hashOf = (key: string) => createHash('sha256').update(key).digest('base64url')

/** Lets a member in: a random word for the cookie, its hash for us. */
export async function openSession({ db, now }: World, member_id: string): Promise<{ key: string; expires_at: Date }> {
  const key = randomBytes(32).toString('base64url')
  const created_at = now()
  const expires_at = new Date(created_at.getTime() + HOURS_OPEN * 3_600_000)
  await db
    .insertInto('office_session')
    .values({ key_hash: hashOf(key), member_id, created_at, expires_at })
    .execute()
  return { key, expires_at }
}

/** The member behind a cookie's word, with what the office shows first. */
export const memberBehind = ({ db, now }: World, key: string) =>
  db
    .selectFrom('office_session')
    .innerJoin('member', 'member.id', 'office_session.member_id')
    .innerJoin('sponsor', 'sponsor.id', 'member.sponsor_id')
    .select(['member.id', 'member.first_name', 'member.username', 'member.joined_at', 'sponsor.name as sponsor_name'])
    .where('key_hash', '=', hashOf(key))
    .where('expires_at', '>', now())
    .executeTakeFirst()

/** Sign out: the word opens nothing any more. */
export const closeSession = ({ db }: World, key: string) =>
  db.deleteFrom('office_session').where('key_hash', '=', hashOf(key)).execute()
