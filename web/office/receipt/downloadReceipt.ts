import { brand } from '#contract/brand.ts'
import { longDay, plainDay } from '#contract/days.ts'
import { showAmount, showPrice } from '#contract/money.ts'
import type { OfficeView } from '#contract/office/view.ts'
import { drawText } from './drawText.ts'
import { type ReceiptContent, receiptPdf } from './receiptPdf.ts'

type Receipt = Omit<OfficeView['receipt'], 'lines'> & {
  lines: { name: string; price: string; is_recurring?: boolean; billing_interval?: string }[]
  /** The period that a renewal pays for. */
  starts_on?: string
  ends_on?: string
}

/** Makes the PDF of a receipt in the browser, and saves it. */
export function downloadReceipt(view: OfficeView, receipt: Receipt): void {
  const bytes = receiptPdf(receiptContent(view, receipt, location.origin), drawText)
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/pdf' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${brand.name}-receipt-${receipt.paid_on}.pdf`.toLowerCase().replace(/\s+/g, '-')
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000) // some browsers read it late
}

export const receiptContent = (view: OfficeView, receipt: Receipt, url: string): ReceiptContent => ({
  operator: { name: brand.name, url },
  facts: [
    ['Member', `${view.first_name} ${view.last_name}`],
    ...(view.business_name ? ([['Company', view.business_name]] as [string, string][]) : []),
    ['Paid on', longDay(receipt.paid_on)],
    ...(receipt.starts_on && receipt.ends_on
      ? ([['For', `${plainDay(receipt.starts_on)} to ${plainDay(receipt.ends_on)}`]] as [string, string][])
      : []),
    ...(receipt.card ? ([['Paid with', showCard(receipt.card)]] as [string, string][]) : []),
    ['Reference', receipt.reference],
    ['Sponsor', view.sponsor_name],
  ],
  lines: receipt.lines.map((line) => [line.name, showPrice(line)]),
  total: showAmount(receipt.total),
  note: renewalNote(view.membership),
})

/** 'Visa ending in 4242' */
export const showCard = ({ brand, last_four }: NonNullable<Receipt['card']>): string =>
  `${brand} ending in ${last_four}`

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
