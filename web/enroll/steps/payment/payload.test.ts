import { expect, test, vi } from 'vitest'
import { fieldRules } from '#web/enroll/wizard/rules.ts'
import type { Wizard } from '#web/enroll/wizard/wizard.ts'
import { findRejectedStep } from './goToRejectedField.ts'
import { payloadOf, paymentProblems, receiptFor } from './payload.ts'

const now = new Date('2026-11-15T12:00:00Z')
const shippingAnswers = {
  is_shipping_different: '1',
  ship_address: '1 High St',
  ship_city: 'Bath',
  ship_zip_code: 'BA1 1AA',
}

test.each<[string, Record<string, string>, Record<string, string>]>([
  ['a card of last month has expired', { cc_month: '10', cc_year: '2026' }, { cc_year: 'This card has expired.' }],
  ['a card is valid until the end of its month', { cc_month: '11', cc_year: '2026' }, {}],
  ['half a date is not checked', { cc_month: '10', cc_year: '' }, {}],
  ['another country needs no state', { ...shippingAnswers, ship_country: 'GB', ship_state: '' }, {}],
  [
    'the United States does',
    { ...shippingAnswers, ship_country: 'US', ship_state: '' },
    { ship_state: 'Please select a state.' },
  ],
  [
    'an empty city is required',
    { ...shippingAnswers, ship_country: 'GB', ship_city: ' ' },
    { ship_city: 'Please enter your city.' },
  ],
  [
    'a ZIP code that is too long is rejected',
    { ...shippingAnswers, ship_country: 'GB', ship_zip_code: '1'.repeat(21) },
    { ship_zip_code: 'Please use at most 20 characters.' },
  ],
  [
    'nothing is required while the billing address is used',
    { is_shipping_different: '0', ship_city: '', ship_zip_code: '1'.repeat(21) },
    {},
  ],
])('%s', (_, values, messages) => {
  expect(paymentProblems(values, now)).toEqual(messages)
})

test('a shipping address that is not used stops no payment', () => {
  expect(fieldRules.PAYMENT.ship_zip_code.safeParse('1'.repeat(21)).success).toBe(true)
})

test.each([
  ['opened today', 'UTC', '2026-11-10T12:00:00Z', '2026-11-10', '2026-12-10'],
  ['open for three days', 'UTC', '2026-11-13T12:00:00Z', '2026-11-13', '2026-12-13'],
  ['and a clock that is behind', 'UTC', '2026-11-08T12:00:00Z', '2026-11-10', '2026-12-10'],
  ['in the evening in New York', 'America/New_York', '2026-11-11T01:00:00Z', '2026-11-10', '2026-12-10'],
  ['open over midnight in New York', 'America/New_York', '2026-11-11T05:00:00Z', '2026-11-11', '2026-12-11'],
])('10.12 a page %s (%s) is paid on the day of the charge', (_, time_zone, now, paid_on, renews_on) => {
  vi.useFakeTimers({ now: new Date(now) })
  vi.stubGlobal('document', { querySelector: () => null })
  const press = { attempt: 1, pressed_at: 0 }
  const start = { today: '2026-11-10', time_zone, sponsor: { name: 'Ana' } }
  const getState = () => ({ draft: {}, packages: [], grand_total: '99.00' })
  const receipt = receiptFor({ start, getState } as unknown as Wizard, press, { cc_number: '4242 4242 4242 4242' })
  vi.unstubAllGlobals()
  vi.useRealTimers()
  expect(receipt).toMatchObject({ paid_on, renews_on, card: { brand: 'Visa', last_four: '4242' } })
  expect(JSON.stringify(receipt), 'no more of the card').not.toContain('4242 ')
  expect(JSON.stringify(receipt)).not.toContain('42424')
})

test('10.1 an order names the sponsor of its page, and has the answers of every step', () => {
  const start = { sponsor: { site: 'ana' } }
  const draft = { product_ids: '34', first_name: 'Zoë', mobile_phone: '+12025550123', username: 'zoe', password: 'P' }
  const wizard = { start, getState: () => ({ draft, packages: [], grand_total: '99.00' }) } as unknown as Wizard
  const card = { cc_number: '4242424242424242', cc_year: '2030' }
  expect(payloadOf(wizard, [], { city: 'Austin', ...card } as never)).toMatchObject({
    ...{ ...draft, ...card },
    ...{ sponsor_site_name: 'ana', bill_city: 'Austin' },
  })
})

const messages = ['No.']

test.each([
  [
    'a taken username',
    { username: messages, email: messages },
    { step: 'ACCOUNT_CREATION', rejectedFields: { username: messages, email: messages } },
  ],
  [
    'rejected fields of two steps',
    { username: messages, last_name: messages },
    { step: 'ACCOUNT', rejectedFields: { last_name: messages } },
  ],
  ['a card, which is on this step', { cc_year: messages }, undefined],
  ['a message without a field', { sponsor_site_name: messages }, undefined],
])('%s leads to the right step', (_, fields, step) => {
  expect(findRejectedStep(fields as never)).toEqual(step)
})
