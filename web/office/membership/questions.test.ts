import { expect, test } from 'vitest'
import type { OfficeView } from '#contract/office/view.ts'
import { cancelMembershipQuestion, comeBackQuestion, payDueQuestion, resumeQuestion } from '../messages.ts'

const membership: OfficeView['membership'] = {
  state: 'active',
  price: '99.00',
  billing_interval: 'month',
  lines: [{ product_id: 34, name: 'Founding Membership', price: '99.00', can_stop: false }],
  renews_on: '2027-01-18',
  is_over: false,
  is_on_hold: false,
  is_charged_here: true,
  card: { brand: 'Visa', last_four: '4242', expires: '2030-12' },
}

test('17.49 every question before a charge names the amount in its text and on its button', () => {
  const questions = [
    payDueQuestion('99.00', 'month'),
    comeBackQuestion('99.00', membership),
    resumeQuestion('99.00', membership),
  ]
  for (const { title, text, confirm } of questions) {
    expect([title, confirm]).toEqual(['Pay $99.00 now?', 'Pay $99.00'])
    expect(text).toContain('$99.00')
  }
  expect(comeBackQuestion('99.00', membership).text).toContain('to your Visa ending in 4242 right away')
})

test('17.43 the button that cancels does not have the primary color', () => {
  const question = cancelMembershipQuestion({ email: 'zoe@mail.example', membership }, async () => {})
  expect([question.confirm, question.isDestructive]).toEqual(['Cancel membership', true])
})
