import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#server/db/db.ts'
import { Refusal } from '#server/refusal.ts'
import { sha256 } from '#server/secrets/secrets.ts'
import type { Visitor } from '#server/visitor.ts'
import type { World } from '#server/world.ts'

const SESSION_HOURS = 12
const MAX_SESSIONS = 20

type Session = { key: string; expires_at: Date }
type Credentials = { id: string; password_hash: string }

/** The cookie gets a random key. We store only its hash. */
export async function openSession({ db, now }: World, member_id: string): Promise<Session> {
  const { key, created_at, expires_at } = newSession(now())
  await db
    .insertInto('office_session')
    .values({ key_hash: sha256(key), member_id, created_at, expires_at })
    .execute()
  return { key, expires_at }
}

/**
 * Opens a session only if the password has not been changed since it was verified. The lock on the member's row keeps a
 * password change, which closes all sessions, from missing this one.
 */
export async function openSessionByPassword({ db, now }: World, member: Credentials): Promise<Session | undefined> {
  const { key, created_at, expires_at } = newSession(now())
  const { rows } = await sql`
    insert into office_session (key_hash, member_id, created_at, expires_at)
    select ${sha256(key)}, id, cast(${created_at} as timestamptz), cast(${expires_at} as timestamptz) from member
    where id = ${member.id} and password_hash = ${member.password_hash} for share
    returning key_hash`.execute(db)
  return rows.length ? { key, expires_at } : undefined
}

const newSession = (created_at: Date) => ({
  key: randomBytes(32).toString('base64url'),
  created_at,
  expires_at: new Date(created_at.getTime() + SESSION_HOURS * 3_600_000),
})

/** Marks a browser as trusted by this member until the password changes. It does not reveal who the member is. */
export const browserMark = ({ keys }: World, { id, password_hash }: Credentials) =>
  keys.hmac('marks', `${id} ${password_hash}`)

/** Sets the session cookie. Closes the browser's previous session, and the member's oldest ones if there are too many. */
export async function startSession(
  world: World,
  visitor: Visitor,
  member: Credentials,
  session: Session,
): Promise<void> {
  if (visitor.officeKey) await closeSession(world.db, visitor.officeKey)
  await sql`
    delete from office_session where key_hash in (
      select key_hash from office_session where member_id = ${member.id}
      order by created_at desc offset ${MAX_SESSIONS})`.execute(world.db)
  visitor.setOfficeCookie(browserMark(world, member), session)
  await world.db
    .insertInto('member_event')
    .values({ member_id: member.id, at: world.now(), kind: 'sign_in', what: '' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The member of a valid session. */
export const memberOfSession = ({ db, now }: World, key: string) =>
  db
    .selectFrom('office_session')
    .innerJoin('member', 'member.id', 'office_session.member_id')
    .select(['member.id', 'username', 'joined_at', 'office_session.created_at as signed_in_at'])
    .where('key_hash', '=', sha256(key))
    .where('expires_at', '>', now())
    .executeTakeFirst()

/** The member who is signed in to this browser. */
export async function requireMember(world: World, { officeKey }: Visitor) {
  const member = officeKey ? await memberOfSession(world, officeKey) : undefined
  if (!member) throw new Refusal(401, 'Please sign in.')
  return member
}

/** The same, if the page shows this member: another member may have signed in since, in another tab. */
export async function requireDisplayedMember(world: World, displayed: { username: string }, visitor: Visitor) {
  const member = await requireMember(world, visitor)
  if (member.username !== displayed.username)
    throw new Refusal(409, `${member.username} is now signed in to this browser. Please reload the page.`)
  return member
}

const closeSession = (db: Db, key: string) =>
  db.deleteFrom('office_session').where('key_hash', '=', sha256(key)).returning('member_id').executeTakeFirst()

export async function signOut({ db }: World, _input: object, visitor: Visitor): Promise<void> {
  const session = visitor.officeKey ? await closeSession(db, visitor.officeKey) : undefined
  if (session) await endWelcome(db, session.member_id)
  visitor.clearOfficeCookie()
}

export async function signOutEverywhere(world: World, _input: object, visitor: Visitor): Promise<void> {
  const { id } = await requireMember(world, visitor)
  await closeAllSessions(world.db, id)
  visitor.clearOfficeCookie()
}

export async function closeAllSessions(db: Db, member_id: string): Promise<void> {
  await db.deleteFrom('office_session').where('member_id', '=', member_id).execute()
  await endWelcome(db, member_id)
}

/** The page that has just enrolled this member can no longer open the office. */
const endWelcome = (db: Db, id: string) =>
  db.updateTable('member').set({ welcome_until: null }).where('id', '=', id).execute()
