import { countRefusal } from '#server/abuse/limits.ts'
import { consumeKey, findUser } from '#server/db/one-time-keys.ts'
import { refuseFields } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import { rejectImpossible, storedNumber } from './numbers.ts'
import { missingCode } from './phone.ts'

/** A number to confirm, the enrollment it's for, and the enrollment in the cookie: two tabs may have different ones. */
type Confirming = { mobile_phone: string; enrollment_id: string; cookie: string | undefined }

/**
 * The phone must be verified if the operator requires it, or while too many cards are declined, overall or from the
 * visitor's network. A card tester cannot read the code; an honest visitor can. What is used right before the charge serves
 * no other enrollment.
 */
export async function requireVerifiedPhone(
  world: World,
  confirming: Confirming,
  { isTripped, isCharging = false }: { isTripped: () => boolean | Promise<boolean>; isCharging?: boolean },
) {
  const { PHONE_VERIFICATION } = world.config
  if (!PHONE_VERIFICATION && !(await isTripped())) return
  await rejectImpossible(confirming.mobile_phone)
  if (await (isCharging ? useUpConfirmation : isVerified)(world, confirming)) return
  if (PHONE_VERIFICATION) throw refuseFields({ mobile_phone: 'Please verify your mobile phone number.' })
  countRefusal('BREAKER_DECLINES')
  throw refuseFields(await missingCode(world, confirming.mobile_phone))
}

/**
 * Whether this number was confirmed for the enrollment, or for the one in the cookie. A confirmation that another
 * enrollment has used does not count.
 */
async function isVerified(world: World, confirming: Confirming): Promise<boolean> {
  const users = await Promise.all(
    (await confirmations(world, confirming)).map((key) => findUser(world.db, 'phone', key)),
  )
  return users.some((user) => user === undefined || user === confirming.enrollment_id)
}

/** The same, and from now on it serves this enrollment only. If several ask at the same time, one gets it. */
async function useUpConfirmation(world: World, confirming: Confirming): Promise<boolean> {
  const { db, now } = world
  const expires_at = new Date(now().getTime() + USED_DAYS * DAY_MS)
  const used_by = confirming.enrollment_id
  for (const key of await confirmations(world, confirming))
    if (
      (await consumeKey(db, { kind: 'phone', key, used_by, expires_at })) ||
      (await findUser(db, 'phone', key)) === used_by
    )
      return true
  return false
}

const DAY_MS = 86_400_000
/** Longer than a confirmation is kept. */
const USED_DAYS = 90

/** One key for each: confirming the number again with another code makes a new one. */
async function confirmations(world: World, { mobile_phone, enrollment_id, cookie }: Confirming) {
  const rows = await world.db
    .selectFrom('phone_check')
    .select(['enrollment_id', 'verified_at'])
    .where('enrollment_id', 'in', [enrollment_id, cookie ?? enrollment_id])
    .where('mobile_phone', '=', storedNumber(world, mobile_phone))
    .where('verified_at', 'is not', null)
    .execute()
  return rows.map((row) => `${row.enrollment_id} ${row.verified_at?.toISOString()}`)
}
