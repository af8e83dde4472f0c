import { expect, test, vi } from 'vitest'
import { asked } from '#web/enroll/wizard/rules.ts'
import type { Wizard } from '#web/enroll/wizard/wizard.ts'
import { homeOf } from './goToRejectedField.ts'
import { acrossPayment, receiptFor } from './payload.ts'

const now = new Date('2026-11-15T12:00:00Z')
const sent = { is_shipping_different: '1', ship_address: '1 High St', ship_city: 'Bath', ship_zip_code: 'BA1 1AA' }

test.each<[string, Record<string, string>, Record<string, string>]>([
  ['a card of last month has expired', { cc_month: '10', cc_year: '2026' }, { cc_year: 'This card has expired.' }],
  ['a card is good until the end of its month', { cc_month: '11', cc_year: '2026' }, {}],
  ['half a date says nothing', { cc_month: '10', cc_year: '' }, {}],
  ['another country needs no state', { ...sent, ship_country: 'GB', ship_state: '' }, {}],
  ['the United States do', { ...sent, ship_country: 'US', ship_state: '' }, { ship_state: 'Please select a state.' }],
  [
    'an empty city is asked for',
    { ...sent, ship_country: 'GB', ship_city: ' ' },
    { ship_city: 'Please enter your city.' },
  ],
  [
    'a code that is too long is told',
    { ...sent, ship_country: 'GB', ship_zip_code: '1'.repeat(21) },
    { ship_zip_code: 'Please use at most 20 characters.' },
  ],
  [
    'nothing is asked for while it goes home',
    { is_shipping_different: '0', ship_city: '', ship_zip_code: '1'.repeat(21) },
    {},
  ],
])('%s', (_, found, messages) => {
  expect(acrossPayment(found, now)).toEqual(messages)
})

test('an address that was typed and is not asked for stops nobody', () => {
  expect(asked.PAYMENT.ship_zip_code.safeParse('1'.repeat(21)).success).toBe(true)
})

test.each([
  ['however long the page was open', '2026-11-13', '2026-12-13'],
  ['also by a clock that is behind', '2026-11-01', '2026-12-10'],
])('10.12 a receipt renews a month from the day of the payment, %s', (_, today, renewal) => {
  vi.useFakeTimers({ now: new Date(`${today}T12:00:00Z`) })
  vi.stubGlobal('document', { querySelector: () => null })
  const press = { attempt: 1, pressed_at: 0 }
  const start = { renews_on: '2026-12-10', packages: [], sponsor: { name: 'Ana' } }
  const { paid_on, renews_on } = receiptFor({ start, draft: {}, grand_total: '99.00' } as unknown as Wizard, press)
  vi.unstubAllGlobals()
  vi.useRealTimers()
  expect([paid_on, renews_on]).toEqual([today, renewal])
})

const said = ['No.']

test.each([
  [
    'a taken username',
    { username: said, email: said },
    { step: 'ACCOUNT_CREATION', refused: { username: said, email: said } },
  ],
  ['the earliest step first', { username: said, last_name: said }, { step: 'ACCOUNT', refused: { last_name: said } }],
  ['a card stays here', { cc_year: said }, undefined],
  ['what belongs to no field', { sponsor_site_name: said }, undefined],
])('%s leads to its step', (_, fields, home) => {
  expect(homeOf(fields as never)).toEqual(home)
})
