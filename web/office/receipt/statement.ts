import { longDay } from '#contract/days.ts'
import { showAmount, toAmount, toCents } from '#contract/money.ts'
import type { OfficeView } from '#contract/office/view.ts'
import { receiptTexts, showCreditNote } from '#contract/receipt-texts.ts'
import type { Receipt } from '#contract/receipts.ts'
import { showCard } from '#web/receipt/creditNote.ts'
import { downloadPdf } from '#web/receipt/downloadPdf.ts'
import type { Fact, ReceiptContent } from '#web/receipt/receiptPdf.ts'

type Payments = Pick<OfficeView, 'receipt' | 'renewals'>

/** All charges, newest first. */
export const paymentsOf = ({ receipt, renewals }: Payments): Receipt[] => [...renewals, ...(receipt ? [receipt] : [])]

/** The years in which a member paid something or got something back, newest first. */
export const statementYears = (view: Payments): string[] => [
  ...new Set(
    entriesOf(view)
      .map(({ on }) => yearOf(on))
      .toReversed(),
  ),
]

/** Makes the PDF of a year's statement in the browser, and saves it. */
export const downloadStatement = (view: OfficeView, year: string): Promise<void> =>
  downloadPdf(statementContent(view, year, location.origin), `statement-${year}`)

export function statementContent(view: OfficeView, year: string, url: string): ReceiptContent {
  const entries = entriesOf(view).filter(({ on }) => yearOf(on) === year)
  const sumOf = (...kinds: Entry['kind'][]) =>
    entries.reduce((sum, { kind, cents }) => sum + (kinds.includes(kind) ? cents : 0), 0)
  const disputed = paymentsOf(view).filter((payment) => yearOf(payment.paid_on) === year && isDisputed(payment))
  return {
    title: 'Statement',
    url,
    operator: view.operator,
    facts: [
      ['Member', `${view.first_name} ${view.last_name}`],
      ...(view.business_name ? [['Company', view.business_name] satisfies Fact] : []),
      ['Year', year],
    ],
    lines: entries.map(({ on, what, cents, detail }) => [`${longDay(on)}: ${what}`, signed(cents), detail]),
    totals: [
      ['Payments', signed(sumOf('payment'))],
      ...(['refund', 'void', 'returned'] as const)
        .filter((kind) => sumOf(kind))
        .map((kind): Fact => [names[kind], signed(sumOf(kind))]),
      [`Total for ${year}`, signed(sumOf('payment', 'refund', 'void', 'returned'))],
    ],
    notes: disputed.map(
      ({ total, paid_on }) =>
        `The payment of ${showAmount(total)} on ${longDay(paid_on)} is in dispute with your bank. The total includes it.`,
    ),
  }
}

const names = { refund: 'Refunds', void: 'Canceled charges', returned: 'Returned by your bank' }

type Entry = { on: string; kind: 'payment' | keyof typeof names; what: string; cents: number; detail: string }

/** What was paid and what went back, oldest first. A charge that wasn't collected is neither. */
const entriesOf = (view: Payments): Entry[] =>
  paymentsOf(view)
    .toReversed()
    .filter(({ is_collected }) => is_collected)
    .flatMap(entriesFor)
    .sort((one, other) => one.on.localeCompare(other.on))

function entriesFor({ paid_on, total, reference, card, credit_notes, dispute_lost_on }: Receipt): Entry[] {
  const of = `Reference ${reference}`
  const detail = card ? `${showCard(card)} · ${of}` : of
  const credits = credit_notes.map(({ issued_on, amount, number, is_void }): Entry => {
    const [kind, what] = is_void ? (['void', 'Canceled charge'] as const) : (['refund', 'Refund'] as const)
    return { on: issued_on, kind, what: `${what}, ${showCreditNote(number)}`, cents: -centsOf(amount), detail: of }
  })
  const kept = credits.reduce((sum, { cents }) => sum + cents, centsOf(total))
  return [
    { on: paid_on, kind: 'payment', what: 'Payment', cents: centsOf(total), detail },
    ...credits,
    ...(dispute_lost_on
      ? [{ on: dispute_lost_on, kind: 'returned', what: names.returned, cents: -kept, detail: of } satisfies Entry]
      : []),
  ]
}

const isDisputed = (payment: Receipt) => receiptTexts(payment).status === 'Disputed'
const centsOf = (amount: string) => toCents(amount) ?? 0
const signed = (cents: number) => `${cents < 0 ? '-' : ''}${showAmount(toAmount(Math.abs(cents)))}`
const yearOf = (day: string) => day.slice(0, 4)
