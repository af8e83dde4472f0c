import type { Access } from '#contract/console/access.ts'
import type { ActionName } from '#contract/console/permissions.ts'
import type { PasskeyResponse } from '#contract/credentials.ts'
import { recordAction } from '#server/audit/audit.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { offerAppSecret } from '#server/members/credentials/authenticator-app.ts'
import { registrationOptions, verifyRegistration } from '#server/members/credentials/passkeys.ts'
import { Refusal } from '#server/refusal.ts'
import { rejectGuessablePassword } from '#server/secrets/common-passwords.ts'
import { dayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { passwordColumns, replaceRecoveryCodes } from './passwords.ts'
import { closeSessions, type StaffSession } from './session.ts'
import { storePasskey } from './staff-passkeys.ts'

/** A colleague's own ways to sign in. */

export async function viewAccess(world: World, { staff, key_hash }: StaffSession): Promise<Access> {
  const { db, now } = world
  const [passkeys, { password_hash }, recovery, sessions] = await Promise.all([
    passkeysOf(db, staff.id),
    db.selectFrom('staff').select('password_hash').where('id', '=', staff.id).executeTakeFirstOrThrow(),
    db.selectFrom('staff_recovery').select('key_hash').where('staff_id', '=', staff.id).execute(),
    db
      .selectFrom('console_session')
      .select('key_hash')
      .where('staff_id', '=', staff.id)
      .where('key_hash', '!=', key_hash)
      .where('idle_until', '>', now())
      .where('expires_at', '>', now())
      .execute(),
  ])
  return {
    passkeys: passkeys.map(({ credential_id, name, created_at, used_at }) => ({
      credential_id,
      name,
      created_on: dayOf(world, created_at),
      ...(used_at ? { used_on: dayOf(world, used_at) } : {}),
    })),
    has_password: password_hash !== null,
    recovery_codes_left: recovery.length,
    other_sessions: sessions.length,
  }
}

const passkeysOf = (db: Db, staff_id: string) =>
  db.selectFrom('staff_passkey').selectAll().where('staff_id', '=', staff_id).orderBy('created_at').execute()

const purposeOf = ({ staff }: StaffSession) => `staff ${staff.id}`

export const newPasskeyOptions = async (world: World, session: StaffSession) =>
  registrationOptions(world, {
    name: session.staff.name,
    email: session.staff.email,
    purpose: purposeOf(session),
    existing: await passkeysOf(world.db, session.staff.id),
  })

type NewPasskeyInput = { name: string; response: PasskeyResponse }

export async function addPasskey(world: World, { name, response }: NewPasskeyInput, session: StaffSession) {
  const passkey = await verifyRegistration(world, response, purposeOf(session))
  await changeAccess(world, session, 'add_passkey', async (world) => {
    await storePasskey(world, session.staff.id, name, passkey)
    return { passkey: passkey.credential_id.slice(0, 12) }
  })
  return viewAccess(world, session)
}

/** The last way in stays: without it, only an owner could help. */
export async function removePasskey(world: World, input: { credential_id: string }, session: StaffSession) {
  const { id } = session.staff
  await changeAccess(world, session, 'remove_passkey', async ({ db }) => {
    const { password_hash } = await lockStaff(db, id)
    const passkeys = await passkeysOf(db, id)
    if (!passkeys.some(({ credential_id }) => credential_id === input.credential_id))
      throw new Refusal(404, 'You have no such passkey.')
    if (passkeys.length === 1 && !password_hash)
      throw new Refusal(409, 'This is your only way to sign in. Add another passkey or a password first.')
    await db
      .deleteFrom('staff_passkey')
      .where('credential_id', '=', input.credential_id)
      .where('staff_id', '=', id)
      .execute()
    return { passkey: input.credential_id.slice(0, 12) }
  })
  return viewAccess(world, session)
}

const lockStaff = (db: Db, id: string) =>
  db.selectFrom('staff').select('password_hash').where('id', '=', id).forUpdate().executeTakeFirstOrThrow()

export const newAppSecret = (world: World, { staff }: StaffSession) => offerAppSecret(world, 'staff', staff.email)

type NewPassword = { password: string; sealed: string; code: string }

/** Anyone who knew the old password is signed out. */
export async function setPassword(world: World, input: NewPassword, session: StaffSession) {
  const { id, email, name } = session.staff
  rejectGuessablePassword(world, {
    password: input.password,
    email,
    username: '',
    first_name: name,
    last_name: '',
    business_name: '',
  })
  const columns = await passwordColumns(world, input)
  let recovery_codes: string[] = []
  await changeAccess(world, session, 'set_password', async (world) => {
    await world.db.updateTable('staff').set(columns).where('id', '=', id).execute()
    await closeSessions(world.db, id, session.key_hash)
    recovery_codes = await replaceRecoveryCodes(world, id)
    return {}
  })
  return { recovery_codes }
}

export async function makeRecoveryCodes(world: World, session: StaffSession) {
  let recovery_codes: string[] = []
  await changeAccess(world, session, 'new_recovery_codes', async (world) => {
    const { password_hash } = await lockStaff(world.db, session.staff.id)
    if (!password_hash) throw new Refusal(409, 'Recovery codes belong to a password. Set one first.')
    recovery_codes = await replaceRecoveryCodes(world, session.staff.id)
    return {}
  })
  return { recovery_codes }
}

export async function endOtherSessions(world: World, session: StaffSession): Promise<Access> {
  await closeSessions(world.db, session.staff.id, session.key_hash)
  return viewAccess(world, session)
}

/** A change and its audit row. `change` returns what the row says. */
const changeAccess = (
  world: World,
  { staff }: StaffSession,
  act: ActionName,
  change: (world: World) => Promise<Record<string, string>>,
): Promise<void> =>
  inTransaction(world.db, async (db) => {
    const inner = { ...world, db }
    const after = await change(inner)
    await recordAction(inner, {
      act,
      kind: 'security',
      actor: staff,
      subject_kind: 'staff',
      subject: staff.id,
      after,
    })
  })
