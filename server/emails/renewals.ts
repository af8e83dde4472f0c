import { showAmount, toAmount } from '#contract/money.ts'
import { findMember } from '#server/enrollment/members.ts'
import type { Email } from '#server/gateways/mail/port.ts'
import type { JobPayloads } from '#server/jobs/queue.ts'
import { type Charge, findCharge } from '#server/membership/charges.ts'
import type { World } from '#server/world.ts'
import { day, emailTo, howToCancel, nameCard } from './emails.ts'
import { button, heading, linkBox, paragraph, receipt, smallPrint } from './layout.ts'

/** The receipt of a renewal: what was charged, for which month, what comes next, and how to stop it. */
export async function renewedEmail(world: World, { member_id, ...key }: JobPayloads['renewed']): Promise<Email> {
  const [member, charge] = await Promise.all([findMember(world, member_id), findCharge(world, key)])
  const amount = showAmount(toAmount(charge.amount_cents))
  const isEnding = member.cancelled_at !== null
  return emailTo(world, member, {
    subject: `Your receipt: ${amount} for your membership`,
    preview: `Paid on ${day(charge.updated_at)}, for the ${charge.billing_interval} from ${day(charge.starts_on)}.`,
    blocks: [
      paragraph(
        `We charged ${amount} to your ${nameCard(charge)} for the ${charge.billing_interval} from ${day(charge.starts_on)} to ${day(charge.ends_on)}.`,
      ),
      receipt(
        charge.lines.map(({ name, renewal_cents }) => [name, showAmount(toAmount(renewal_cents))]),
        amount,
        [
          ['Paid on', day(charge.updated_at)],
          ['Reference', charge.reference],
        ],
      ),
      heading('What comes next'),
      isEnding
        ? paragraph(`You have canceled, so your membership ends on ${day(charge.ends_on)}. You won’t be charged again.`)
        : paragraph(
            `Your next charge is ${showAmount(toAmount(charge.next_cents))} on ${day(charge.ends_on)}, and every ${charge.billing_interval} until you cancel.`,
          ),
      paragraph(howToCancel(charge.billing_interval)),
      button('Open your office', world.config.OFFICE_URL),
    ],
  })
}

/** Says why a charge did not go through as far as we know it, and what happens next. */
export async function renewalDeclinedEmail(
  world: World,
  { member_id, ...key }: JobPayloads['renewal_declined'],
): Promise<Email | undefined> {
  const [member, charge] = await Promise.all([findMember(world, member_id), findCharge(world, key)])
  if (charge.period_state !== 'due') return undefined // paid in the meantime
  const amount = showAmount(toAmount(charge.amount_cents))
  const card = 'Update your card in your office, and we charge it at once.'
  const next = charge.never_retry_since
    ? `Your bank does not allow another attempt with this card. ${card} Without a new card your membership ends on ${day(charge.gives_up_on)}.`
    : charge.is_last_try
      ? `We try once more on ${day(charge.due_on)}. If that fails too, your membership ends that day. ${card}`
      : `You stay a member, and we try again on ${day(charge.due_on)}. ${card}`
  return emailTo(world, member, {
    subject: charge.is_last_try ? 'Last try: your payment did not go through' : 'Your payment did not go through',
    preview: `${amount} for your membership was declined. Nothing was charged.`,
    blocks: [
      paragraph(
        `We tried to charge ${amount} to your ${nameCard(charge)} for the ${charge.billing_interval} from ${day(charge.starts_on)}. ${reasonOf(charge)} Nothing was charged.`,
      ),
      paragraph(next),
      button('Update your card', `${world.config.OFFICE_URL}#card`),
      smallPrint('If you don’t want to stay a member, you can cancel in your office. We then don’t try again.'),
    ],
  })
}

/** The membership is over: why, and how to come back. */
export async function endedEmail(world: World, { member_id, why }: JobPayloads['membership_ended']): Promise<Email> {
  const member = await findMember(world, member_id)
  const because = {
    canceled: 'As you asked, your membership has ended.',
    unpaid: 'We could not charge your card, so your membership has ended. Nothing is owed.',
  }
  return emailTo(world, member, {
    subject: 'Your membership has ended',
    preview: 'You won’t be charged again. You can come back at any time.',
    blocks: [
      paragraph(`${because[why]} You won’t be charged again, and your page is no longer active:`),
      linkBox(`${world.config.PUBLIC_URL}/${member.username}`),
      paragraph(
        'You can still sign in to your office to see your receipts. If you come back, you keep your name and your link.',
      ),
      button('Open your office', world.config.OFFICE_URL),
    ],
  })
}

const reasons: Record<string, string> = {
  input: 'Your bank could not verify the card’s details, or the card has expired.',
  card: 'Your bank declined this card; it may have expired or lack funds.',
}
const reasonOf = ({ decline_class }: Charge) => reasons[decline_class ?? ''] ?? 'Your bank declined the charge.'
