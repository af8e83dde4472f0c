import { drawText } from './drawText.ts'
import { type ReceiptContent, receiptPdf } from './receiptPdf.ts'

/** In a script of its own, which the office loads with the first PDF: see web/build.ts. */
export const makePdf = (content: ReceiptContent): Uint8Array<ArrayBuffer> => receiptPdf(content, drawText)
