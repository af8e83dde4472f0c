import type { EnrollmentReply } from '#contract/api.ts'

/** What the visitor can do about a declined card: correct the input, use another card, or ask the bank. */
export type DeclineClass = NonNullable<EnrollmentReply['decline_class']>

/** The outcome of a payment attempt. Only 'declined' may be called declined. */
export type Outcome =
  | { is: 'approved' }
  /** This page's enrollment was paid before, perhaps by another person: show no welcome. */
  | { is: 'paid' }
  | { is: 'declined'; decline_class: DeclineClass }
  /** We can never find out the outcome. Support can look up the reference. */
  | { is: 'unknown'; reference: string }
  /** Not known yet: ask again, never pay again. */
  | { is: 'running' }
  /** It ended, and nothing was charged. */
  | { is: 'released' }
  /** The server rejected it before any money moved. */
  | { is: 'rejected'; message: string; fields: Record<string, string[]> }
  /** The request failed. The next press retries the same payment, so it cannot charge twice. */
  | { is: 'failed'; charge: 'none' | 'unknown' }
  /** The visitor did not want to wait for the network any longer. */
  | { is: 'stopped'; isSent: boolean }

/** What is shown above the card fields after an attempt. */
export type PaymentNews =
  | { kind: 'declined'; decline_class: DeclineClass }
  | { kind: 'released' }
  | { kind: 'rejected'; message: string }
  /** It is not known whether anything was charged. */
  | { kind: 'unknown' }

/** When Confirm and Pay was pressed, and for which attempt. */
export type SubmittedAttempt = { attempt: number; pressed_at: number }

export const declinedOutcome = (reply: EnrollmentReply | undefined): Outcome => ({
  is: 'declined',
  decline_class: reply?.decline_class ?? 'bank',
})

export const unknownOutcome = (reply: EnrollmentReply | undefined): Outcome => ({
  is: 'unknown',
  reference: reply?.reference ?? '',
})
