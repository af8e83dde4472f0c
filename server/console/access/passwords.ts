import type { Selectable } from 'kysely'
import { countAgainstLimits, type LimitUse } from '#server/abuse/limits.ts'
import { type Address, networkOf } from '#server/client.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import { findAppStep, requireFirstCode } from '#server/members/credentials/authenticator-app.ts'
import { newRecoveryCodes, recoveryHashes } from '#server/members/credentials/recovery-codes.ts'
import { isOurFailure } from '#server/refusal.ts'
import { hashPassword, verifyPassword } from '#server/secrets/password-hash.ts'
import { recordEvent } from '#server/security/security-log.ts'
import type { World } from '#server/world/world.ts'
import { warnOf } from './warnings.ts'

/** The way in without a passkey: a password and a code of an authenticator app, or a recovery code instead of that. */

type NewPassword = { password: string; sealed: string; code: string }

/** The columns of a colleague who signs in with this password and app. The code proves that the app has the secret. */
export async function passwordColumns(world: World, { password, sealed, code }: NewPassword) {
  const step = requireFirstCode(world, 'staff', { sealed, code })
  return {
    password_hash: await hashPassword(password, world.config, { lane: 'known', key: 'staff' }),
    totp_sealed: sealed,
    totp_step: step,
  }
}

type Credentials = Pick<Selectable<Tables['staff']>, 'id' | 'password_hash' | 'totp_sealed' | 'totp_step'>

/**
 * Whether password and code are right, within the limits for failures. Both are always checked, so that a stranger does not
 * learn which was wrong. Each attempt counts as a failure until it succeeds. Strangers share a few guesses a day at each
 * person; each known browser and each session has its own, so that neither strangers nor the thief of one locks a colleague
 * out of the others.
 */
export async function tryPasswordAndCode(
  world: World,
  { name, password, code }: { name: string; password: string; code: string },
  staff: Credentials | undefined,
  { address, known_by }: { address: Address; known_by: string | undefined },
): Promise<boolean> {
  const first = known_by ? undefined : await countAgainstLimits(world, [['LIMIT_SIGN_INS', address]])
  const aDay: LimitUse = ['LIMIT_SECOND_FACTORS', known_by ? `staff ${name} ${known_by}` : `staff ${name}`]
  const second = await countAgainstLimits(world, [aDay]).catch(async (error: unknown) => {
    if (isOurFailure(error)) await first?.giveBack().catch(() => undefined)
    else if (staff) await warnOf(world, 'staff_guesses', staff.id)
    throw error
  })
  const giveBack = () => Promise.all([first?.giveBack(), second.giveBack()]).catch(() => undefined)
  const applicant = { lane: known_by ? 'known' : 'sign_in', key: networkOf({ address }) } as const
  let isCorrect: boolean | undefined
  try {
    const isPassword = await verifyPassword(password, staff?.password_hash ?? undefined, world.config, applicant)
    isCorrect = Boolean(staff && isPassword && (await redeemCode(world, staff, code)))
    if (!isCorrect) await recordEvent(world, { kind: 'staff_sign_in_failed', staff_id: staff?.id, address })
    return isCorrect
  } finally {
    if (isCorrect !== false) await giveBack() // even when we were too busy to check
  }
}

const redeemCode = async (world: World, staff: Credentials, code: string): Promise<boolean> =>
  /^\d{6}$/.test(code) ? redeemAppCode(world, staff, code) : redeemRecoveryCode(world, staff.id, code)

/** Of several requests with the same code, one succeeds. */
async function redeemAppCode(world: World, { id, totp_sealed, totp_step }: Credentials, code: string) {
  const step = totp_sealed && findAppStep(world, 'staff', { sealed: totp_sealed, step: totp_step }, code)
  if (!step) return false
  const { numUpdatedRows } = await world.db
    .updateTable('staff')
    .set({ totp_step: step })
    .where('id', '=', id)
    .where('totp_step', '<', step)
    .executeTakeFirst()
  return numUpdatedRows > 0
}

async function redeemRecoveryCode({ db, keys }: World, staff_id: string, code: string) {
  const { numDeletedRows } = await db
    .deleteFrom('staff_recovery')
    .where('staff_id', '=', staff_id)
    .where('key_hash', 'in', recoveryHashes(keys, code))
    .executeTakeFirst()
  return numDeletedRows > 0
}

/** Replaces the recovery codes, and returns the new ones, which cannot be shown again. */
export async function replaceRecoveryCodes(
  { db, keys }: Pick<World, 'db' | 'keys'>,
  staff_id: string,
): Promise<string[]> {
  const { shown, hashes } = newRecoveryCodes(keys)
  await inTransaction(db, async (db: Db) => {
    await db.deleteFrom('staff_recovery').where('staff_id', '=', staff_id).execute()
    await db
      .insertInto('staff_recovery')
      .values(hashes.map((key_hash) => ({ staff_id, key_hash })))
      .execute()
  })
  return shown
}
