import { longDay as day } from '#contract/days.ts'
import { showAmount, toAmount } from '#contract/money.ts'
import type { Email } from '#server/gateways/mail/port.ts'
import type { JobPayloads } from '#server/jobs/queue.ts'
import { findMember } from '#server/members/members.ts'
import { type Charge, findCharge } from '#server/membership/charges.ts'
import { isPaidOnce } from '#server/membership/lines.ts'
import { mayComeBack } from '#server/membership/return.ts'
import { findMembership, isRenewing, renewalOf } from '#server/membership/summary.ts'
import { dayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { emailTo, howToCancel, nameCard, refundTerms } from './emails.ts'
import { button, heading, linkBox, paragraph, receipt, smallPrint } from './layout.ts'

/** The receipt of a renewal: what was charged, for which month, what comes next, and how to stop it. */
export async function renewedEmail(world: World, { member_id, ...key }: JobPayloads['renewed']): Promise<Email> {
  const [member, charge, membership] = await Promise.all([
    findMember(world, member_id),
    findCharge(world, key),
    findMembership(world.db, member_id),
  ])
  const amount = showAmount(toAmount(charge.amount_cents))
  return emailTo(world, member, {
    subject: `Your receipt: ${amount} for your membership`,
    preview: `Paid on ${day(dayOf(world, charge.updated_at))}, for the ${charge.billing_interval} from ${day(charge.starts_on)}.`,
    blocks: [
      paragraph(
        `We charged ${amount} to your ${nameCard(charge)} for the ${charge.billing_interval} from ${day(charge.starts_on)} to ${day(charge.ends_on)}.`,
      ),
      receipt(
        charge.lines.map(({ name, renewal_cents }) => [name, showAmount(toAmount(renewal_cents))]),
        amount,
        [
          ['Paid on', day(dayOf(world, charge.updated_at))],
          ['Reference', charge.reference],
        ],
      ),
      ...(await refundTerms(world)),
      heading('What comes next'),
      paragraph(whatComesNext(world, membership)),
      paragraph(howToCancel(charge.billing_interval)),
      button('Open your office', world.config.OFFICE_URL),
    ],
  })
}

/** From now on: a receipt may be sent again much later. */
function whatComesNext(world: World, membership: Awaited<ReturnType<typeof findMembership>>): string {
  const { renews_on, price } = renewalOf(world, membership)
  if (membership.state === 'ended') return 'Your membership has ended. You won’t be charged again.'
  if (membership.cancelled_at)
    return `You have canceled, so your membership ends on ${day(renews_on)}. You won’t be charged again.`
  return isRenewing(membership)
    ? `Your next charge is ${price} on ${day(renews_on)}, and every ${membership.billing_interval} until you cancel.`
    : 'There are no further charges for now.'
}

/** Says why a charge did not go through as far as we know it, and what happens next. */
export async function renewalDeclinedEmail(
  world: World,
  { member_id, ...key }: JobPayloads['renewal_declined'],
): Promise<Email | undefined> {
  const [member, charge] = await Promise.all([findMember(world, member_id), findCharge(world, key)])
  const isPackage = await isPaidOnce(world.db, { member_id, lines: charge.lines })
  const end = isPackage ? 'your package stops' : 'your membership ends'
  if (charge.period_state !== 'due') return undefined // paid in the meantime
  const amount = showAmount(toAmount(charge.amount_cents))
  const card = 'Update your card in your office, and we’ll charge it right away.'
  const { new_brand: card_brand, new_last_four: card_last_four } = charge
  const isOtherNext = !charge.is_on_file && charge.due_on <= dayOf(world, charge.updated_at)
  const next = isOtherNext
    ? `Next, we’ll charge your new card, ${nameCard({ card_brand, card_last_four })}.`
    : charge.never_retry_since
      ? `Your bank doesn’t allow another attempt with this card. ${card} Without a new card, ${end} on ${day(charge.gives_up_on)}.`
      : charge.is_last_try
        ? `We’ll try once more on ${day(charge.due_on)}. If that fails too, ${end} that day. ${card}`
        : `You stay a member, and we’ll try again on ${day(charge.due_on)}. ${card}`
  return emailTo(world, member, {
    subject: charge.is_last_try ? 'Last try: your payment did not go through' : 'Your payment did not go through',
    preview: `${amount} for your ${isPackage ? 'package' : 'membership'} was declined. Nothing was charged.`,
    blocks: [
      paragraph(
        `We tried to charge ${amount} to your ${nameCard(charge)} for the ${charge.billing_interval} from ${day(charge.starts_on)}. ${reasonOf(charge)} Nothing was charged.`,
      ),
      paragraph(next),
      button('Update your card', `${world.config.OFFICE_URL}#card`),
      smallPrint(
        isPackage
          ? 'If you don’t want the package anymore, you can stop it in your office. Then we won’t try again.'
          : 'If you don’t want to stay a member, you can cancel in your office. Then we won’t try again.',
      ),
    ],
  })
}

/** A period costs nothing. */
export async function waivedEmail(
  world: World,
  { member_id, starts_on, ends_on }: JobPayloads['waived'],
): Promise<Email> {
  const [member, membership] = await Promise.all([findMember(world, member_id), findMembership(world.db, member_id)])
  const { renews_on, price } = renewalOf(world, membership)
  const interval = membership.billing_interval
  return emailTo(world, member, {
    subject: `A ${interval} without a charge`,
    preview: `You pay nothing for the ${interval} from ${day(starts_on)}.`,
    blocks: [
      paragraph(
        `You pay nothing for the ${interval} from ${day(starts_on)} to ${day(ends_on)}. Your membership and your link continue as before.`,
      ),
      ...(isRenewing(membership) ? [paragraph(`Your next charge is ${price} on ${day(renews_on)}.`)] : []),
      paragraph(howToCancel(interval)),
      button('Open your office', world.config.OFFICE_URL),
    ],
  })
}

/** The renewal date has changed. */
export async function renewalMovedEmail(
  world: World,
  { member_id }: JobPayloads['renewal_moved'],
): Promise<Email | undefined> {
  const [member, membership] = await Promise.all([findMember(world, member_id), findMembership(world.db, member_id)])
  if (!isRenewing(membership)) return undefined
  const { renews_on, price } = renewalOf(world, membership)
  const interval = membership.billing_interval
  return emailTo(world, member, {
    subject: 'We moved your renewal date',
    preview: `Your next charge is ${price} on ${day(renews_on)}.`,
    blocks: [
      paragraph(
        `We moved your renewal date. Your next charge is ${price} on ${day(renews_on)}, and every ${interval} from then on. You won’t be charged before then.`,
      ),
      paragraph(howToCancel(interval)),
      button('Open your office', world.config.OFFICE_URL),
    ],
  })
}

/** A new period begins after a time in which we couldn't charge. */
export async function chargingResumedEmail(
  world: World,
  { member_id, missed_from, starts_on, is_moved }: JobPayloads['charging_resumed'],
): Promise<Email> {
  const [member, membership] = await Promise.all([findMember(world, member_id), findMembership(world.db, member_id)])
  const interval = membership.billing_interval
  const free = `You weren’t charged from ${day(missed_from)} until ${day(starts_on)}`
  const moved = is_moved ? ' That’s your new renewal date.' : ''
  return emailTo(world, member, {
    subject: is_moved ? 'Your renewal date has changed' : 'Your membership charges have resumed',
    preview: `${free}. You don’t owe anything for that time.`,
    blocks: [
      paragraph(
        `${free}, and you don’t owe anything for that time. A new ${interval} began on ${day(starts_on)}.${moved}`,
      ),
      ...(is_moved ? [paragraph('If you’d like your old renewal date back, reply to this email.')] : []),
      paragraph(howToCancel(interval)),
      button('Open your office', world.config.OFFICE_URL),
    ],
  })
}

/** The membership is over: why, and how to come back. */
export async function endedEmail(world: World, { member_id, why }: JobPayloads['membership_ended']): Promise<Email> {
  const [member, membership] = await Promise.all([findMember(world, member_id), findMembership(world.db, member_id)])
  const invitation = (await mayComeBack(world.db, membership)) ? ' You can come back at any time.' : ''
  const because = {
    canceled: 'As you asked, your membership has ended.',
    unpaid: 'We could not charge your card, so your membership has ended. You don’t owe anything.',
  }
  return emailTo(world, member, {
    subject: 'Your membership has ended',
    preview: `You won’t be charged again.${invitation}`,
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

/** Packages next to a membership that is paid once have stopped. */
export async function packageUnpaidEmail(
  world: World,
  { member_id, names }: JobPayloads['package_unpaid'],
): Promise<Email> {
  const what = names.join(' and ')
  const [packages, they, have, are] =
    names.length > 1 ? ['packages', 'they', 'have', 'aren’t'] : ['package', 'it', 'has', 'isn’t']
  return emailTo(world, await findMember(world, member_id), {
    subject: `Your ${packages} ${have} stopped`,
    preview: `We couldn’t charge your card for ${what}. Your membership continues.`,
    blocks: [
      paragraph(
        `We couldn’t charge your card for ${what}, so ${they} ${have} stopped. You don’t owe anything, and ${they} ${are} charged again.`,
      ),
      paragraph('Your membership continues, and your link still works.'),
      button('Open your office', world.config.OFFICE_URL),
    ],
  })
}

const reasons: Record<string, string> = {
  input: 'Your bank could not verify the card’s details, or the card has expired.',
  card: 'Your bank declined this card; it may have expired or lack funds.',
}
const reasonOf = ({ decline_class }: Charge) => reasons[decline_class ?? ''] ?? 'Your bank declined the charge.'
