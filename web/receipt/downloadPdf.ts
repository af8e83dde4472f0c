import { brand } from '#contract/brand.ts'
import { drawText } from './drawText.ts'
import { type ReceiptContent, receiptPdf } from './receiptPdf.ts'

/** Makes a PDF in the browser, and saves it as '{brand}-{name}.pdf'. */
export function downloadPdf(content: ReceiptContent, name: string): void {
  const bytes = receiptPdf(content, drawText)
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/pdf' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${brand.name}-${name}.pdf`.toLowerCase().replace(/\s+/g, '-')
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000) // some browsers read it late
}
