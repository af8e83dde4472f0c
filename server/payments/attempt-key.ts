import { hash } from 'node:crypto'

/** Identifies one attempt to pay. A caller sends it as `Idempotency-Key: {enrollment}.{attempt}`. */
export type AttemptKey = { enrollment_id: string; attempt: number }

export const parseAttemptKey = (text: string): AttemptKey => {
  const [enrollment_id = '', attempt] = text.split('.')
  return { enrollment_id, attempt: Number(attempt) }
}

/** Our reference for an attempt at the gateway: 20 letters and digits, the most that every gateway accepts. */
export const referenceOf = ({ enrollment_id, attempt }: AttemptKey): string =>
  BigInt(`0x${hash('sha256', `${enrollment_id}.${attempt}`, 'hex')}`)
    .toString(36)
    .slice(-20)
