import { randomBytes } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { AppSecret } from '#contract/console-access-calls.ts'
import { countAgainstLimits, type LimitUse } from '#server/abuse/limits.ts'
import { brandOf } from '#server/brand/brand.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import { qrCodePath } from '#server/office/qr-code.ts'
import { refuseField } from '#server/refusal.ts'
import { STAFF_APP } from '#server/secrets/key-rows.ts'
import { hashPassword, verifyPassword } from '#server/secrets/password-hash.ts'
import { recordEvent } from '#server/security/security-log.ts'
import { type Address, networkOf } from '#server/visitor.ts'
import type { World } from '#server/world.ts'
import { appAddress, findStep, newSecret } from './totp.ts'

/** The way in without a passkey: a password and a code of an authenticator app, or a recovery code instead of that. */

/** Authenticator apps follow the real clock, also where ours was turned. */
const realTime = ({ now, testClock }: World) => new Date(now().getTime() - (testClock?.aheadMs() ?? 0))

/** A new secret, which becomes valid once a code of it comes back. */
export async function offerAppSecret(world: World, email: string): Promise<AppSecret> {
  const secret = newSecret()
  const { name: issuer } = (await brandOf(world)).page
  const { path, size } = qrCodePath(appAddress(secret, { issuer, email }))
  return { secret, qr_path: path, qr_size: size, sealed: world.keys.seal(STAFF_APP, secret) }
}

type NewPassword = { password: string; sealed: string; code: string }

/** The columns of a colleague who signs in with this password and app. The code proves that the app has the secret. */
export async function passwordColumns(world: World, { password, sealed, code }: NewPassword) {
  const secret = world.keys.unseal(STAFF_APP, sealed)
  const step = secret && findStep(secret, code, realTime(world), 0)
  if (!step) throw refuseField('code', 'This code is not correct. Enter the newest one that your app shows.')
  return {
    password_hash: await hashPassword(password, world.config, { lane: 'known', key: 'staff' }),
    totp_sealed: sealed,
    totp_step: step,
  }
}

type Credentials = Pick<Selectable<Tables['staff']>, 'id' | 'password_hash' | 'totp_sealed' | 'totp_step'>

/**
 * Whether password and code are right, within the limits for failures by address and by name. Both are always checked, so
 * that a stranger does not learn which was wrong. Each attempt counts as a failure until it succeeds.
 */
export async function tryPasswordAndCode(
  world: World,
  { name, password, code }: { name: string; password: string; code: string },
  staff: Credentials | undefined,
  { address, isSignedIn }: { address: Address; isSignedIn: boolean },
): Promise<boolean> {
  const byName: LimitUse = ['LIMIT_SIGN_INS_BY_NAME', `staff ${name}`]
  const failure = await countAgainstLimits(world, isSignedIn ? [byName] : [['LIMIT_SIGN_INS', address], byName])
  const applicant = { lane: isSignedIn ? 'known' : 'sign_in', key: networkOf({ address }) } as const
  let isCorrect: boolean | undefined
  try {
    const isPassword = await verifyPassword(password, staff?.password_hash ?? undefined, world.config, applicant)
    isCorrect = Boolean(staff && isPassword && (await redeemCode(world, staff, code)))
    if (!isCorrect) await recordEvent(world, { kind: 'staff_sign_in_failed', staff_id: staff?.id, address })
    return isCorrect
  } finally {
    if (isCorrect !== false) await failure.giveBack().catch(() => undefined) // also when we were too busy to check
  }
}

const redeemCode = async (world: World, staff: Credentials, code: string): Promise<boolean> =>
  /^\d{6}$/.test(code) ? redeemAppCode(world, staff, code) : redeemRecoveryCode(world, staff.id, code)

/** Of several requests with the same code, one succeeds. */
async function redeemAppCode(world: World, { id, totp_sealed, totp_step }: Credentials, code: string) {
  const secret = totp_sealed && world.keys.unseal(STAFF_APP, totp_sealed)
  const step = secret && findStep(secret, code, realTime(world), Number(totp_step))
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
    .where('key_hash', 'in', keys.hmacs('recovery codes', code))
    .executeTakeFirst()
  return numDeletedRows > 0
}

const RECOVERY_CODES = 10

/** Without letters and digits that look alike. 16 of them are 80 bits, too many to guess. */
const RECOVERY_ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'

/** Replaces the recovery codes, and returns the new ones, which cannot be shown again. */
export async function replaceRecoveryCodes(
  { db, keys }: Pick<World, 'db' | 'keys'>,
  staff_id: string,
): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    [...randomBytes(16)].map((byte) => RECOVERY_ALPHABET[byte & 31]).join(''),
  )
  await inTransaction(db, async (db: Db) => {
    await db.deleteFrom('staff_recovery').where('staff_id', '=', staff_id).execute()
    await db
      .insertInto('staff_recovery')
      .values(codes.map((code) => ({ staff_id, key_hash: keys.hmac('recovery codes', code) })))
      .execute()
  })
  return codes.map((code) => code.match(/.{4}/g)?.join('-') ?? code)
}
