import { longDay as day } from '#contract/days.ts'
import { showAmount, toAmount } from '#contract/money.ts'
import type { Email } from '#server/gateways/mail/port.ts'
import type { JobPayloads } from '#server/jobs/queue.ts'
import { findMember } from '#server/members/members.ts'
import { membershipSummary } from '#server/membership/summary.ts'
import { dayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { emailTo, nameCard } from './emails.ts'
import { button, heading, paragraph, receipt } from './layout.ts'

/** What was refunded, when it appears on the statement, and whether the membership continues. */
export async function refundEmail(world: World, { member_id, refund_id }: JobPayloads['refunded']): Promise<Email> {
  const [member, refund, membership] = await Promise.all([
    findMember(world, member_id),
    findRefund(world, refund_id),
    membershipSummary(world, member_id),
  ])
  const amount = showAmount(toAmount(refund.amount_cents))
  const paid = showAmount(toAmount(refund.paid_cents))
  return emailTo(world, member, {
    subject: `Your refund of ${amount}`,
    preview: 'Your bank may take a few days to show it.',
    blocks: [
      paragraph(
        refund.amount_cents === refund.paid_cents
          ? `We refunded the ${amount} that you paid on ${day(dayOf(world, refund.paid_at))}. It goes back to your ${nameCard(refund)}.`
          : `We refunded ${amount} of the ${paid} that you paid on ${day(dayOf(world, refund.paid_at))}. It goes back to your ${nameCard(refund)}.`,
      ),
      receipt([['Refund', amount]], amount, [
        ['Refunded on', day(dayOf(world, refund.ended_at ?? refund.created_at))],
        ['Reference', refund.payment_reference],
      ]),
      heading('When you see the money'),
      paragraph(
        refund.is_void
          ? 'The charge was canceled before your bank booked it, so it may simply disappear from your statement. Some banks take a few days.'
          : 'Banks need 5 to 10 days to show a refund on your statement. If the charge was not booked yet, it disappears instead.',
      ),
      heading('Your membership'),
      paragraph(membershipSentence(membership)),
      button('Open your office', world.config.OFFICE_URL),
    ],
  })
}

/** A refund by itself neither ends nor extends a membership. */
function membershipSentence(membership: Awaited<ReturnType<typeof membershipSummary>>): string {
  const { is_over, is_on_hold, cancelled_on, renews_on, waived, price } = membership
  if (is_over) return 'Your membership has ended. You won’t be charged again.'
  if (is_on_hold) return 'Your membership is on hold. You won’t be charged until we have talked to you.'
  if (cancelled_on)
    return `You have canceled, so your membership ends on ${day(renews_on)}. You won’t be charged again.`
  return price === '0.00'
    ? 'Your membership continues.'
    : `Your membership continues. Your next charge is ${showAmount(price)} on ${day(waived?.ends_on ?? renews_on)}, unless you cancel in your office before then.`
}

const findRefund = ({ db }: World, refund_id: string) =>
  db
    .selectFrom('refund')
    .innerJoin('payment', 'payment.reference', 'refund.payment_reference')
    .select(['payment_reference', 'refund.amount_cents', 'is_void', 'refund.created_at', 'ended_at'])
    .select(['payment.amount_cents as paid_cents', 'payment.updated_at as paid_at', 'card_brand', 'card_last_four'])
    .where('refund.id', '=', refund_id)
    .executeTakeFirstOrThrow()
