import type { SecurityView } from '#contract/office/security.ts'
import type { MemberBrowser } from '#server/members/browser.ts'
import { sha256 } from '#server/secrets/secrets.ts'
import { recordEvent } from '#server/security/security-log.ts'
import { dayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { factorsOf, passkeysOf } from './factors.ts'
import { closeAllSessions, lastUse, requireMember } from './session.ts'

type ThisBrowser = Pick<MemberBrowser, 'officeKey'>

/** Where a member is signed in, and how. */
export async function viewSecurity(world: World, member_id: string, browser: ThisBrowser): Promise<SecurityView> {
  const { db } = world
  const [member, sessions, { has_app }, passkeys, recovery] = await Promise.all([
    db.selectFrom('member').select(['username', 'email']).where('id', '=', member_id).executeTakeFirstOrThrow(),
    sessionsOf(world, member_id, browser),
    factorsOf(db, member_id),
    passkeysOf(db, member_id),
    db.selectFrom('member_recovery').select('key_hash').where('member_id', '=', member_id).execute(),
  ])
  return {
    ...member,
    time_zone: world.config.TIME_ZONE,
    sessions,
    has_app,
    passkeys: passkeys.map(({ credential_id, name, created_at, used_at }) => ({
      credential_id,
      name,
      created_on: dayOf(world, created_at),
      ...(used_at ? { used_on: dayOf(world, used_at) } : {}),
    })),
    recovery_codes_left: recovery.length,
  }
}

/** This browser first, then by last use. */
async function sessionsOf({ db, now }: World, member_id: string, { officeKey = '' }: ThisBrowser) {
  const rows = await db
    .selectFrom('office_session')
    .select(['id', 'key_hash', 'device', 'created_at', 'idle_until'])
    .where('member_id', '=', member_id)
    .where('expires_at', '>', now())
    .where('idle_until', '>', now())
    .orderBy('idle_until', 'desc')
    .orderBy('created_at', 'desc')
    .execute()
  return rows
    .map(({ id, key_hash, device, created_at, idle_until }) => ({
      id,
      device,
      signed_in_at: created_at.toISOString(),
      used_at: lastUse({ idle_until }).toISOString(),
      is_this: key_hash === sha256(officeKey),
    }))
    .sort((one, other) => Number(other.is_this) - Number(one.is_this))
}

/** Ends one of the member's other sessions. One that has ended by now is just as well. */
export async function endSession(world: World, { id }: { id: string }, visitor: MemberBrowser): Promise<SecurityView> {
  const member = await requireMember(world, visitor)
  const { numDeletedRows } = await world.db
    .deleteFrom('office_session')
    .where('id', '=', id)
    .where('member_id', '=', member.id)
    .where('key_hash', '!=', sha256(visitor.officeKey ?? ''))
    .executeTakeFirst()
  if (numDeletedRows > 0)
    await recordEvent(world, { kind: 'session_ended', member_id: member.id, address: visitor.address })
  return viewSecurity(world, member.id, visitor)
}

export async function endOtherSessions(world: World, _input: object, visitor: MemberBrowser): Promise<SecurityView> {
  const { id } = await requireMember(world, visitor)
  await closeAllSessions(world.db, id, visitor)
  const details = { except_this: true }
  await recordEvent(world, { kind: 'sessions_ended', member_id: id, address: visitor.address, details })
  return viewSecurity(world, id, visitor)
}
