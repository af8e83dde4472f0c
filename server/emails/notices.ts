import { longDay as day, monthAndYear } from '#contract/days.ts'
import { showAmount, toAmount } from '#contract/money.ts'
import { addDays, NOTICE_DAYS, periodStart } from '#contract/renewal.ts'
import type { Email } from '#server/gateways/mail/port.ts'
import type { JobPayloads } from '#server/jobs/queue.ts'
import { findMember } from '#server/members/members.ts'
import { firstAtNewPrice, priceOn } from '#server/membership/prices.ts'
import { findMembership, isRenewing, renewalOf } from '#server/membership/summary.ts'
import { dayOf, todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { emailTo, howToCancel, nameCard } from './emails.ts'
import { button, detailsTable, paragraph, smallPrint } from './layout.ts'

/** Emails ahead of time: nothing has happened yet, and the member can still decide. */

/** Sent 30 days before the card on file expires. */
export async function cardExpiresEmail(
  world: World,
  { member_id }: JobPayloads['card_expires'],
): Promise<Email | undefined> {
  const [member, membership] = await Promise.all([findMember(world, member_id), findMembership(world.db, member_id)])
  const { card_expires } = membership
  if (!card_expires || !isRenewing(membership)) return undefined
  const { renews_on, price } = renewalOf(world, membership)
  const last = periodStart(`${card_expires}-01`, 1)
  const next = `Your next charge is ${price} on ${day(renews_on)}.`
  return emailTo(world, member, {
    subject: 'Your card expires soon',
    preview: `Your ${nameCard(membership)} is valid until the end of ${monthAndYear(card_expires)}.`,
    blocks: [
      paragraph(`Your ${nameCard(membership)} is valid until the end of ${monthAndYear(card_expires)}. ${next}`),
      paragraph(
        renews_on < last
          ? 'That charge still works. Please update your card before the one after it; it takes a minute, and nothing is charged for it.'
          : 'Please update your card before then; it takes a minute, and nothing is charged for it. If your bank has told us about the new card already, there is nothing to do.',
      ),
      button('Update your card', `${world.config.OFFICE_URL}#card`),
      smallPrint(howToCancel(membership.billing_interval)),
    ],
  })
}

/** Sent once a year, 30 days before another year of membership begins. */
export async function yearlyReminderEmail(
  world: World,
  { member_id }: JobPayloads['yearly_reminder'],
): Promise<Email | undefined> {
  const [member, membership] = await Promise.all([findMember(world, member_id), findMembership(world.db, member_id)])
  if (!isRenewing(membership)) return undefined
  const { renews_on, price } = renewalOf(world, membership)
  const { billing_interval } = membership
  return emailTo(world, member, {
    subject: 'Your yearly reminder: what you pay, and how to stop',
    preview: `Your membership costs ${price} a ${billing_interval}. Your next charge is on ${day(renews_on)}.`,
    blocks: [
      paragraph('We send this once a year, so that nobody pays for something they have forgotten.'),
      detailsTable([
        ['Member since', day(dayOf(world, member.joined_at))],
        ...membership.lines.map(({ name }): [string, string] => ['Your package', name]).slice(0, 1),
        ['Price', `${price} a ${billing_interval}`],
        ['Next charge', day(renews_on)],
        ['Charged to', nameCard(membership)],
      ]),
      paragraph('If you want to stay, there is nothing to do.'),
      paragraph(howToCancel(billing_interval)),
      button('Open your office', world.config.OFFICE_URL),
    ],
  })
}

/** Sent three days before a charge to members who asked for it. Not if that charge has been made, or won't be. */
export async function renewalAheadEmail(
  world: World,
  { member_id, starts_on }: JobPayloads['renewal_ahead'],
): Promise<Email | undefined> {
  const [member, membership] = await Promise.all([findMember(world, member_id), findMembership(world.db, member_id)])
  const { renews_on, price } = renewalOf(world, membership)
  const isStillDue = isRenewing(membership) && world.config.RENEWALS === 'on' && renews_on === starts_on
  if (!member.renewal_emails || !isStillDue || renews_on < todayOf(world)) return undefined
  const { billing_interval } = membership
  return emailTo(world, member, {
    subject: `Your next charge is on ${day(renews_on)}`,
    preview: `We’ll charge ${price} to your ${nameCard(membership)}.`,
    blocks: [
      paragraph(
        `On ${day(renews_on)}, we’ll charge ${price} to your ${nameCard(membership)} for the next ${billing_interval}.`,
      ),
      paragraph('If you want to stay, you don’t need to do anything.'),
      paragraph(howToCancel(billing_interval)),
      button('Open your office', world.config.OFFICE_URL),
      smallPrint('You asked for this email. You can turn it off in your office, under Payments.'),
    ],
  })
}

/** What changes, from when on, and how to say no. */
export async function priceChangedEmail(
  world: World,
  { member_id, product_id, old_cents, new_cents, ...job }: JobPayloads['price_changed'],
): Promise<Email | undefined> {
  const [member, membership] = await Promise.all([findMember(world, member_id), findMembership(world.db, member_id)])
  const line = membership.lines.find((each) => each.product_id === product_id)
  if (!line || membership.state === 'ended') return undefined // a member who has canceled since may resume
  if ((line.announced ?? line).renewal_cents !== new_cents) return undefined // it has changed again while the email waited
  const { billing_interval } = membership
  const { announced } = line
  const today = todayOf(world)
  const starts_on = announced?.is_untold ? firstAtNewPrice(membership, announced, today) : job.starts_on
  const isTooEarly = addDays(today, NOTICE_DAYS) < starts_on
  const isNewest = announced?.is_untold && announced.notice_id === job.notice_id
  if (new_cents > old_cents && (!isNewest || isTooEarly)) return undefined
  const told = announced ? { ...line, announced: { ...announced, is_untold: undefined } } : line
  const lines = membership.lines.map((each) => (each === line ? told : each))
  const [before, after] = [old_cents, new_cents].map((cents) => showAmount(toAmount(cents)))
  const charge = showAmount(toAmount(priceOn(lines, starts_on)))
  const change = `from ${before} to ${after} a ${billing_interval}`
  const total =
    membership.lines.length > 1 ? ` Together with the rest of your membership, that charge is ${charge}.` : ''
  if (new_cents === old_cents)
    return emailTo(world, member, {
      subject: 'Your price stays the same',
      preview: `You keep paying ${after} a ${billing_interval}.`,
      blocks: [
        paragraph(
          `We told you about a higher price for ${line.name}. We’ve dropped that change: you’ll keep paying ${after} a ${billing_interval}.`,
        ),
        button('Open your office', world.config.OFFICE_URL),
      ],
    })
  if (new_cents < old_cents)
    return emailTo(world, member, {
      subject: 'You pay less from now on',
      preview: `The price of ${line.name} changes ${change}.`,
      blocks: [
        paragraph(
          `The price of ${line.name} changes ${change}. Your next charge, on ${day(starts_on)}, is at the new price.${total} There is nothing to do.`,
        ),
        button('Open your office', world.config.OFFICE_URL),
      ],
    })
  return emailTo(world, member, {
    subject: `Your price changes on ${day(starts_on)}`,
    preview: `The price of ${line.name} changes ${change}.`,
    blocks: [
      paragraph(
        `The price of ${line.name} changes ${change}. Your first charge at the new price is on ${day(starts_on)}.${total} Until then, nothing changes.`,
      ),
      paragraph('If you agree, there is nothing to do.'),
      paragraph(
        `If you don’t, cancel in your office before ${day(starts_on)}. You then stay a member until the end of the ${billing_interval} you have paid for, and you never pay the new price.`,
      ),
      button('Open your office', world.config.OFFICE_URL),
    ],
  })
}
