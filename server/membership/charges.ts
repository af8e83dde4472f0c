import { sql } from 'kysely'
import { type Brand, brands } from '#contract/card.ts'
import { toAmount } from '#contract/money.ts'
import type { Receipt } from '#contract/receipts.ts'
import { addDays } from '#contract/renewal.ts'
import type { Tables } from '#server/db/tables.ts'
import type { AttemptKey } from '#server/gateways/payment/attempt-key.ts'
import { dayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { isLastTry, LAST_DAY, TRY_ON_DAYS } from './next-step.ts'

/** A renewal with its period, membership and the card that was charged, as emails and receipts name it. */
export async function findCharge({ db }: Pick<World, 'db'>, { enrollment_id, attempt }: AttemptKey) {
  const row = await db
    .selectFrom('payment')
    .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .innerJoin('membership', 'membership.member_id', 'member.id')
    .innerJoin('period', (join) =>
      join.onRef('period.member_id', '=', 'member.id').onRef('period.n', '=', 'payment.period'),
    )
    .select(['reference', 'payment.amount_cents', 'updated_at', 'decline_class', 'declines', 'never_retry_since'])
    .select(['payment.card_brand', 'payment.card_last_four'])
    .select((row) => [
      row('payment.vault_reference', '=', row.ref('membership.vault_reference')).$castTo<boolean>().as('is_on_file'),
      'membership.card_brand as new_brand',
      'membership.card_last_four as new_last_four',
    ])
    .select('billing_interval')
    .select(['starts_on', 'ends_on', 'period.lines', 'period.state as period_state'])
    .where('payment.enrollment_id', '=', enrollment_id)
    .where('attempt', '=', attempt)
    .executeTakeFirstOrThrow()
  return {
    ...row,
    is_last_try: isLastTry(row),
    due_on: addDays(row.starts_on, TRY_ON_DAYS[row.declines] ?? LAST_DAY),
    gives_up_on: addDays(row.starts_on, LAST_DAY),
  }
}
export type Charge = Awaited<ReturnType<typeof findCharge>>

/** The renewals that a member has paid, newest first. */
export async function paidRenewals(
  world: Pick<World, 'config' | 'db'>,
  member_id: string,
): Promise<Omit<Receipt, 'credit_notes'>[]> {
  const rows = await world.db
    .selectFrom('payment')
    .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .innerJoin('period', (join) =>
      join.onRef('period.member_id', '=', 'member.id').onRef('period.n', '=', 'payment.period'),
    )
    .select(['reference', 'updated_at', 'starts_on', 'ends_on', 'payment.amount_cents', 'lines'])
    .select(['card_brand', 'card_last_four', 'card_expires', 'payment.state', 'disputed_at', 'dispute_won_at'])
    .select(disputeLostAt)
    .where('member.id', '=', member_id)
    .where('payment.period', '>', 0)
    .where('payment.state', 'in', ['captured', 'refunded', 'disputed'])
    .orderBy('payment.attempt', 'desc')
    .execute()
  return rows.map((row) => ({
    reference: row.reference,
    paid_on: dayOf(world, row.updated_at),
    starts_on: row.starts_on,
    ends_on: row.ends_on,
    lines: row.lines.map(({ name, renewal_cents }) => ({ name, price: toAmount(renewal_cents) })),
    total: toAmount(row.amount_cents),
    ...cardOf(row),
    ...outcomeOf(world, row),
  }))
}

type DisputeColumns = Pick<Tables['payment'], 'disputed_at' | 'dispute_won_at'>
type OutcomeColumns = DisputeColumns & Pick<Tables['payment'], 'state'> & { dispute_lost_at: Date | null }

/** What became of a charge, apart from refunds. */
export const outcomeOf = (world: Pick<World, 'config'>, payment: OutcomeColumns) => ({
  is_collected: payment.state !== 'capture_failed',
  ...disputeDays(world, payment),
  ...(payment.state === 'disputed' && payment.dispute_lost_at
    ? { dispute_lost_on: dayOf(world, payment.dispute_lost_at) }
    : {}),
})

/** When staff closed the dispute about a payment as lost, while the gateway's records still show it. */
export const disputeLostAt = sql<Date | null>`(
  select resolved_at from difference
  where difference.reference = payment.reference and kind = 'dispute' and is_lost and cleared_at is null)`.as(
  'dispute_lost_at',
)

export const disputeDays = (
  world: Pick<World, 'config'>,
  { disputed_at, dispute_won_at }: DisputeColumns,
): Pick<Receipt, 'disputed_on' | 'dispute_won_on'> => ({
  ...(disputed_at ? { disputed_on: dayOf(world, disputed_at) } : {}),
  ...(dispute_won_at ? { dispute_won_on: dayOf(world, dispute_won_at) } : {}),
})

type CardColumns = Pick<Tables['payment'], 'card_brand' | 'card_last_four' | 'card_expires'>

export const cardOf = ({ card_brand, card_last_four, card_expires }: CardColumns) =>
  card_brand && card_last_four && card_expires
    ? { card: { brand: brands[card_brand as Brand]?.name ?? 'Card', last_four: card_last_four, expires: card_expires } }
    : {}
