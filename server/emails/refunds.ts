import { longDay as day } from '#contract/days.ts'
import { showAmount, toAmount } from '#contract/money.ts'
import { creditNotePath, showCreditNote } from '#contract/receipt-texts.ts'
import { isOfficeOurs } from '#server/config/operator.ts'
import type { Email } from '#server/gateways/mail/port.ts'
import type { JobPayloads } from '#server/jobs/queue.ts'
import { findMember } from '#server/members/members.ts'
import { membershipSummary } from '#server/membership/summary.ts'
import { dayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { emailTo, nameCard, refundTerms } from './emails.ts'
import { button, heading, paragraph, receipt } from './layout.ts'
import { whatHappensNext } from './membership-changes.ts'

/** What was refunded or voided, its credit note, what the statement shows, and whether the membership continues. */
export async function refundEmail(world: World, { member_id, refund_id }: JobPayloads['refunded']): Promise<Email> {
  const [member, refund, membership] = await Promise.all([
    findMember(world, member_id),
    findRefund(world, refund_id),
    membershipSummary(world, member_id),
  ])
  const amount = showAmount(toAmount(refund.amount_cents))
  const { subject, preview, what, statement, line, date } = refund.is_void
    ? voidTexts(world, refund, amount)
    : refundTexts(world, refund, amount)
  return emailTo(world, member, {
    subject,
    preview,
    blocks: [
      paragraph(what),
      receipt([[line, amount]], amount, [
        [date, day(dayOf(world, refund.ended_at ?? refund.created_at))],
        ['Credit note', showCreditNote(refund.credit_note ?? 0)],
        ['Reference', refund.payment_reference],
      ]),
      ...(isOfficeOurs(world.config) ? [button('Open the credit note', creditNoteUrl(world, refund))] : []),
      heading('On your statement'),
      paragraph(statement),
      ...(await refundTerms(world)),
      heading('Your membership'),
      paragraph(whatHappensNext(membership)), // a refund by itself neither ends nor extends a membership
      button('Open your office', world.config.OFFICE_URL),
    ],
  })
}

const creditNoteUrl = ({ config }: World, { credit_note }: FoundRefund) =>
  `${config.PUBLIC_URL}${creditNotePath(credit_note ?? 0)}`

function refundTexts(world: World, refund: FoundRefund, amount: string) {
  const paid_on = day(dayOf(world, refund.paid_at))
  const part = refund.amount_cents === refund.paid_cents ? 'the' : `${amount} of the`
  return {
    subject: `Your refund of ${amount}`,
    preview: 'It may take a few days to show up on your statement.',
    what: `We refunded ${part} ${showAmount(toAmount(refund.paid_cents))} that you paid on ${paid_on}. It goes back to your ${nameCard(refund)}.`,
    statement: 'It can take 5 to 10 days to show up on your statement.',
    line: 'Refund',
    date: 'Refunded on',
  }
}

const voidTexts = (world: World, refund: FoundRefund, amount: string) => ({
  subject: `Your charge of ${amount} was canceled`,
  preview: 'It was canceled before it was collected.',
  what: `We canceled the charge of ${amount} from ${day(dayOf(world, refund.paid_at))} before it was collected. Your ${nameCard(refund)} won’t be charged.`,
  statement: 'The charge will disappear from your statement, but some banks take a few days.',
  line: 'Canceled charge',
  date: 'Canceled on',
})

const findRefund = ({ db }: World, refund_id: string) =>
  db
    .selectFrom('refund')
    .innerJoin('payment', 'payment.reference', 'refund.payment_reference')
    .select(['payment_reference', 'refund.amount_cents', 'is_void', 'credit_note', 'refund.created_at', 'ended_at'])
    .select(['payment.amount_cents as paid_cents', 'payment.updated_at as paid_at', 'card_brand', 'card_last_four'])
    .where('refund.id', '=', refund_id)
    .executeTakeFirstOrThrow()
type FoundRefund = Awaited<ReturnType<typeof findRefund>>
