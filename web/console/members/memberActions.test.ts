import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { MemberPage, PaymentRow } from '#contract/console/member-page.ts'
import { planOf } from './memberActions.tsx'

const period = { starts_on: '2026-01-16', ends_on: '2027-01-16' }
const on_release = { step: 'wait', until: '2027-01-16' }
const membership = { interval: 'year', period, may_waive: period, on_release, price: '99.00', lines: [{ name: 'Kit' }] }
const member = { id: '1', first_name: 'Ada', membership } as unknown as MemberPage

test.each(['cancel', 'release', 'waive'] as const)('17.14 the dialog to %s a yearly membership says "year"', (kind) => {
  const { title, text } = planOf({ kind }, member, 'UTC')
  expect(`${title} ${text}`).toMatch(/ year\b/)
  expect(`${title} ${text}`).not.toMatch(/month/i)
})

test.each([
  [{ step: 'begin' }, 'A new year starts today, and Ada will be charged $99.00 shortly. Missed years aren’t charged.'],
  [{ step: 'retry' }, 'This year isn’t paid yet, and the card will be tried again shortly.'],
  [{ step: 'end' }, 'The membership ends shortly, because the card can’t be charged anymore. Ada gets an email.'],
  [{ step: 'end', until: '2027-01-30' }, /The membership ends on Jan 30, 2027 unless Ada adds a new card\.$/],
  [{ step: 'stop', until: '2027-01-30' }, /continues, but Kit will stop on Jan 30, 2027 unless Ada adds a new card\.$/],
  [on_release, 'Nothing is charged now: this year is paid. The next charge is on Jan 16, 2027.'],
  [{ ...on_release, state: 'due' }, /This year isn’t paid yet, and the next try is on Jan 16, 2027\.$/],
  [{ step: 'waive', waived: period }, 'Nothing is charged: this year is free. The next charge is on Jan 16, 2027.'],
  [{ step: 'nothing' }, 'Nothing is charged now.'],
])('19.25 the dialog to release a hold says what follows: %j', (situation, text) => {
  const { step, until, state = 'paid', waived } = situation as Record<string, unknown>
  const held = { ...membership, on_release: { step, until }, period: { ...period, state }, waived }
  expect(planOf({ kind: 'release' }, { ...member, membership: held } as MemberPage, 'UTC').text).toMatch(text)
})

test('19.24 the refund dialog names payment, date and card, and refuses too much by itself', () => {
  const payment = {
    reference: 'ref-1',
    period: 2,
    at: '2026-11-18T10:04:00.000Z',
    amount: '99.00',
    refundable: '49.50',
    card: { brand: 'Visa', last_four: '4242' },
  } as PaymentRow
  const { text, rules } = planOf({ kind: 'refund', payment }, member, 'UTC')
  const html = renderToStaticMarkup(text)
  expect(html).toContain('$99.00 on Nov 18, 2026, 10:04')
  expect(html).toContain('Visa •••• 4242, renewal 2, ref-1')
  expect(rules.amount?.safeParse('49.51').error?.issues[0]?.message).toBe('At most $49.50 can be refunded.')
  expect(rules.amount?.safeParse('49.50').success).toBe(true)
})
