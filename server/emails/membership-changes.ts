import { longDay as day } from '#contract/days.ts'
import { showAmount } from '#contract/money.ts'
import type { OfficeView } from '#contract/office/view.ts'
import type { Email } from '#server/gateways/mail/port.ts'
import type { JobPayloads } from '#server/jobs/queue.ts'
import { findMember } from '#server/members/members.ts'
import { findMembership, membershipSummary } from '#server/membership/summary.ts'
import type { World } from '#server/world/world.ts'
import { ifNotYou } from './changes.ts'
import { emailTo } from './emails.ts'
import { button, paragraph } from './layout.ts'

/** A package was stopped, or a hold began or ended: what that means for the next charge. */

export async function packageStoppedEmail(
  world: World,
  { member_id, name }: JobPayloads['package_stopped'],
): Promise<Email> {
  const [member, membership] = await Promise.all([findMember(world, member_id), membershipSummary(world, member_id)])
  return emailTo(world, member, {
    subject: 'You stopped a package',
    preview: `You won’t be charged for ${name} again.`,
    blocks: [
      paragraph(`You stopped ${name} in your office. You won’t be charged for it again.`),
      paragraph(whatHappensNext(membership)),
      ...ifNotYou(world, 'change your password'),
    ],
  })
}

/** Staff's reason stays with staff. */
const reasons = {
  team: {
    what: 'We put your membership on hold.',
    advice: 'There’s nothing you need to do. If you have a question, reply to this email.',
  },
  dispute: {
    what: 'Your bank told us that one of your payments is disputed. Your membership is on hold until that’s settled.',
    advice:
      'There’s nothing you need to do. If you didn’t ask your bank to dispute a payment, or it was a mistake, reply to this email.',
  },
}

/** Undefined if the hold is over by now. */
export async function holdBeganEmail(
  world: World,
  { member_id, why, since }: JobPayloads['hold_began'],
): Promise<Email | undefined> {
  const [member, { on_hold_since }, { is_over, cancelled_on, renews_on }] = await Promise.all([
    findMember(world, member_id),
    findMembership(world.db, member_id),
    membershipSummary(world, member_id),
  ])
  if (is_over || on_hold_since?.toISOString() !== since) return undefined
  const { what, advice } = reasons[why]
  const end = cancelled_on
    ? `You have canceled, so your membership still ends on ${day(renews_on)}.`
    : 'We’ll email you when charges resume.'
  return emailTo(world, member, {
    subject: 'Your membership is on hold',
    preview: 'You won’t be charged for now.',
    blocks: [
      paragraph(what),
      paragraph(`You won’t be charged for now. Your membership and your link still work. ${end}`),
      paragraph(advice),
      button('Open your office', world.config.OFFICE_URL),
    ],
  })
}

/** Undefined if the membership is on hold again, or over. */
export async function holdEndedEmail(
  world: World,
  { member_id }: JobPayloads['hold_ended'],
): Promise<Email | undefined> {
  const [member, membership] = await Promise.all([findMember(world, member_id), membershipSummary(world, member_id)])
  if (membership.is_on_hold || membership.is_over) return undefined
  const next = whatHappensNext(membership)
  return emailTo(world, member, {
    subject: 'Your membership is no longer on hold',
    preview: next,
    blocks: [
      paragraph(`The hold on your membership has ended. ${next}`),
      button('Open your office', world.config.OFFICE_URL),
    ],
  })
}

/** The next charge, with the day and the amount that the office shows. */
export function whatHappensNext(membership: OfficeView['membership']): string {
  const { is_over, is_on_hold, cancelled_on, renews_on, waived, payment_problem: problem, price } = membership
  if (is_over) return 'Your membership has ended. You won’t be charged again.'
  if (cancelled_on)
    return `You have canceled, so your membership ends on ${day(renews_on)}. You won’t be charged again.`
  if (is_on_hold) return 'Your membership is on hold. You won’t be charged for now.'
  if (problem) return afterDecline(problem)
  if (price === '0.00') return 'Your membership continues. You won’t be charged again.'
  return `Your membership continues. Your next charge is ${showAmount(price)} on ${day(waived?.ends_on ?? renews_on)}, unless you cancel in your office before then.`
}

function afterDecline(problem: NonNullable<OfficeView['membership']['payment_problem']>): string {
  const { price, needs_new_card, retry_on, ends_on } = problem
  const next = needs_new_card
    ? `Please update your card in your office by ${day(ends_on)}.`
    : `We’ll try to charge ${showAmount(price)} again ${retry_on ? `on ${day(retry_on)}` : 'soon'}.`
  return `Your last payment didn’t go through. ${next}`
}
