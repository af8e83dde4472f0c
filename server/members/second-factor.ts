import type { PasskeyResponse } from '#contract/credentials.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { addJob, type SecondFactorChange } from '#server/jobs/queue.ts'
import type { MemberBrowser } from '#server/members/browser.ts'
import { offerAppSecret, requireFirstCode } from '#server/members/credentials/authenticator-app.ts'
import { registrationOptions, requireStored, verifyRegistration } from '#server/members/credentials/passkeys.ts'
import { newRecoveryCodes } from '#server/members/credentials/recovery-codes.ts'
import { Refusal } from '#server/refusal.ts'
import { recordEvent } from '#server/security/security-log.ts'
import type { World } from '#server/world/world.ts'
import { requirePassword } from './details.ts'
import { describeDevice } from './device.ts'
import { factorsOf, isOn, lockMember, passkeysOf } from './factors.ts'
import { requireMember, revokeGrants } from './session.ts'

/** What a member changes about the second factor. Each change needs the current password, and is told by email. */

export async function newAppSecret(world: World, _input: object, visitor: MemberBrowser) {
  const { id } = await requireMember(world, visitor)
  const { email } = await world.db.selectFrom('member').select('email').where('id', '=', id).executeTakeFirstOrThrow()
  return offerAppSecret(world, 'member', email)
}

type Password = { current_password: string }

/** The new app replaces an earlier one. */
export async function turnOnApp(
  world: World,
  input: Password & { sealed: string; code: string },
  visitor: MemberBrowser,
) {
  const { id } = await requirePassword(world, input.current_password, visitor)
  const { sealed } = input
  const step = requireFirstCode(world, 'member', input)
  return changeFactor(world, { member_id: id, address: visitor.address }, 'app_on', async (db) => {
    const app = { sealed, step, created_at: world.now() }
    await db
      .insertInto('member_app')
      .values({ member_id: id, ...app })
      .onConflict((conflict) => conflict.column('member_id').doUpdateSet(app))
      .execute()
  })
}

export async function turnOffApp(world: World, input: Password, visitor: MemberBrowser) {
  const { id } = await requirePassword(world, input.current_password, visitor)
  return changeFactor(world, { member_id: id, address: visitor.address }, 'app_off', async (db) => {
    const { numDeletedRows } = await db.deleteFrom('member_app').where('member_id', '=', id).executeTakeFirst()
    if (!numDeletedRows) throw new Refusal(409, 'The authenticator app is off already. Please reload the page.')
  })
}

/** Only somebody who has entered the password gets a challenge, and it is void once the password is changed. */
const purposeOf = ({ id, access_version }: { id: string; access_version: number }) =>
  `new passkey of member ${id} ${access_version}`

export async function newPasskeyOptions(world: World, input: Password, visitor: MemberBrowser) {
  const member = await requirePassword(world, input.current_password, visitor)
  return registrationOptions(world, {
    name: `${member.first_name} ${member.last_name}`,
    email: member.email,
    purpose: purposeOf(member),
    existing: await passkeysOf(world.db, member.id),
  })
}

export async function addPasskey(world: World, input: { response: PasskeyResponse }, visitor: MemberBrowser) {
  const { id } = await requireMember(world, visitor)
  const member = await accessOf(world.db, id)
  const passkey = await verifyRegistration(world, input.response, purposeOf(member))
  return changeFactor(world, { member_id: id, address: visitor.address }, 'passkey_added', async (db) => {
    if ((await passkeysOf(db, id)).length >= MAX_PASSKEYS)
      throw new Refusal(409, `You have ${MAX_PASSKEYS} passkeys already. Please remove one first.`)
    const name = describeDevice(visitor.agent)
    const stored = await db
      .insertInto('member_passkey')
      .values({ ...passkey, member_id: id, name, created_at: world.now() })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    requireStored(stored)
  })
}
const MAX_PASSKEYS = 10

const accessOf = (db: Db, id: string) =>
  db.selectFrom('member').select(['id', 'access_version']).where('id', '=', id).executeTakeFirstOrThrow()

export async function removePasskey(world: World, input: Password & { credential_id: string }, visitor: MemberBrowser) {
  const { id } = await requirePassword(world, input.current_password, visitor)
  return changeFactor(world, { member_id: id, address: visitor.address }, 'passkey_removed', async (db) => {
    const { numDeletedRows } = await db
      .deleteFrom('member_passkey')
      .where('credential_id', '=', input.credential_id)
      .where('member_id', '=', id)
      .executeTakeFirst()
    if (!numDeletedRows) throw new Refusal(409, 'This passkey was removed already. Please reload the page.')
  })
}

export async function makeRecoveryCodes(world: World, input: Password, visitor: MemberBrowser) {
  const { id } = await requirePassword(world, input.current_password, visitor)
  return inTransaction(world.db, async (db) => {
    await lockMember(db, id)
    if (!isOn(await factorsOf(db, id))) throw new Refusal(409, 'Add an authenticator app or a passkey first.')
    await addJob(db, 'second_factor_changed', { member_id: id, change: 'new_recovery_codes' }, world.now())
    return { recovery_codes: await replaceRecoveryCodes({ ...world, db }, id) }
  })
}

/**
 * A change, its email, and the recovery codes: they come with the first factor and go with the last. The first also voids grants
 * and sign-ins that began before, which would open the office without it.
 */
const changeFactor = (
  world: World,
  { member_id, address }: { member_id: string; address: MemberBrowser['address'] },
  change: SecondFactorChange,
  work: (db: Db) => Promise<void>,
): Promise<{ recovery_codes?: string[] }> =>
  inTransaction(world.db, async (db) => {
    await lockMember(db, member_id)
    const wasOn = isOn(await factorsOf(db, member_id))
    await work(db)
    const isOnNow = isOn(await factorsOf(db, member_id))
    await addJob(db, 'second_factor_changed', { member_id, change }, world.now())
    const kind = change === 'app_on' || change === 'passkey_added' ? 'second_factor_on' : 'second_factor_off'
    await recordEvent({ ...world, db }, { kind, member_id, address, details: { change } })
    if (!isOnNow) await db.deleteFrom('member_recovery').where('member_id', '=', member_id).execute()
    if (wasOn || !isOnNow) return {}
    await revokeGrants(db, member_id).execute()
    return { recovery_codes: await replaceRecoveryCodes({ ...world, db }, member_id) }
  })

async function replaceRecoveryCodes({ db, keys }: Pick<World, 'db' | 'keys'>, member_id: string): Promise<string[]> {
  const { shown, hashes } = newRecoveryCodes(keys)
  await db.deleteFrom('member_recovery').where('member_id', '=', member_id).execute()
  await db
    .insertInto('member_recovery')
    .values(hashes.map((key_hash) => ({ member_id, key_hash })))
    .execute()
  return shown
}
