import { hash } from 'node:crypto'

/** Identifies one attempt to pay. A caller sends it as `Idempotency-Key: {enrollment}.{attempt}`. */
export type AttemptKey = { enrollment_id: string; attempt: number }

export const parseAttemptKey = (text: string): AttemptKey => {
  const [enrollment_id = '', attempt] = text.split('.')
  return { enrollment_id, attempt: Number(attempt) }
}

/** Our reference for an attempt at the gateway: 20 letters and digits, the most that every gateway accepts. */
export const referenceOf = ({ enrollment_id, attempt }: AttemptKey): string => shortHash(`${enrollment_id}.${attempt}`)

/** Our reference for a refund. */
export const refundReferenceOf = (refund_id: string): string => shortHash(`refund.${refund_id}`)

const shortHash = (text: string) =>
  BigInt(`0x${hash('sha256', text, 'hex')}`)
    .toString(36)
    .slice(-20)
