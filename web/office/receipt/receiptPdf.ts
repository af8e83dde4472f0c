import { brand, theme } from '#contract/brand.ts'
import { createPdfPage, type DrawText, PAGE } from './pdfPage.ts'

/** Everything on a receipt, ready to be shown. */
export type ReceiptContent = {
  operator: { name: string; url: string }
  /** Who paid, when, how: 'Member', 'Paid on', 'Reference' and more. */
  facts: [name: string, value: string][]
  lines: [name: string, amount: string][]
  total: string
  /** What renews, or that nothing does. */
  note: string
}

const MARGIN = 64
const RIGHT = PAGE.width - MARGIN
const FACT_COLUMN = MARGIN + 96
const AMOUNT_WIDTH = 130
const SOFT = '#5c574d'
const LINE = '#d8d2c6'

/** A receipt on one page. `draw` is for names in scripts that the fonts of a PDF lack. */
export function receiptPdf(
  { operator, facts, lines, total, note }: ReceiptContent,
  draw: DrawText,
): Uint8Array<ArrayBuffer> {
  const page = createPdfPage(draw)
  const accent = brand.accent ?? theme.accent
  const whole: [number, number] = [MARGIN, RIGHT]
  page.write(operator.name, MARGIN, 84, { size: 22, font: 'bold', color: accent, maxWidth: 300 })
  page.write('Receipt', RIGHT, 84, { size: 22, align: 'right', color: SOFT })
  page.line(100, whole, accent, 2)
  let y = 140
  for (const [name, value] of facts) {
    page.write(name, MARGIN, y, { size: 11, color: SOFT })
    page.write(value, FACT_COLUMN, y, { size: 11, maxWidth: RIGHT - FACT_COLUMN })
    y += 22
  }
  y += 22
  page.line(y - 16, whole, LINE)
  // An order has at most a few dozen lines: they come closer together if they have to.
  const step = Math.min(26, (PAGE.height - 190 - y) / lines.length)
  for (const [name, amount] of lines) {
    page.write(name, MARGIN, y + 4, { size: Math.min(12, step - 2), maxWidth: RIGHT - MARGIN - AMOUNT_WIDTH })
    page.write(amount, RIGHT, y + 4, { size: Math.min(12, step - 2), align: 'right', maxWidth: AMOUNT_WIDTH })
    y += step
  }
  page.line(y - 8, whole, '#000000')
  page.write('Total paid', MARGIN, y + 16, { size: 14, font: 'bold' })
  page.write(total, RIGHT, y + 16, { size: 14, font: 'bold', align: 'right' })
  page.write(note, MARGIN, y + 52, { size: 10.5, color: SOFT, maxWidth: RIGHT - MARGIN })
  page.line(PAGE.height - 76, whole, LINE)
  page.write(`${operator.name} · ${operator.url}`, MARGIN, PAGE.height - 58, {
    size: 9.5,
    color: SOFT,
    maxWidth: RIGHT - MARGIN,
  })
  return page.toBytes(`${operator.name} receipt`)
}
