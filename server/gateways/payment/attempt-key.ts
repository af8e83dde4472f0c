import { hash } from 'node:crypto'
import { referenceFrom } from '#contract/receipt-texts.ts'

/** Identifies one attempt to pay. A caller sends it as `Idempotency-Key: {enrollment}.{attempt}`. */
export type AttemptKey = { enrollment_id: string; attempt: number }

export const parseAttemptKey = (text: string): AttemptKey => {
  const [enrollment_id = '', attempt] = text.split('.')
  return { enrollment_id, attempt: Number(attempt) }
}

/** Our reference for an attempt at the gateway. */
export const referenceOf = ({ enrollment_id, attempt }: AttemptKey): string => shortHash(`${enrollment_id}.${attempt}`)

/** Our reference for a refund. */
export const refundReferenceOf = (refund_id: string): string => shortHash(`refund.${refund_id}`)

const shortHash = (text: string) => referenceFrom(hash('sha256', text, 'hex'))
