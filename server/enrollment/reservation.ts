import { totalOf } from '#server/catalog/catalog.ts'
import { type Db, inTransaction, isRejectedWrite } from '#server/db/db.ts'
import { askAgain } from '#server/db/outage.ts'
import { statement } from '#server/db/statement.ts'
import type { Details, Tables } from '#server/db/tables.ts'
import { type AttemptKey, referenceOf } from '#server/gateways/payment/attempt-key.ts'
import { leaseEnd } from '#server/gateways/payment/deadlines.ts'
import { claimsOf, conflictMessages } from '#server/members/claims.ts'
import { type Attempt, endedWithoutCharge, findAttempts } from '#server/payments/payments.ts'
import { refuseFields } from '#server/refusal.ts'
import { findTouches, rowsToAppend, type Touch } from '#server/sponsors/touches.ts'
import type { World } from '#server/world/world.ts'

/** What the attempt stores of an order, the sponsors' links that led to it, and the consent, stored before anyone can have accepted it. */
export type ScreenedOrder = { details: Details; touches: Touch[]; consent: Tables['legal_text'] }

/**
 * Claims username and email and writes the attempt, all or nothing. Returns nothing if the enrollment has another attempt
 * that is open or has succeeded.
 */
export async function reserve(
  world: World,
  key: AttemptKey,
  order: ScreenedOrder,
  password_hash: string,
): Promise<Attempt | undefined> {
  const { details } = order
  const amount_cents = totalOf(details.lines)
  const attempt = { ...key, amount_cents, details, password_hash, created_at: world.now() }
  const isReserved = await askAgain(
    async (isRepeat) =>
      (!isRepeat && (await reserveInOneStatement(world, attempt, order))) ||
      reserveInTransaction(world, attempt, order, isRepeat),
  )
  return isReserved ? attempt : undefined
}

/** The usual case: a first attempt whose username and email are free. False: nothing was written. */
async function reserveInOneStatement(
  world: World,
  attempt: Attempt,
  { touches, consent }: ScreenedOrder,
): Promise<boolean> {
  const { enrollment_id, created_at, details } = attempt
  const claims = claimsOf(enrollment_id, details.member)
  if (attempt.attempt > 1 || Object.keys(conflictMessages(claims, claims)).length) return false
  const enrollment = { id: enrollment_id, created_at }
  const newTouches = rowsToAppend(enrollment_id, [], touches)
  try {
    await insertReservation(world.db, { enrollment, claims, newTouches, consent, payment: paymentRow(world, attempt) })
    return true
  } catch (error) {
    if (isRejectedWrite(error)) return false
    throw error
  }
}

type Reservation = {
  enrollment: Pick<Tables['enrollment'], 'id' | 'created_at'>
  claims: Tables['claim'][]
  newTouches: Tables['sponsor_touch'][]
  consent: Tables['legal_text']
  payment: ReturnType<typeof paymentRow>
}
const insertReservation = statement((db, { enrollment, claims, newTouches, consent, payment }: Reservation) => {
  const query = db
    .with('new_enrollment', (cte) => cte.insertInto('enrollment').values(enrollment))
    .with('new_claims', (cte) => cte.insertInto('claim').values(claims))
    .with('new_text', (cte) =>
      cte
        .insertInto('legal_text')
        .values(consent)
        .onConflict((conflict) => conflict.doNothing()),
    )
  const withTouches = newTouches.length
    ? query.with('new_touches', (cte) => cte.insertInto('sponsor_touch').values(newTouches))
    : query
  return withTouches.insertInto('payment').values(payment)
})

const paymentRow = (world: World, attempt: Attempt) => ({
  ...attempt,
  reference: referenceOf(attempt),
  period: 0,
  state: 'reserved' as const,
  details: JSON.stringify(attempt.details),
  gateway: world.payment.name,
  leased_until: leaseEnd(world),
  updated_at: attempt.created_at,
})

/** Waits for other requests of this enrollment, and tells the visitor which of their names is taken. */
function reserveInTransaction(
  world: World,
  attempt: Attempt,
  { touches, consent }: ScreenedOrder,
  isRepeat: boolean,
): Promise<boolean> {
  const { enrollment_id, created_at, details } = attempt
  return inTransaction(world.db, async (db) => {
    const { isNew, attempts } = await lockEnrollment(db, enrollment_id, created_at)
    if (isRepeat && (await isWritten(db, attempt))) return true
    const mayFollow = attempts.every((earlier) => endedWithoutCharge(earlier) && earlier.attempt < attempt.attempt)
    if (!mayFollow) return false
    const claims = claimsOf(enrollment_id, details.member)
    const recorded = isNew ? [] : await findTouches(db, enrollment_id)
    const newTouches = rowsToAppend(enrollment_id, recorded, touches)
    const query = db
      .with('new_claims', (cte) =>
        cte
          .insertInto('claim')
          .values(claims)
          .onConflict((conflict) => conflict.doNothing())
          .returning('kind'),
      )
      .with('new_text', (cte) =>
        cte
          .insertInto('legal_text')
          .values(consent)
          .onConflict((conflict) => conflict.doNothing()),
      )
      .with('new_payment', (cte) => cte.insertInto('payment').values(paymentRow(world, attempt)))
    const withTouches = newTouches.length
      ? query.with('new_touches', (cte) => cte.insertInto('sponsor_touch').values(newTouches))
      : query
    const newClaims = await withTouches.selectFrom('new_claims').select('kind').execute()
    const conflicts = conflictMessages(claims, newClaims)
    if (Object.keys(conflicts).length) throw refuseFields(conflicts) // rolls everything back
    return true
  })
}

/** By a request of ours whose answer was lost: no other request has this hash of the password. */
const isWritten = async (db: Db, { enrollment_id, attempt, password_hash }: Attempt) =>
  (await db
    .selectFrom('payment')
    .select('attempt')
    .where('enrollment_id', '=', enrollment_id)
    .where('attempt', '=', attempt)
    .where('state', '=', 'reserved')
    .where('password_hash', '=', password_hash)
    .executeTakeFirst()) !== undefined

/** Creates the enrollment if it is new, locks it until the transaction ends, and returns its earlier attempts. */
async function lockEnrollment(db: Db, id: string, created_at: Date) {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('enrollment')
    .values({ id, created_at })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (Number(numInsertedOrUpdatedRows) === 1) return { isNew: true, attempts: [] }
  await db.selectFrom('enrollment').select('id').where('id', '=', id).forUpdate().execute()
  return { isNew: false, attempts: await findAttempts(db, id) }
}
