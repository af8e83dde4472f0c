import { expect, test } from 'vitest'
import type { OfficeView } from '#contract/office/view.ts'
import { type states, statusOf } from './status.ts'

type Membership = OfficeView['membership']

const founding = { product_id: 34, name: 'Founding Membership', price: '99.00', can_stop: false }
const parcel = { product_id: 41, name: 'Parcel', price: '24.00', can_stop: true }
const active: Membership = {
  state: 'active',
  price: '99.00',
  billing_interval: 'month',
  lines: [founding],
  renews_on: '2027-01-18',
  is_over: false,
  is_on_hold: false,
  is_charged_here: true,
}
const ended = { ...active, state: 'ended' as const, is_over: true, ended_on: '2027-01-18', return_price: '109.00' }
const problem = { price: '99.00', is_checking: false, needs_new_card: false, ends_on: '2027-02-01' }
const pastDue = { ...active, state: 'past_due' as const, payment_problem: { ...problem, retry_on: '2027-01-21' } }
const canceled = { ...active, cancelled_on: '2027-01-02' }
const { return_price: _, ...endedForGood } = ended

/** Each state: a membership in it, the label, what the sentence says, and where its link leads. */
const examples: Record<keyof typeof states, [Membership, label: string, sentence: string, href?: string]> = {
  'ended, and the payment to come back is being checked': [
    { ...ended, is_checking: true },
    'Ended',
    'Your membership ended on January 18, 2027, and your link is closed. Your bank hasn’t confirmed your payment yet. We’ll keep checking, and you won’t be charged twice.',
  ],
  'ended for good': [
    endedForGood,
    'Ended',
    'Your membership ended on January 18, 2027, and your link is closed. You won’t be charged. To come back, please contact us.',
  ],
  'ended, and the card was refused': [
    { ...ended, return_needs_card: true },
    'Ended',
    'Your membership ended on January 18, 2027, and your link is closed. You won’t be charged. To come back, update your card first.',
    '#card',
  ],
  'ended, paid once': [
    { ...ended, lines: [], return_price: '0.00' },
    'Ended',
    'Your membership ended on January 18, 2027, and your link is closed. You can come back at no cost and keep your username and link.',
    '#come-back',
  ],
  ended: [
    ended,
    'Ended',
    'Your membership ended on January 18, 2027, and your link is closed. You can come back for $109.00 a month and keep your username and link.',
    '#come-back',
  ],
  'on hold, and canceled': [
    { ...canceled, is_on_hold: true },
    'On hold',
    'Your membership is on hold and ends on January 18, 2027. You won’t be charged again. If you have questions, please contact us.',
  ],
  'on hold': [
    { ...pastDue, is_on_hold: true },
    'On hold',
    'Your membership is on hold, and you won’t be charged in the meantime. Please contact us.',
  ],
  'payment being checked': [
    { ...pastDue, payment_problem: { ...problem, is_checking: true } },
    'Payment due',
    'Your bank hasn’t confirmed the $99.00 charge for this month yet. We’ll keep checking, and you won’t be charged twice. You don’t need to do anything.',
  ],
  'past due, and tried again': [
    pastDue,
    'Payment due',
    'Your bank declined $99.00 for this month. Nothing was charged. We’ll try again on January 21, 2027. If you update your card, we’ll charge it right away.',
    '#card',
  ],
  'past due, and only a new card helps': [
    { ...pastDue, payment_problem: { ...problem, needs_new_card: true } },
    'Payment due',
    'Your bank declined $99.00 for this month. Nothing was charged. Please update your card: we’ll charge the new one right away. Without a new card, your membership ends on February 1, 2027.',
    '#card',
  ],
  'canceled, and ends today': [
    { ...canceled, resume_charge: '99.00' },
    'Canceled',
    'Your membership ends and your link closes today, January 18, 2027. You can still resume: the next payment of $99.00 is due today.',
    '#resume',
  ],
  canceled: [
    canceled,
    'Canceled',
    'Your membership is canceled. It stays active until January 18, 2027, and so does your link. You won’t be charged again.',
    '#resume',
  ],
  'paid once': [{ ...active, lines: [] }, 'Active', 'Your membership is paid. There are no further charges.'],
  'charged elsewhere': [
    { ...active, is_charged_here: false },
    'Active',
    'Your membership is active. Renewals are billed separately.',
  ],
  'active, and the next period is free': [
    { ...active, waived: { starts_on: '2027-01-18', ends_on: '2027-02-18' } },
    'Active',
    'You pay nothing for the month from January 18, 2027. We charge $99.00 on February 18, 2027, and every month until you cancel.',
  ],
  active: [active, 'Active', 'We charge $99.00 on January 18, 2027, and every month until you cancel.'],
}

test.each(Object.entries(examples))('15.23 %s: one line says what is true and what to do next', (_state, example) => {
  const [membership, label, sentence, href] = example
  const { action, ...status } = statusOf(membership)
  expect([status.label, status.sentence, action?.href]).toEqual([label, sentence, href])
})

test('15.23 a package that stays unpaid next to a membership that is paid stops alone', () => {
  const unpaid = { ...pastDue, lines: [parcel], payment_problem: { ...problem, needs_new_card: true } }
  expect(statusOf(unpaid).sentence).toContain('Without a new card, your package stops on February 1, 2027.')
})
