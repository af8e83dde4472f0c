import { expect, test } from 'vitest'
import type { OfficeView } from '#contract/office/view.ts'
import { receiptTexts } from '#contract/receipt-texts.ts'
import type { CreditNote } from '#contract/receipts.ts'
import { creditNoteContent } from '#web/receipt/creditNote.ts'
import { receiptContent } from './downloadReceipt.ts'

const dates = { billing_interval: 'month', renews_on: '2026-12-15', is_over: false }
const membership = { price: '99.00', lines: [{}], ...dates }
const charge = {
  reference: 'r7',
  paid_on: '2026-11-15',
  lines: [],
  total: '99.00',
  credit_notes: [],
  is_collected: true,
}
const operator = { name: 'Foyer LLC', address: '1 Main Street, Reno, NV 89501', refunds: 'Within 14 days.' }
const names = { first_name: 'Zoë', last_name: 'Example', business_name: '', sponsor_name: 'Ana' }
const view = { ...names, membership, operator } as never
const pdf = (changes: object, more: object = {}) =>
  receiptContent(Object.assign({}, view, changes) as OfficeView, { ...charge, ...more }, 'https://a.example')

test('15.21 the card is named if it is known, and a canceled membership says that nothing renews', () => {
  expect(pdf({}).facts.map(([name]) => name)).toEqual(['Member', 'Paid on', 'Reference', 'Sponsor'])
  expect(pdf({}, { card: { brand: 'Visa', last_four: '4242' } }).facts).toContainEqual([
    'Paid with',
    'Visa ending in 4242',
  ])
  expect(pdf({}).notes[0]).toBe('The membership renews on December 15, 2026 for $99.00 a month, until it is canceled.')
  expect(pdf({ membership: { ...membership, cancelled_on: '2026-11-20' } }).notes[0]).toBe(
    'The membership ends on December 15, 2026. There are no further charges.',
  )
  expect(pdf({ membership: { price: '0.00', lines: [], ...dates } }).notes[0]).toBe(
    'The membership is paid. There are no further charges.',
  )
})

const part = { number: 7, issued_on: '2026-11-20', amount: '40.00', is_void: false }
const rest = { number: 9, issued_on: '2026-11-21', amount: '59.00', is_void: false }
const voided = { number: 8, issued_on: '2026-11-16', amount: '99.00', is_void: true }
const won = { disputed_on: '2026-11-18', dispute_won_on: '2026-12-01' }
const lost = { disputed_on: '2026-11-18', dispute_lost_on: '2026-12-01' }

test.each([
  ['paid', {}, undefined, [['Total paid', '$99.00']], []],
  [
    'refunded in part',
    { credit_notes: [part] },
    '$40.00 refunded',
    [
      ['Total paid', '$99.00'],
      ['Refunded on November 20, 2026 (CN-0007)', '-$40.00'],
      ['Total after refunds', '$59.00'],
    ],
    [],
  ],
  [
    'refunded in two parts',
    { credit_notes: [part, rest] },
    'Refunded',
    [
      ['Total paid', '$99.00'],
      ['Refunded on November 20, 2026 (CN-0007)', '-$40.00'],
      ['Refunded on November 21, 2026 (CN-0009)', '-$59.00'],
      ['Total after refunds', '$0.00'],
    ],
    [],
  ],
  [
    'voided',
    { credit_notes: [voided] },
    'Canceled',
    [
      ['Total', '$99.00'],
      ['Canceled on November 16, 2026 (CN-0008)', '-$99.00'],
      ['Charged', '$0.00'],
    ],
    ['This charge was canceled before it was collected.'],
  ],
  [
    'disputed',
    { disputed_on: '2026-11-18' },
    'Disputed',
    [['Total paid', '$99.00']],
    ['This charge has been in dispute with your bank since November 18, 2026.'],
  ],
  [
    'disputed, and won',
    won,
    undefined,
    [['Total paid', '$99.00']],
    ['A bank dispute about this charge ended on December 1, 2026. The charge stands.'],
  ],
  [
    'disputed, and lost',
    lost,
    'Returned by your bank',
    [
      ['Total paid', '$99.00'],
      ['Returned by your bank', '-$99.00'],
      ['Total after the dispute', '$0.00'],
    ],
    ['A bank dispute about this charge ended on December 1, 2026. Your bank returned the payment to you.'],
  ],
  [
    'refunded in part, disputed, and lost',
    { ...lost, credit_notes: [part] },
    'Returned by your bank',
    [
      ['Total paid', '$99.00'],
      ['Refunded on November 20, 2026 (CN-0007)', '-$40.00'],
      ['Returned by your bank', '-$59.00'],
      ['Total after the dispute', '$0.00'],
    ],
    ['A bank dispute about this charge ended on December 1, 2026. Your bank returned the payment to you.'],
  ],
  [
    'not collected',
    { is_collected: false },
    'Not collected',
    [['Total', '$99.00']],
    ['This charge hasn’t been collected.'],
  ],
] as const)('15.21 a charge that is %s says so', (_name, changes, status, totals, sentences) => {
  const receipt = { ...charge, ...changes } as Parameters<typeof receiptTexts>[0]
  expect(receiptTexts(receipt).status).toBe(status)
  const { totals: printed, notes } = pdf({}, changes)
  expect(printed).toEqual(totals)
  expect(notes).toEqual([...sentences, expect.stringContaining('The membership renews'), 'Refunds: Within 14 days.'])
})

test('15.21 nothing on the receipt of a voided charge says that it was paid', () => {
  const { facts, totals, notes } = pdf({}, { credit_notes: [voided], card: { brand: 'Visa', last_four: '4242' } })
  expect(JSON.stringify([facts, totals, notes])).not.toMatch(/paid/i)
})

test('17.45 a credit note has its number, its day, the receipt, the member, the share of each line and the amount', () => {
  const note: CreditNote = {
    number: 12,
    issued_on: '2026-11-20',
    is_void: false,
    lines: [
      { name: 'Founding Membership', price: '32.20' },
      { name: 'Parcel', price: '7.80' },
    ],
    amount: '40.00',
    receipt: { reference: 'r7', paid_on: '2026-11-15', total: '123.00' },
    member: { first_name: 'Zoë', last_name: 'Example', business_name: 'Zoë & Co.' },
    operator,
  }
  expect(creditNoteContent(note, 'https://a.example')).toMatchObject({
    title: 'Credit note',
    operator,
    facts: [
      ['Number', 'CN-0012'],
      ['Date', 'November 20, 2026'],
      ['Member', 'Zoë Example'],
      ['Company', 'Zoë & Co.'],
      ['Receipt date', 'November 15, 2026'],
      ['Reference', 'r7'],
    ],
    lines: [
      ['Founding Membership', '$32.20'],
      ['Parcel', '$7.80'],
    ],
    totals: [['Total refunded', '$40.00']],
    notes: ['This refunds $40.00 of the $123.00 paid on November 15, 2026.', 'Refunds: Within 14 days.'],
  })
  const canceled = creditNoteContent({ ...note, is_void: true, amount: '123.00' }, 'https://a.example')
  expect(canceled.totals).toEqual([['Total canceled', '$123.00']])
  expect(canceled.notes[0]).toBe('The charge of $123.00 was canceled before it was collected.')
})
