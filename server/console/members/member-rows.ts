import type { Db } from '#server/db/db.ts'
import { stateSql } from '#server/membership/state.ts'

/** The rows that a member's page and timeline are made of. */

export const findMember = (db: Db, member_id: string) =>
  db
    .selectFrom('member')
    .innerJoin('membership', 'membership.member_id', 'member.id')
    .innerJoin('sponsor', 'sponsor.id', 'member.sponsor_id')
    .leftJoin('sponsor as joined', 'joined.id', 'member.joined_sponsor_id')
    .leftJoin('period', (join) =>
      join.onRef('period.member_id', '=', 'membership.member_id').onRef('period.n', '=', 'membership.period'),
    )
    .select(['enrollment_id', 'first_name', 'last_name', 'business_name', 'username', 'email', 'mobile_phone'])
    .select(['email_confirmed_at', 'email_bounced_at', 'email_bounce'])
    .select(['address', 'address2', 'city', 'member.state as address_state', 'post_code', 'country'])
    .select(['member.joined_at', 'cancelled_at', 'ends_at', 'sponsor.site', 'sponsor.name as sponsor_name'])
    .select(['joined.site as joined_site', 'joined.name as joined_name', 'touches', 'touch_seal', 'erased_at'])
    .select([
      'membership.lines',
      'billing_interval',
      'due_at',
      'on_hold_since',
      'hold_reason',
      'card_brand',
      'card_last_four',
    ])
    .select(['card_expires', 'starts_on', 'ends_on', 'period.state as period_state', 'free_days'])
    .select(['anchor_on', 'anchor_period', 'membership.period', 'waived_period', 'declines', 'never_retry_since'])
    .select(stateSql.as('state'))
    .where('member.id', '=', member_id)
    .executeTakeFirst()
export type FoundMember = NonNullable<Awaited<ReturnType<typeof findMember>>> & { id: string }

export const paymentsOf = (db: Db, enrollment_id: string) =>
  db
    .selectFrom('payment')
    .select(['reference', 'attempt', 'period', 'state', 'amount_cents', 'refunded_cents', 'created_at', 'updated_at'])
    .select(['card_brand', 'card_last_four', 'decline_class', 'issuer_code', 'disputed_at', 'dispute_won_at'])
    .where('enrollment_id', '=', enrollment_id)
    .orderBy('attempt', 'desc')
    .execute()
export type FoundPayment = Awaited<ReturnType<typeof paymentsOf>>[number]

export const refundsOf = (db: Db, enrollment_id: string) =>
  db
    .selectFrom('refund')
    .innerJoin('payment', 'payment.reference', 'refund.payment_reference')
    .selectAll('refund')
    .where('enrollment_id', '=', enrollment_id)
    .orderBy('refund.created_at')
    .execute()
export type FoundRefund = Awaited<ReturnType<typeof refundsOf>>[number]

/** Whether a charge was canceled before it was collected. */
export const isVoided = ({ reference }: Pick<FoundPayment, 'reference'>, refunds: FoundRefund[]): boolean =>
  refunds.some(
    ({ payment_reference, is_void, state }) => payment_reference === reference && is_void && state === 'done',
  )

const declineTexts: Record<string, string> = {
  input: 'number, date or CVC mistyped',
  card: 'card expired, insufficient funds or not allowed',
  bank: 'bank gave no reason',
  fraud: 'bank suspects fraud',
}

/** 'bank suspects fraud, code 59' */
export const showDecline = (decline_class: string, issuer_code: string | null): string =>
  [declineTexts[decline_class] ?? decline_class, issuer_code].filter(Boolean).join(', code ')
