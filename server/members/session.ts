import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#server/db/db.ts'
import type { MemberBrowser } from '#server/members/browser.ts'
import { Refusal } from '#server/refusal.ts'
import { sha256 } from '#server/secrets/secrets.ts'
import { recordEvent } from '#server/security/security-log.ts'
import type { World } from '#server/world/world.ts'
import { describeDevice } from './device.ts'
import type { Access } from './grant.ts'

const HOUR_MS = 3_600_000
/** About a working day. */
const SESSION_MS = 12 * HOUR_MS
/** Longer than a meal or a meeting; short enough for a shared computer that somebody has walked away from. */
const IDLE_MS = 2 * HOUR_MS
/** A session is written as used at most this often. */
const TOUCH_MS = 5 * 60_000
const MAX_SESSIONS = 20

type Session = { key: string; expires_at: Date }
type Credentials = { id: string; password_hash: string }

const later = (time: Date, ms: number) => new Date(time.getTime() + ms)

/** When a session was used last, true to a few minutes. */
export const lastUse = ({ idle_until }: { idle_until: Date }) => later(idle_until, -IDLE_MS)

/**
 * Opens a session, unless all sessions of the member have ended since the grant was made or the password was checked. The lock
 * on the member's row keeps those who end sessions from missing this one. The cookie gets a random key; we store only its hash.
 */
export async function openSession(
  { db, now }: Pick<World, 'db' | 'now'>,
  { agent }: Pick<MemberBrowser, 'agent'>,
  { id, access_version }: Access,
): Promise<Session | undefined> {
  const key = randomBytes(32).toString('base64url')
  const created_at = now()
  const expires_at = later(created_at, SESSION_MS)
  const { rows } = await sql`
    insert into office_session (id, key_hash, member_id, device, created_at, idle_until, expires_at)
    select cast(${randomUUID()} as uuid), ${sha256(key)}, id, ${describeDevice(agent)}, cast(${created_at} as timestamptz),
      cast(${later(created_at, IDLE_MS)} as timestamptz), cast(${expires_at} as timestamptz)
    from member where id = ${id} and access_version = ${access_version} and erased_at is null for share
    returning key_hash`.execute(db)
  return rows.length ? { key, expires_at } : undefined
}

/** Marks a browser as trusted by this member until the password changes. It does not reveal who the member is. */
export const browserMark = ({ keys }: World, { id, password_hash }: Credentials) =>
  keys.hmac('marks', markedText({ id, password_hash }))

/** Also a mark that was made before the keys changed. */
export const isBrowserMark = ({ keys }: World, member: Credentials, mark: string): boolean =>
  keys.isHmac('marks', markedText(member), mark)

const markedText = ({ id, password_hash }: Credentials) => `${id} ${password_hash}`

/** Sets the session cookie. Closes the browser's previous session, and the member's oldest ones if there are too many. */
export async function startSession(
  world: World,
  visitor: MemberBrowser,
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

/** The member of a valid session. A use moves the end of the idle time. */
export async function memberOfSession({ db, now }: World, key: string) {
  const time = now()
  const key_hash = sha256(key)
  const row = await db
    .selectFrom('office_session')
    .innerJoin('member', 'member.id', 'office_session.member_id')
    .select(['member.id', 'username', 'joined_at', 'office_session.created_at as signed_in_at', 'idle_until'])
    .where('key_hash', '=', key_hash)
    .where('expires_at', '>', time)
    .where('idle_until', '>', time)
    .executeTakeFirst()
  if (!row) return undefined
  const { idle_until, ...member } = row
  const next = later(time, IDLE_MS)
  if (next.getTime() - idle_until.getTime() > TOUCH_MS)
    await db.updateTable('office_session').set({ idle_until: next }).where('key_hash', '=', key_hash).execute()
  return member
}

/** The member who is signed in to this browser. */
export async function requireMember(world: World, { officeKey }: Pick<MemberBrowser, 'officeKey'>) {
  const member = officeKey ? await memberOfSession(world, officeKey) : undefined
  if (!member) throw new Refusal(401, 'Please sign in.')
  return member
}

/** The same, if the page shows this member: another member may have signed in since, in another tab. */
export async function requireDisplayedMember(world: World, displayed: { username: string }, visitor: MemberBrowser) {
  const member = await requireMember(world, visitor)
  if (member.username !== displayed.username)
    throw new Refusal(409, `${member.username} is now signed in to this browser. Please reload the page.`)
  return member
}

const closeSession = (db: Db, key: string) =>
  db.deleteFrom('office_session').where('key_hash', '=', sha256(key)).returning('member_id').executeTakeFirst()

export async function signOut(world: World, _input: object, visitor: MemberBrowser): Promise<void> {
  const { db } = world
  const { officeKey, address } = visitor
  const session = officeKey ? await closeSession(db, officeKey) : undefined
  if (session) {
    await revokeGrants(db, session.member_id).where('welcome_until', 'is not', null).execute()
    await recordEvent(world, { kind: 'session_ended', member_id: session.member_id, address })
  }
  visitor.clearOfficeCookie()
}

export async function signOutEverywhere(world: World, _input: object, visitor: MemberBrowser): Promise<void> {
  const { id } = await requireMember(world, visitor)
  await closeAllSessions(world.db, id)
  await recordEvent(world, { kind: 'sessions_ended', member_id: id, address: visitor.address })
  visitor.clearOfficeCookie()
}

/** Grants first: a session that one of them has opened just before is then closed too. */
export async function closeAllSessions(
  db: Db,
  member_id: string,
  except: Partial<Pick<MemberBrowser, 'officeKey'>> = {},
): Promise<Access> {
  const access = await revokeGrants(db, member_id).executeTakeFirstOrThrow()
  await db
    .deleteFrom('office_session')
    .where('member_id', '=', member_id)
    .where('key_hash', '!=', except.officeKey ? sha256(except.officeKey) : '')
    .execute()
  return access
}

/** Grants open nothing any more, and the page that has just enrolled this member gets no new ones. */
export const revokeGrants = (db: Db, id: string) =>
  db
    .updateTable('member')
    .set(({ eb }) => ({ welcome_until: null, access_version: eb('access_version', '+', 1) }))
    .where('id', '=', id)
    .returning(['id', 'access_version'])
