import { randomBytes } from 'node:crypto'
import type { ConsoleSession, Staff } from '#contract/console/access.ts'
import { mayDo } from '#contract/console/permissions.ts'
import { keptElsewhere } from '#server/config/operator.ts'
import type { StaffBrowser } from '#server/console/access/browser.ts'
import type { Db } from '#server/db/db.ts'
import { sha256 } from '#server/secrets/secrets.ts'
import { hashNetwork } from '#server/security/security-log.ts'
import { todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { findRestrictions } from '../abuse/abuse.ts'
import { countProblems } from '../overview/problems.ts'

const MINUTE_MS = 60_000
/** PCI DSS 8.2.8 asks for it, because staff can move money. */
const IDLE_MINUTES = 15
const PROOF_MINUTES = 10
const SESSION_HOURS = 12

/** A session is written as used at most this often. */
const TOUCH_MS = MINUTE_MS

export type Method = 'passkey' | 'password'

export type StaffSession = {
  /** With a keyed hash of the network, for the audit log. */
  staff: Staff & { network: string }
  key_hash: string
  method: Method
  /** Whether this person has proved who they are within the last minutes. */
  isProved: boolean
}

const later = (time: Date, minutes: number) => new Date(time.getTime() + minutes * MINUTE_MS)

/** The cookie gets a random key. Only its hash is stored. Signing in is also a proof. */
export async function openSession(
  { db, now }: Pick<World, 'db' | 'now'>,
  staff_id: string,
  method: Method,
): Promise<{ key: string; expires_at: Date }> {
  const key = randomBytes(32).toString('base64url')
  const created_at = now()
  const expires_at = later(created_at, SESSION_HOURS * 60)
  await db
    .insertInto('console_session')
    .values({
      key_hash: sha256(key),
      staff_id,
      method,
      created_at,
      idle_until: later(created_at, IDLE_MINUTES),
      proved_until: later(created_at, PROOF_MINUTES),
      expires_at,
    })
    .execute()
  return { key, expires_at }
}

/** The colleague who is signed in with this cookie. Calls that a person makes keep the session alive; those the page makes by itself don't. */
export async function findSession(
  { db, keys, now }: World,
  { consoleKey, address }: Pick<StaffBrowser, 'consoleKey' | 'address'>,
  { isUse = true } = {},
): Promise<StaffSession | undefined> {
  if (!consoleKey) return undefined
  const time = now()
  const key_hash = sha256(consoleKey)
  const row = await db
    .selectFrom('console_session')
    .innerJoin('staff', 'staff.id', 'console_session.staff_id')
    .select(['staff.id', 'staff.name', 'staff.email', 'staff.role', 'method', 'idle_until', 'proved_until'])
    .where('key_hash', '=', key_hash)
    .where('expires_at', '>', time)
    .where('idle_until', '>', time)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  if (!row) return undefined
  const idle_until = later(time, IDLE_MINUTES)
  if (isUse && idle_until.getTime() - row.idle_until.getTime() > TOUCH_MS)
    await db.updateTable('console_session').set({ idle_until }).where('key_hash', '=', key_hash).execute()
  const { id, name, email, role, method, proved_until } = row
  return {
    staff: { id, name, email, role, network: hashNetwork(keys, address) },
    key_hash,
    method,
    isProved: proved_until > time,
  }
}

export const recordProof = ({ db, now }: World, { key_hash }: StaffSession) =>
  db
    .updateTable('console_session')
    .set({ proved_until: later(now(), PROOF_MINUTES) })
    .where('key_hash', '=', key_hash)
    .execute()

/** Sets the cookie and closes the session that this browser had before. */
export async function startSession(
  world: World,
  visitor: StaffBrowser,
  staff_id: string,
  session: { key: string; expires_at: Date },
) {
  await closeSession(world.db, visitor)
  visitor.setConsoleCookie(session, world.keys.hmac('marks', markedText(staff_id)))
}

/** Whether this colleague has signed in with this browser before. */
export const isTrusted = ({ keys }: World, staff_id: string, { trustedBrowser }: StaffBrowser): boolean =>
  trustedBrowser !== undefined && keys.isHmac('marks', markedText(staff_id), trustedBrowser.mark)

const markedText = (staff_id: string) => `staff ${staff_id}`

const closeSession = async (db: Db, { consoleKey }: StaffBrowser) => {
  if (consoleKey) await db.deleteFrom('console_session').where('key_hash', '=', sha256(consoleKey)).execute()
}

export async function signOut({ db }: World, _input: object, visitor: StaffBrowser): Promise<void> {
  await closeSession(db, visitor)
  visitor.clearConsoleCookie()
}

/** All sessions of a colleague, or all but one. */
export const closeSessions = (db: Db, staff_id: string, exceptKeyHash = '') =>
  db.deleteFrom('console_session').where('staff_id', '=', staff_id).where('key_hash', '!=', exceptKeyHash).execute()

/** What the page has to know of a session. */
export async function viewSession(world: World, session?: { staff: Staff; method: Method }): Promise<ConsoleSession> {
  const site = { time_zone: world.config.TIME_ZONE, today: todayOf(world) }
  if (!session) return site
  const { method } = session
  const { id, name, email, role } = session.staff
  const staff = { id, name, email, role }
  const elsewhere = keptElsewhere(world.config)
  const problems = mayDo(staff.role, 'see_problems') && !elsewhere ? { problems: await countProblems(world) } : {}
  return {
    ...site,
    ...(elsewhere ? { elsewhere } : {}),
    staff,
    method,
    ...problems,
    restrictions: await findRestrictions(world),
  }
}
