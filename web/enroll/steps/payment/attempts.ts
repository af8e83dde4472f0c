import type { EnrollmentReply, EnrollmentStatus } from '#contract/api.ts'
import type { api } from '#web/api.ts'
import { RejectedCall } from '#web/rejected-call.ts'
import { declinedOutcome, type Outcome, type SubmittedAttempt, unknownOutcome } from './outcome.ts'

export type AttemptOptions = {
  calls: Pick<typeof api, 'addEnrollment' | 'getStatus'>
  enrollment_id: string
  /** The last press before a reload. */
  earlierPress?: SubmittedAttempt | undefined
  now: () => number
}

/** The server itself waits 20 s for the gateway. */
export const PAYMENT_TIMEOUT_MS = 40_000
export const LOOKUP_TIMEOUT_MS = 20_000

/**
 * The attempts to pay for one enrollment, as the server knows them. Every press carries the idempotency key
 * `{enrollment}.{attempt}`. The attempt number goes up only after the server has said that the earlier attempt ended
 * without a charge, so no press can charge twice.
 */
export function createAttempts(options: AttemptOptions, takeApproval: (reply: EnrollmentReply) => Outcome) {
  const { calls, enrollment_id, earlierPress, now } = options
  let attempt: number | undefined
  let press: SubmittedAttempt | undefined

  const key = () => (enrollment_id ? `${enrollment_id}.${attempt ?? earlierPress?.attempt ?? 1}` : undefined)

  /** Also takes the attempt number for the next press. Undefined: there is no payment. */
  const readStatus = ({ state, attempt: nextAttempt, reply }: EnrollmentStatus): Outcome | undefined => {
    attempt = Math.max(attempt ?? 1, nextAttempt)
    switch (state) {
      case 'approved':
        return takeApproval(reply ?? { payment: 'Approved', token: '', vo_url: '' })
      case 'running':
        return { is: 'running' }
      case 'unknown':
        return unknownOutcome(reply)
      case 'declined':
        return declinedOutcome(reply)
      default:
        return undefined
    }
  }

  /** The server does not know this press yet, but it may still arrive. */
  const isInFlight = (status: EnrollmentStatus, lastPress: SubmittedAttempt | undefined) =>
    lastPress !== undefined &&
    isUnrecorded(status, lastPress) &&
    Math.abs(now() - lastPress.pressed_at) < PAYMENT_TIMEOUT_MS

  const lookUpBy = async (options: { key?: string | undefined }): Promise<Outcome | undefined> => {
    const status = await calls.getStatus({}, options)
    const outcome = readStatus(status)
    if (isInFlight(status, earlierPress)) return { is: 'running' }
    if (outcome?.is === 'declined') return undefined
    return outcome?.is === 'approved' ? { is: 'paid' } : outcome // not by a press on this page
  }

  return {
    key,
    isKnown: () => attempt !== undefined,
    hasPressed: () => press !== undefined,

    /** Confirm and Pay was pressed: the next request is this attempt. */
    startPress(): SubmittedAttempt {
      press = { attempt: attempt ?? 1, pressed_at: now() }
      return press
    },

    readReply(reply: EnrollmentReply): Outcome {
      switch (reply.payment) {
        case 'Approved':
          return takeApproval(reply)
        case 'Declined':
          attempt = (attempt ?? 1) + 1
          return declinedOutcome(reply)
        case 'Unknown':
          return unknownOutcome(reply)
        default:
          return { is: 'running' }
      }
    },

    /**
     * An earlier payment of this visitor; undefined if they may pay. Looks by the cookie, and by the page's own enrollment,
     * since another tab may have changed the cookie.
     */
    lookUp: async () => (await lookUpBy({})) ?? (enrollment_id ? lookUpBy({ key: key() }) : undefined),

    /** What became of a press whose reply was lost. Undefined: the server does not know it. */
    async lookUpPress(timeoutMs = LOOKUP_TIMEOUT_MS): Promise<Outcome | undefined> {
      const status = await calls.getStatus({}, { key: key(), timeoutMs, waitMs: timeoutMs })
      const outcome = readStatus(status)
      if (outcome && outcome.is !== 'declined') return outcome
      return isUnrecorded(status, press) ? undefined : { is: 'failed', charge: 'none' }
    },

    /** Throws if the server does not answer. What it says does not matter. */
    async reachServer(): Promise<void> {
      await calls.getStatus({}, { key: key() }).catch((cause: unknown) => {
        if (!(cause instanceof RejectedCall)) throw cause
      })
    },

    /** The outcome of the attempt that is being checked. Throws if the server does not answer. */
    async check(): Promise<Outcome> {
      const status = await calls.getStatus({}, { key: key() })
      if (isInFlight(status, press ?? earlierPress)) return { is: 'running' }
      const outcome = readStatus(status) ?? { is: 'released' }
      return press ? paidHere(outcome) : outcome
    },
  }
}

/** The server does not know this press. */
const isUnrecorded = ({ state, attempt }: EnrollmentStatus, lastPress: SubmittedAttempt | undefined) =>
  (state === 'none' || state === 'declined') && attempt === lastPress?.attempt

/** Paid by a press on this page, with a token or without: never "declined", and never someone else's payment. */
export const paidHere = (outcome: Outcome): Outcome => (outcome.is === 'paid' ? { is: 'approved' } : outcome)
