import { longDay, plainDay } from '#contract/days.ts'
import { showAmount, showPrice } from '#contract/money.ts'
import type { OfficeView } from '#contract/office/view.ts'
import { receiptTexts, showCreditNote } from '#contract/receipt-texts.ts'
import type { Receipt } from '#contract/receipts.ts'
import { refundTerms, showCard } from '#web/receipt/creditNote.ts'
import { downloadPdf } from '#web/receipt/downloadPdf.ts'
import type { Fact, ReceiptContent } from '#web/receipt/receiptPdf.ts'

/** Makes the PDF of a receipt in the browser, and saves it. */
export const downloadReceipt = (view: OfficeView, receipt: Receipt): Promise<void> =>
  downloadPdf(receiptContent(view, receipt, location.origin), `receipt-${receipt.paid_on}`)

export function receiptContent(view: OfficeView, receipt: Receipt, url: string): ReceiptContent {
  const { is_paid, totals, sentences } = receiptTexts(receipt)
  return {
    title: 'Receipt',
    url,
    operator: view.operator,
    facts: [
      ['Member', `${view.first_name} ${view.last_name}`],
      ...(view.business_name ? [['Company', view.business_name] satisfies Fact] : []),
      [is_paid ? 'Paid on' : 'Date', longDay(receipt.paid_on)],
      ...(receipt.starts_on && receipt.ends_on
        ? [['For', `${plainDay(receipt.starts_on)} to ${plainDay(receipt.ends_on)}`] satisfies Fact]
        : []),
      ...(receipt.card ? [[is_paid ? 'Paid with' : 'Card', showCard(receipt.card)] satisfies Fact] : []),
      ['Reference', receipt.reference],
      ['Sponsor', view.sponsor_name],
    ],
    lines: receipt.lines.map((line) => [line.name, showPrice(line)]),
    totals: totals.map(({ name, amount, credit_note }) => [
      credit_note ? `${name} (${showCreditNote(credit_note)})` : name === 'Paid' ? 'Total paid' : name,
      amount,
    ]),
    notes: [...sentences, renewalNote(view.membership), ...refundTerms(view.operator)],
  }
}

const renewalNote = ({
  lines,
  price,
  billing_interval,
  renews_on,
  cancelled_on,
  ended_on,
}: OfficeView['membership']) => {
  if (ended_on) return `The membership ended on ${longDay(ended_on)}.`
  if (cancelled_on) return `The membership ends on ${longDay(renews_on)}. There are no further charges.`
  if (!lines.length) return 'The membership is paid. There are no further charges.'
  return `The membership renews on ${longDay(renews_on)} for ${showAmount(price)} a ${billing_interval}, until it is canceled.`
}
