import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { Refusal } from '#server/refusal.ts'
import type { Visitor } from '#server/visitor.ts'
import type { World } from '#server/world.ts'

const HOURS_OPEN = 12

const hashOf = (key: string) => createHash('sha256').update(key).digest('base64url')

type Session = { key: string; expires_at: Date }

/** Lets a member in: a random word for the cookie, its hash for us. */
export async function openSession({ db, now }: World, member_id: string): Promise<Session> {
  const { key, created_at, expires_at } = newSession(now())
  await db
    .insertInto('office_session')
    .values({ key_hash: hashOf(key), member_id, created_at, expires_at })
    .execute()
  return { key, expires_at }
}

/**
 * Lets somebody in by password, unless it was changed while they waited. The row of the member is held for that: whoever
 * changes the password ends all sessions, and this one must not slip in between.
 */
export async function openSessionWith(
  { db, now }: World,
  member: { id: string; password_hash: string },
): Promise<Session | undefined> {
  const { key, created_at, expires_at } = newSession(now())
  const opened = await sql`
    insert into office_session (key_hash, member_id, created_at, expires_at)
    select ${hashOf(key)}, id, cast(${created_at} as timestamptz), cast(${expires_at} as timestamptz) from member
    where id = ${member.id} and password_hash = ${member.password_hash} for share
    returning key_hash`.execute(db)
  return opened.rows.length ? { key, expires_at } : undefined
}

const newSession = (created_at: Date) => ({
  key: randomBytes(32).toString('base64url'),
  created_at,
  expires_at: new Date(created_at.getTime() + HOURS_OPEN * 3_600_000),
})

/** Gives a browser its new word. The old one, if it had one, opens nothing any more. */
export async function handOver(world: World, visitor: Visitor, { key, expires_at }: Session): Promise<void> {
  if (visitor.officeKey) await closeSession(world, visitor.officeKey)
  visitor.letIn(key, expires_at)
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

/** The member who is signed in in this browser. */
export async function requireMember(world: World, { officeKey }: Visitor) {
  const member = officeKey ? await memberBehind(world, officeKey) : undefined
  if (!member) throw new Refusal(401, 'Please sign in.')
  return member
}

/** Sign out: the word opens nothing any more. */
export const closeSession = ({ db }: Pick<World, 'db'>, key: string) =>
  db.deleteFrom('office_session').where('key_hash', '=', hashOf(key)).execute()

/** Sign out in every browser. */
export const closeAllSessions = ({ db }: Pick<World, 'db'>, member_id: string) =>
  db.deleteFrom('office_session').where('member_id', '=', member_id).execute()
