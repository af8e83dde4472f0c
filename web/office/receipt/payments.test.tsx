import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { OfficeView } from '#contract/office/view.ts'
import type { Receipt } from '#contract/receipts.ts'
import { Payments } from './Payments.tsx'
import { statementContent, statementYears } from './statement.ts'

const charge = (paid_on: string, more: Partial<Receipt> = {}): Receipt => ({
  reference: `r${paid_on}`,
  paid_on,
  lines: [{ name: 'Founding Membership', price: '99.00' }],
  total: '99.00',
  card: { brand: 'Visa', last_four: '4242', expires: '2030-07' },
  credit_notes: [],
  is_collected: true,
  ...more,
})
const note = (number: number, issued_on: string, amount: string, is_void = false) => ({
  number,
  issued_on,
  amount,
  is_void,
})

/** Newest first, as the server sends them. */
const renewals = [
  charge('2027-02-15', { disputed_on: '2027-02-20' }),
  charge('2027-01-15', { disputed_on: '2027-01-20', dispute_lost_on: '2027-02-25' }),
  charge('2026-12-20', { is_collected: false }),
  charge('2026-12-15', { credit_notes: [note(2, '2026-12-15', '99.00', true)] }),
]
const receipt = charge('2026-11-15', {
  credit_notes: [note(1, '2026-11-20', '40.00'), note(3, '2027-01-03', '10.00')],
})
const operator = { name: 'Foyer LLC', address: '1 Main Street', refunds: 'Within 14 days.' }
const names = { first_name: 'Zoë', last_name: 'Example', business_name: 'Zoë & Co.' }
const membership = { lines: [{}], is_charged_here: true, is_over: false }
const view = { ...names, renewals, receipt, operator, membership, renewal_emails: false } as unknown as OfficeView
const shown = (changes: object = {}) =>
  renderToStaticMarkup(<Payments office={{ view: { ...view, ...changes }, successIn: () => undefined } as never} />)

test('15.21 the office lists every payment, newest first, with its state, card, reference and PDF', () => {
  const html = shown()
  const items = [...html.matchAll(/<li .*?<\/li>/g)].map(([item]) =>
    item
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  )
  expect(items.map((item) => item.split(' Visa')[0])).toEqual([
    'February 15, 2027 Disputed $99.00',
    'January 15, 2027 Returned by your bank $99.00',
    'December 20, 2026 Not collected $99.00',
    'December 15, 2026 Canceled $99.00',
    'November 15, 2026 $50.00 refunded $99.00',
  ])
  for (const [index, { reference }] of [...renewals, receipt].entries()) {
    expect(items[index]).toContain(`Visa ending in 4242 Reference ${reference} PDF receipt of`)
  }
  expect(items[4]).toContain('Refunded on November 20, 2026 CN-0001 -$40.00')
  expect(html).toContain('href="/office/credit-notes/1"')
  const paid = shown({ renewals: [], receipt: charge('2026-11-15') })
  expect(paid).toContain('<span class="chip">Paid</span>')
})

test('17.13 the email before a charge is offered only while something renews', () => {
  const label = 'Email me three days before each charge'
  expect(shown()).toContain(label)
  for (const change of [{ lines: [] }, { is_over: true }, { is_charged_here: false }, { cancelled_on: '2026-12-01' }])
    expect(shown({ membership: { ...membership, ...change } })).not.toContain(label)
})

test('15.21 a statement lists a year’s payments, refunds and canceled charges, and adds them up', () => {
  expect(statementYears(view)).toEqual(['2027', '2026'])
  const statement = statementContent(view, '2026', 'https://a.example')
  expect(statement).toMatchObject({
    title: 'Statement',
    operator,
    facts: [
      ['Member', 'Zoë Example'],
      ['Company', 'Zoë & Co.'],
      ['Year', '2026'],
    ],
    lines: [
      ['November 15, 2026: Payment', '$99.00', 'Visa ending in 4242 · Reference r2026-11-15'],
      ['November 20, 2026: Refund, CN-0001', '-$40.00', 'Reference r2026-11-15'],
      ['December 15, 2026: Payment', '$99.00', 'Visa ending in 4242 · Reference r2026-12-15'],
      ['December 15, 2026: Canceled charge, CN-0002', '-$99.00', 'Reference r2026-12-15'],
    ],
    totals: [
      ['Payments', '$198.00'],
      ['Refunds', '-$40.00'],
      ['Canceled charges', '-$99.00'],
      ['Total for 2026', '$59.00'],
    ],
    notes: [],
  })
})

test('15.21 a refund is in the statement of the year it was made, and a dispute is mentioned', () => {
  const { lines, totals, notes } = statementContent(view, '2027', 'https://a.example')
  expect(lines.map(([name, amount]) => [name, amount])).toEqual([
    ['January 3, 2027: Refund, CN-0003', '-$10.00'],
    ['January 15, 2027: Payment', '$99.00'],
    ['February 15, 2027: Payment', '$99.00'],
    ['February 25, 2027: Returned by your bank', '-$99.00'],
  ])
  expect(totals).toEqual([
    ['Payments', '$198.00'],
    ['Refunds', '-$10.00'],
    ['Returned by your bank', '-$99.00'],
    ['Total for 2027', '$89.00'],
  ])
  expect(notes).toEqual([
    'The payment of $99.00 on February 15, 2027 is in dispute with your bank. The total includes it.',
  ])
})
