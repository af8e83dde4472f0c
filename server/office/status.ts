import { longDay } from '#contract/days.ts'
import { showAmount } from '#contract/money.ts'
import type { OfficeView } from '#contract/office/view.ts'
import { isPaidOnce } from '#contract/renewal.ts'

type Membership = OfficeView['membership']

type Status = OfficeView['status']
type Row = { when: (membership: Membership) => boolean; status: (membership: Membership) => Status }

const updateCard = { label: 'Update your card', href: '#card' } as const
const comeBack = { label: 'Come back', href: '#come-back' } as const
const ended = (rest: string, action?: Status['action']) => (membership: Membership) => ({
  label: 'Ended',
  tone: 'warm' as const,
  sentence: `Your membership ended${membership.ended_on ? ` on ${longDay(membership.ended_on)}` : ''}, and your link is closed. ${rest}`,
  ...(action ? { action } : {}),
})
const due = ({ payment_problem, price }: Membership) => showAmount(payment_problem?.price ?? price)

/** Every state of a membership. The first match applies. */
export const states = {
  'ended, and the payment to come back is being checked': {
    when: ({ is_over, is_checking }) => is_over && Boolean(is_checking),
    status: ended('Your bank hasn’t confirmed your payment yet. We’ll keep checking, and you won’t be charged twice.'),
  },
  'ended for good': {
    when: ({ is_over, return_price }) => is_over && !return_price,
    status: ended('You won’t be charged. To come back, please contact us.'),
  },
  'ended, and the card was refused': {
    when: ({ is_over, return_needs_card }) => is_over && Boolean(return_needs_card),
    status: ended('You won’t be charged. To come back, update your card first.', updateCard),
  },
  'ended, paid once': {
    when: ({ is_over, lines }) => is_over && !lines.length,
    status: ended('You can come back at no cost and keep your username and link.', comeBack),
  },
  ended: {
    when: ({ is_over }) => is_over,
    status: (membership) =>
      ended(
        `You can come back for ${showAmount(membership.return_price ?? membership.price)} a ${membership.billing_interval} and keep your username and link.`,
        comeBack,
      )(membership),
  },
  'on hold, and canceled': {
    when: ({ is_on_hold, cancelled_on }) => is_on_hold && Boolean(cancelled_on),
    status: ({ renews_on }) => ({
      label: 'On hold',
      tone: 'warm',
      sentence: `Your membership is on hold and ends on ${longDay(renews_on)}. You won’t be charged again. If you have questions, please contact us.`,
    }),
  },
  'on hold': {
    when: ({ is_on_hold }) => is_on_hold,
    status: () => ({
      label: 'On hold',
      tone: 'warm',
      sentence: 'Your membership is on hold, and you won’t be charged in the meantime. Please contact us.',
    }),
  },
  'payment being checked': {
    when: ({ payment_problem }) => Boolean(payment_problem?.is_checking),
    status: (membership) => ({
      label: 'Payment due',
      tone: 'warm',
      sentence: `Your bank hasn’t confirmed the ${due(membership)} charge for this ${membership.billing_interval} yet. We’ll keep checking, and you won’t be charged twice. You don’t need to do anything.`,
    }),
  },
  'past due, and tried again': {
    when: ({ payment_problem }) => Boolean(payment_problem?.retry_on && !payment_problem.needs_new_card),
    status: (membership) => ({
      label: 'Payment due',
      tone: 'alert',
      sentence: `Your bank declined ${due(membership)} for this ${membership.billing_interval}. Nothing was charged. We’ll try again on ${longDay(membership.payment_problem?.retry_on ?? '')}. If you update your card, we’ll charge it right away.`,
      action: updateCard,
    }),
  },
  'past due, and only a new card helps': {
    when: ({ payment_problem }) => Boolean(payment_problem),
    status: (membership) => ({
      label: 'Payment due',
      tone: 'alert',
      sentence: `Your bank declined ${due(membership)} for this ${membership.billing_interval}. Nothing was charged. Please update your card: we’ll charge the new one right away. Without a new card, ${isPaidOnce(membership.lines) ? 'your package stops' : 'your membership ends'} on ${longDay(membership.payment_problem?.ends_on ?? '')}.`,
      action: updateCard,
    }),
  },
  'canceled, and ends today': {
    when: ({ cancelled_on, resume_charge }) => Boolean(cancelled_on && resume_charge),
    status: ({ renews_on, resume_charge = '' }) => ({
      label: 'Canceled',
      tone: 'warm',
      sentence: `Your membership ends and your link closes today, ${longDay(renews_on)}. You can still resume: the next payment of ${showAmount(resume_charge)} is due today.`,
      action: { label: 'Resume', href: '#resume' },
    }),
  },
  canceled: {
    when: ({ cancelled_on }) => Boolean(cancelled_on),
    status: ({ renews_on }) => ({
      label: 'Canceled',
      tone: 'warm',
      sentence: `Your membership is canceled. It stays active until ${longDay(renews_on)}, and so does your link. You won’t be charged again.`,
      action: { label: 'Resume', href: '#resume' },
    }),
  },
  'paid once': {
    when: ({ lines }) => !lines.length,
    status: () => active('Your membership is paid. There are no further charges.'),
  },
  'charged elsewhere': {
    when: ({ is_charged_here }) => !is_charged_here,
    status: () => active('Your membership is active. Renewals are billed separately.'),
  },
  'active, and the next period is free': {
    when: ({ waived }) => Boolean(waived),
    status: ({ waived, price, billing_interval }) =>
      active(
        `You pay nothing for the ${billing_interval} from ${longDay(waived?.starts_on ?? '')}. We charge ${showAmount(price)} on ${longDay(waived?.ends_on ?? '')}, and every ${billing_interval} until you cancel.`,
      ),
  },
  active: {
    when: () => true,
    status: ({ price, renews_on, billing_interval }) =>
      active(
        `We charge ${showAmount(price)} on ${longDay(renews_on)}, and every ${billing_interval} until you cancel.`,
      ),
  },
} as const satisfies Record<string, Row>

const active = (sentence: string): Status => ({ label: 'Active', tone: 'good', sentence })

/** What is true about a membership, in a sentence or two, and what to do next. */
export const statusOf = (membership: Membership): Status =>
  (Object.values<Row>(states).find(({ when }) => when(membership)) ?? states.active).status(membership)
