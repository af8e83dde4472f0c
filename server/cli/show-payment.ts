import { type Brand, brands } from '#contract/card.ts'
import { showCreditNote } from '#contract/receipt-texts.ts'
import { at, table } from '#server/cli/listings.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { discrepanciesOf } from '#server/payments/books/discrepancies.ts'
import { dollars, unknownReference } from '#server/payments/refunds.ts'

/** Everything about a payment, for the terminal: member, card, refunds, discrepancies, the member's other payments. */
export const showPayment = (db: Db, reference: string): Promise<string> =>
  inTransaction(db, async (db) => {
    const payment = await findPayment(db, reference)
    if (!payment) throw unknownReference(reference)
    const refunds = await db
      .selectFrom('refund')
      .selectAll()
      .where('payment_reference', '=', reference)
      .orderBy('created_at')
      .execute()
    const discrepancies = await discrepanciesOf(db, reference)
    const payments = await db
      .selectFrom('payment')
      .select(['reference', 'period', 'state', 'amount_cents', 'refunded_cents', 'created_at'])
      .where('enrollment_id', '=', payment.enrollment_id)
      .orderBy('attempt')
      .execute()
    return [
      ...factsOf(payment).map(([name, text]) => `${name.padEnd(12)}${text}`),
      ...section(
        'Refunds',
        ['amount', 'state', 'credit note', 'reason', 'by', 'requested', 'ended'],
        refunds.map((row) => [
          `${dollars(row.amount_cents)}${row.is_void ? ' (void)' : ''}`,
          row.state,
          row.credit_note && showCreditNote(row.credit_note),
          row.reason,
          row.who,
          at(row.created_at),
          row.ended_at && at(row.ended_at),
        ]),
      ),
      ...section(
        'Discrepancies with the gateway’s books',
        ['kind', 'here', 'gateway', 'found', 'resolved', 'reason'],
        discrepancies.map((row) => [
          row.kind,
          row.ours,
          row.theirs,
          at(row.found_at),
          row.resolved_at && at(row.resolved_at),
          row.reason,
        ]),
      ),
      ...section(
        'All payments of this member',
        ['reference', 'for', 'state', 'amount', 'refunded', 'at'],
        payments.map((row) => [
          row.reference,
          periodName(row.period),
          row.state,
          dollars(row.amount_cents),
          row.refunded_cents ? dollars(row.refunded_cents) : '',
          at(row.created_at),
        ]),
      ),
    ].join('\n')
  })

const findPayment = (db: Db, reference: string) =>
  db
    .selectFrom('payment')
    .leftJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .leftJoin('membership', 'membership.member_id', 'member.id')
    .leftJoin('period', (join) =>
      join.onRef('period.member_id', '=', 'member.id').onRef('period.n', '=', 'payment.period'),
    )
    .select(['payment.enrollment_id', 'reference', 'payment.period', 'payment.state', 'payment.amount_cents'])
    .select(['refunded_cents', 'gateway', 'transaction_id', 'decline_class', 'issuer_code', 'payment.created_at'])
    .select(['payment.card_brand', 'payment.card_last_four', 'username', 'first_name', 'last_name', 'email'])
    .select(['membership.state as membership_state', 'on_hold_since', 'hold_reason', 'starts_on', 'ends_on'])
    .where('reference', '=', reference)
    .executeTakeFirst()

type FoundPayment = NonNullable<Awaited<ReturnType<typeof findPayment>>>

function factsOf(payment: FoundPayment): [name: string, text: string][] {
  const { username, first_name, last_name, email, starts_on, ends_on, card_brand, card_last_four } = payment
  const hold = payment.on_hold_since ? `, on hold since ${at(payment.on_hold_since)} (${payment.hold_reason})` : ''
  const decline = payment.decline_class
    ? ` (${[payment.decline_class, payment.issuer_code].filter(Boolean).join(', code ')})`
    : ''
  return [
    ['Payment', payment.reference],
    ['Member', username ? `${username}, ${first_name} ${last_name}, ${email}` : 'none'],
    ['Membership', payment.membership_state ? `${payment.membership_state}${hold}` : 'none'],
    ['For', `${periodName(payment.period)}${starts_on ? `, ${starts_on} to ${ends_on}` : ''}`],
    ['State', `${payment.state}${decline}`],
    ['Amount', `${dollars(payment.amount_cents)}, ${dollars(payment.refunded_cents)} refunded`],
    ['Card', card_last_four ? `${brandName(card_brand)} ending in ${card_last_four}` : 'not known'],
    ['Gateway', `${payment.gateway}, transaction ${payment.transaction_id ?? 'not known'}`],
    ['At', at(payment.created_at)],
  ]
}

const periodName = (period: number) => (period ? `period ${period}` : 'joining')
const brandName = (brand: string | null) => brands[brand as Brand]?.name ?? 'card'

const section = (title: string, head: string[], rows: (string | number | null)[][]) =>
  rows.length ? ['', `${title}:`, table(head, rows)] : []
