import { brand, theme } from '#contract/brand.ts'
import type { Operator } from '#contract/receipts.ts'
import { textWidth } from './helvetica.ts'
import { createPdf, type DrawText, PAGE } from './pdfPage.ts'

export type Fact = [name: string, value: string]

/** Everything on a receipt, a credit note or a statement, ready to be shown. */
export type ReceiptContent = {
  title: 'Receipt' | 'Credit note' | 'Statement'
  url: string
  operator: Operator
  /** Who paid, when, how: 'Member', 'Paid on', 'Reference' and more. */
  facts: Fact[]
  /** `detail` is set smaller below the name. */
  lines: [name: string, amount: string, detail?: string][]
  /** The total, and below it refunds and what is left. */
  totals: Fact[]
  /** What became of the charge, and what renews, or that nothing does. */
  notes: string[]
}

const MARGIN = 64
const RIGHT = PAGE.width - MARGIN
const WHOLE: [number, number] = [MARGIN, RIGHT]
const FACT_COLUMN = MARGIN + 96
const AMOUNT_WIDTH = 130
const SOFT = '#5c574d'
const LINE = '#d8d2c6'
const NOTE = { size: 10.5, color: SOFT, maxWidth: RIGHT - MARGIN }
const FOOT = { size: 9.5, color: SOFT, maxWidth: RIGHT - MARGIN }
/** Where the content of a page begins and ends. Below it is the foot. */
const TOP = 140
const BOTTOM = PAGE.height - 100

/** `draw` is for names in scripts that the fonts of a PDF lack. What doesn't fit continues on a new page. */
export function receiptPdf(content: ReceiptContent, draw: DrawText): Uint8Array<ArrayBuffer> {
  const { title, facts, lines, totals, notes } = content
  const pdf = createPdf(draw)
  let y = TOP
  drawFrame(pdf, content, 1)
  /** Returns where something of this height begins. */
  const take = (height: number): number => {
    if (y + height > BOTTOM) {
      drawFrame(pdf, content, pdf.addPage())
      y = TOP
    }
    y += height
    return y - height
  }
  for (const [name, value] of facts) {
    const at = take(22)
    pdf.write(name, MARGIN, at, { size: 11, color: SOFT })
    pdf.write(value, FACT_COLUMN, at, { size: 11, maxWidth: RIGHT - FACT_COLUMN })
  }
  pdf.line(take(22) + 6, WHOLE, LINE)
  const nameWidth = RIGHT - MARGIN - AMOUNT_WIDTH
  for (const [name, amount, detail] of lines) {
    const at = take(detail ? 38 : 26) + 4
    pdf.write(name, MARGIN, at, { size: 12, maxWidth: nameWidth })
    pdf.write(amount, RIGHT, at, { size: 12, align: 'right', maxWidth: AMOUNT_WIDTH })
    if (detail) pdf.write(detail, MARGIN, at + 14, { ...FOOT, maxWidth: nameWidth })
  }
  const sums = take(24 * totals.length + 8)
  pdf.line(sums - 8, WHOLE, '#000000')
  totals.forEach(([name, amount], index) => {
    const isSum = index === 0 || index === totals.length - 1
    const style = isSum ? ({ size: 14, font: 'bold' } as const) : { size: 12 }
    const at = sums + 16 + 24 * index
    pdf.write(name, MARGIN, at, { ...style, maxWidth: nameWidth })
    pdf.write(amount, RIGHT, at, { ...style, align: 'right' })
  })
  for (const note of notes) {
    take(4)
    for (const line of wrap(note, NOTE)) pdf.write(line, MARGIN, take(14) + 20, NOTE)
  }
  return pdf.toBytes(`${brand.name} ${title.toLowerCase()}`)
}

/** The head and the foot of a page: the brand, and the company behind it. */
function drawFrame(pdf: ReturnType<typeof createPdf>, { title, url, operator }: ReceiptContent, page: number) {
  const accent = brand.accent ?? theme.accent
  pdf.write(brand.name, MARGIN, 84, { size: 22, font: 'bold', color: accent, maxWidth: 300 })
  pdf.write(page > 1 ? `${title}, page ${page}` : title, RIGHT, 84, { size: 22, align: 'right', color: SOFT })
  pdf.line(100, WHOLE, accent, 2)
  pdf.line(PAGE.height - 76, WHOLE, LINE)
  const { name, address, support } = operator
  pdf.write([name, address].filter(Boolean).join(', '), MARGIN, PAGE.height - 60, FOOT)
  pdf.write([url, support?.text].filter(Boolean).join(' · '), MARGIN, PAGE.height - 46, FOOT)
}

/** A text as lines that fit. */
export function wrap(text: string, { size, maxWidth }: { size: number; maxWidth: number }): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`
    if (lines.length && textWidth(longer, 'regular', size) <= maxWidth) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}
