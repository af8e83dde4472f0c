import { brand, theme } from '#contract/brand.ts'
import { createPdfPage, type DrawText, PAGE } from './pdfPage.ts'

export type Fact = [name: string, value: string]

/** Everything on a receipt or a credit note, ready to be shown. */
export type ReceiptContent = {
  title: 'Receipt' | 'Credit note'
  operator: { name: string; url: string }
  /** Who paid, when, how: 'Member', 'Paid on', 'Reference' and more. */
  facts: Fact[]
  lines: Fact[]
  /** The total, and below it refunds and what is left. */
  totals: Fact[]
  /** What became of the charge, and what renews, or that nothing does. */
  notes: string[]
}

const MARGIN = 64
const RIGHT = PAGE.width - MARGIN
const FACT_COLUMN = MARGIN + 96
const AMOUNT_WIDTH = 130
const SOFT = '#5c574d'
const LINE = '#d8d2c6'
const TOTAL_STEP = 24
const NOTE_STEP = 18

/** A receipt or a credit note on one page. `draw` is for names in scripts that the fonts of a PDF lack. */
export function receiptPdf(
  { title, operator, facts, lines, totals, notes }: ReceiptContent,
  draw: DrawText,
): Uint8Array<ArrayBuffer> {
  const page = createPdfPage(draw)
  const accent = brand.accent ?? theme.accent
  const whole: [number, number] = [MARGIN, RIGHT]
  page.write(operator.name, MARGIN, 84, { size: 22, font: 'bold', color: accent, maxWidth: 300 })
  page.write(title, RIGHT, 84, { size: 22, align: 'right', color: SOFT })
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
  const below = 118 + TOTAL_STEP * totals.length + NOTE_STEP * notes.length
  const step = Math.min(26, (PAGE.height - below - y) / lines.length)
  for (const [name, amount] of lines) {
    page.write(name, MARGIN, y + 4, { size: Math.min(12, step - 2), maxWidth: RIGHT - MARGIN - AMOUNT_WIDTH })
    page.write(amount, RIGHT, y + 4, { size: Math.min(12, step - 2), align: 'right', maxWidth: AMOUNT_WIDTH })
    y += step
  }
  page.line(y - 8, whole, '#000000')
  totals.forEach(([name, amount], index) => {
    const isSum = index === 0 || index === totals.length - 1
    const style = isSum ? ({ size: 14, font: 'bold' } as const) : { size: 12 }
    page.write(name, MARGIN, y + 16, { ...style, maxWidth: RIGHT - MARGIN - AMOUNT_WIDTH })
    page.write(amount, RIGHT, y + 16, { ...style, align: 'right' })
    y += TOTAL_STEP
  })
  for (const note of notes) {
    page.write(note, MARGIN, y + 28, { size: 10.5, color: SOFT, maxWidth: RIGHT - MARGIN })
    y += NOTE_STEP
  }
  page.line(PAGE.height - 76, whole, LINE)
  page.write(`${operator.name} · ${operator.url}`, MARGIN, PAGE.height - 58, {
    size: 9.5,
    color: SOFT,
    maxWidth: RIGHT - MARGIN,
  })
  return page.toBytes(`${operator.name} ${title.toLowerCase()}`)
}
