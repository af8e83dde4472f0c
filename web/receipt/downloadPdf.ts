import { brand } from '#contract/brand.ts'
import type { ReceiptContent } from './receiptPdf.ts'

/** Makes a PDF in the browser, and saves it as '{brand}-{name}.pdf'. */
export async function downloadPdf(content: ReceiptContent, name: string): Promise<void> {
  const { makePdf } = await import('./makePdf.ts')
  const url = URL.createObjectURL(new Blob([makePdf(content)], { type: 'application/pdf' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${brand.name}-${name}.pdf`.toLowerCase().replace(/\s+/g, '-')
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000) // some browsers read it late
}
