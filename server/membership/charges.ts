import { addDays, monthlyTotal } from '#contract/renewal.ts'
import type { AttemptKey } from '#server/payments/attempt-key.ts'
import type { World } from '#server/world.ts'
import { isLastTry, LAST_DAY, TRY_ON_DAYS } from './next-step.ts'

/** A renewal with its period and membership, as emails and receipts name it. */
export async function findCharge({ db }: Pick<World, 'db'>, { enrollment_id, attempt }: AttemptKey) {
  const row = await db
    .selectFrom('payment')
    .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .innerJoin('membership', 'membership.member_id', 'member.id')
    .innerJoin('period', (join) =>
      join.onRef('period.member_id', '=', 'member.id').onRef('period.n', '=', 'payment.period'),
    )
    .select(['reference', 'payment.amount_cents', 'updated_at', 'decline_class', 'declines', 'never_retry_since'])
    .select(['membership.card_brand', 'membership.card_last_four', 'membership.lines as membership_lines'])
    .select(['starts_on', 'ends_on', 'period.lines', 'period.state as period_state'])
    .where('payment.enrollment_id', '=', enrollment_id)
    .where('attempt', '=', attempt)
    .executeTakeFirstOrThrow()
  return {
    ...row,
    monthly_cents: monthlyTotal(row.membership_lines),
    is_last_try: isLastTry(row),
    due_on: addDays(row.starts_on, TRY_ON_DAYS[row.declines] ?? LAST_DAY),
    gives_up_on: addDays(row.starts_on, LAST_DAY),
  }
}
export type Charge = Awaited<ReturnType<typeof findCharge>>
