import { longDay, plainDay } from '#contract/days.ts'
import { showAmount } from '#contract/money.ts'
import { showCreditNote } from '#contract/receipt-texts.ts'
import type { CreditNote, Operator, Receipt } from '#contract/receipts.ts'
import { downloadPdf } from './downloadPdf.ts'
import type { Fact, ReceiptContent } from './receiptPdf.ts'

/** Makes the PDF of a credit note in the browser, and saves it. */
export const downloadCreditNote = (note: CreditNote): Promise<void> =>
  downloadPdf(creditNoteContent(note, location.origin), `credit-note-${showCreditNote(note.number)}`)

export const creditNoteContent = (note: CreditNote, url: string): ReceiptContent => ({
  title: 'Credit note',
  url,
  operator: note.operator,
  facts: [['Number', showCreditNote(note.number)], ['Date', longDay(note.issued_on)], ...creditNoteFacts(note)],
  lines: note.lines.map(({ name, price }) => [name, showAmount(price)]),
  totals: [[totalName(note), showAmount(note.amount)]],
  notes: [creditNoteSentence(note), ...refundTerms(note.operator)],
})

/** The member, and the receipt that it belongs to. */
export const creditNoteFacts = ({ member, receipt }: CreditNote): Fact[] => [
  ['Member', `${member.first_name} ${member.last_name}`],
  ...(member.business_name ? [['Company', member.business_name] satisfies Fact] : []),
  ['Receipt date', longDay(receipt.paid_on)],
  ...(receipt.starts_on && receipt.ends_on
    ? [['For', `${plainDay(receipt.starts_on)} to ${plainDay(receipt.ends_on)}`] satisfies Fact]
    : []),
  ['Reference', receipt.reference],
  ...(receipt.card ? [['Card', showCard(receipt.card)] satisfies Fact] : []),
]

/** The operator's terms, for receipts and credit notes. */
export const refundTerms = ({ refunds }: Operator): string[] => (refunds ? [`Refunds: ${refunds}`] : [])

export const totalName = ({ is_void }: CreditNote): string => (is_void ? 'Total canceled' : 'Total refunded')

export function creditNoteSentence({ is_void, amount, receipt }: CreditNote): string {
  if (is_void) return `The charge of ${showAmount(amount)} was canceled before it was collected.`
  const what = amount === receipt.total ? 'the' : `${showAmount(amount)} of the`
  return `This refunds ${what} ${showAmount(receipt.total)} paid on ${longDay(receipt.paid_on)}.`
}

/** 'Visa ending in 4242' */
export const showCard = ({ brand, last_four }: NonNullable<Receipt['card']>): string =>
  `${brand} ending in ${last_four}`
