import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#server/db/db.ts'
import type { Visitor } from '#server/enrollment/visitor.ts'
import { Refusal } from '#server/refusal.ts'
import { sha256 } from '#server/secrets/secrets.ts'
import type { World } from '#server/world.ts'

const HOURS_OPEN = 12

type Session = { key: string; expires_at: Date }
type Keyed = { id: string; password_hash: string }

/** Lets a member in: a random word for the cookie, its hash for us. */
export async function openSession({ db, now }: World, member_id: string): Promise<Session> {
  const { key, created_at, expires_at } = newSession(now())
  await db
    .insertInto('office_session')
    .values({ key_hash: sha256(key), member_id, created_at, expires_at })
    .execute()
  return { key, expires_at }
}

/**
 * Lets somebody in by password, unless it was changed while they waited. The row of the member is held for that: whoever
 * changes the password ends all sessions, and this one must not slip in between.
 */
export async function openSessionByPassword({ db, now }: World, member: Keyed): Promise<Session | undefined> {
  const { key, created_at, expires_at } = newSession(now())
  const opened = await sql`
    insert into office_session (key_hash, member_id, created_at, expires_at)
    select ${sha256(key)}, id, cast(${created_at} as timestamptz), cast(${expires_at} as timestamptz) from member
    where id = ${member.id} and password_hash = ${member.password_hash} for share
    returning key_hash`.execute(db)
  return opened.rows.length ? { key, expires_at } : undefined
}

const newSession = (created_at: Date) => ({
  key: randomBytes(32).toString('base64url'),
  created_at,
  expires_at: new Date(created_at.getTime() + HOURS_OPEN * 3_600_000),
})

const MOST_OPEN = 20

/** What the browser of a member is known by until the password changes. It tells nobody who they are. */
export const browserMark = ({ keys }: World, { id, password_hash }: Keyed) =>
  keys.hmac('marks', `${id} ${password_hash}`)

/** Gives a member's browser its new word. The old one, if it had one, opens nothing any more; nor does the oldest of too many. */
export async function startSession(world: World, visitor: Visitor, member: Keyed, session: Session): Promise<void> {
  if (visitor.officeKey) await closeSession(world.db, visitor.officeKey)
  await sql`
    delete from office_session where key_hash in (
      select key_hash from office_session where member_id = ${member.id}
      order by created_at desc offset ${MOST_OPEN})`.execute(world.db)
  visitor.setOfficeCookie(browserMark(world, member), session)
}

/** The member behind a cookie's word. */
export const memberOfSession = ({ db, now }: World, key: string) =>
  db
    .selectFrom('office_session')
    .innerJoin('member', 'member.id', 'office_session.member_id')
    .select(['member.id', 'username', 'joined_at'])
    .where('key_hash', '=', sha256(key))
    .where('expires_at', '>', now())
    .executeTakeFirst()

/** The member who is signed in in this browser. */
export async function requireMember(world: World, { officeKey }: Visitor) {
  const member = officeKey ? await memberOfSession(world, officeKey) : undefined
  if (!member) throw new Refusal(401, 'Please sign in.')
  return member
}

/** The same, if it is still the one whom the page shows: somebody else may have signed in in another tab. */
export async function requireDisplayedMember(world: World, shown: { username: string }, visitor: Visitor) {
  const member = await requireMember(world, visitor)
  if (member.username !== shown.username)
    throw new Refusal(409, `${member.username} is signed in here now. Please load this page again.`)
  return member
}

const closeSession = (db: Db, key: string) =>
  db.deleteFrom('office_session').where('key_hash', '=', sha256(key)).returning('member_id').executeTakeFirst()

/** Sign out: the word opens nothing any more, nor does the page in this browser that may have paid a moment ago. */
export async function signOut({ db }: World, key: string): Promise<void> {
  const left = await closeSession(db, key)
  if (left) await endWelcome(db, left.member_id)
}

/** Sign out in every browser. */
export async function closeAllSessions(db: Db, member_id: string): Promise<void> {
  await db.deleteFrom('office_session').where('member_id', '=', member_id).execute()
  await endWelcome(db, member_id)
}

const endWelcome = (db: Db, id: string) =>
  db.updateTable('member').set({ welcome_until: null }).where('id', '=', id).execute()
