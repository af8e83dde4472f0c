import { MASTER } from '#contract/site.ts'
import { inTransaction } from '#server/db/db.ts'
import type { PaymentState } from '#server/db/tables.ts'
import type { AttemptKey } from '#server/gateways/payment/attempt-key.ts'
import type { DeclineClass } from '#server/gateways/payment/port.ts'
import { addJob } from '#server/jobs/queue.ts'
import { releaseClaims } from '#server/members/claims.ts'
import { AWAITING_GATEWAY, transition } from '#server/payments/payments.ts'
import type { World } from '#server/world/world.ts'

type Reason = DeclineClass | 'abandoned'

/**
 * Ends an attempt without a charge: frees the username and email, and deletes the visitor's details. False: the attempt
 * was no longer in one of the `from` states.
 */
export async function releaseAttempt(
  world: World,
  attempt: AttemptKey,
  reason: Reason,
  from: PaymentState[] = AWAITING_GATEWAY,
): Promise<boolean> {
  const ending = reason === 'abandoned' ? { state: reason } : { state: 'declined' as const, decline_class: reason }
  return inTransaction(world.db, async (db) => {
    const isReleased = await transition({ ...world, db }, attempt, from, {
      ...ending,
      details: null,
      password_hash: null,
    })
    if (isReleased) await releaseClaims(db, attempt.enrollment_id)
    return isReleased
  })
}

/** The same for a visitor who may have left the page: they learn by email that nothing was charged. */
export async function releaseAndEmail(
  world: World,
  attempt: AttemptKey,
  reason: Reason,
  from?: PaymentState[],
): Promise<boolean> {
  return inTransaction(world.db, async (db) => {
    const payment = await db
      .selectFrom('payment')
      .select('details')
      .where('enrollment_id', '=', attempt.enrollment_id)
      .where('attempt', '=', attempt.attempt)
      .forUpdate()
      .executeTakeFirst()
    const isReleased = await releaseAttempt({ ...world, db }, attempt, reason, from)
    if (!isReleased || !payment?.details) return false // it may even have been paid in the meantime
    const { email, first_name } = payment.details.member
    const sponsor = await db
      .selectFrom('sponsor')
      .select('site')
      .where('id', '=', payment.details.sponsor_id)
      .executeTakeFirst()
    const { enrollment_id } = attempt
    await addJob(db, 'unpaid', { enrollment_id, email, first_name, site: sponsor?.site ?? MASTER }, world.now())
    return true
  })
}
