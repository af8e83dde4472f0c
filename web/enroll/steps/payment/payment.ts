import type { EnrollmentReply, EnrollmentStatus } from '#contract/api.ts'
import type { Enrollment } from '#contract/enrollment.ts'
import type { api } from '#web/api.ts'
import { isRejected, type RejectedCall } from '#web/call.ts'

/** What the visitor can do about a declined card: correct the input, use another card, or ask the bank. */
export type DeclineClass = NonNullable<EnrollmentReply['decline_class']>

/** The outcome of a payment attempt. Only 'declined' may be called declined. */
export type Outcome =
  | { is: 'approved' }
  /** This page's enrollment was paid before, perhaps by another person: show no welcome. */
  | { is: 'paid' }
  | { is: 'declined'; decline_class: DeclineClass }
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

/** Opens the office once, within a minute. Without a token the member signs in there. */
type Grant = { token: string; vo_url: string }

/** When Confirm and Pay was pressed, and for which attempt. */
export type SubmittedAttempt = { attempt: number; pressed_at: number }

type PaymentOptions = {
  calls: Pick<typeof api, 'addEnrollment' | 'getStatus'>
  enrollment_id: string
  /** The last press before a reload. */
  earlierPress?: SubmittedAttempt | undefined
  /** The spec stores the token. */
  saveToken: (token: string) => void
  now: () => number
  pause: (milliseconds: number) => Promise<unknown>
  isOnline?: () => boolean
  /** Aborts when the browser goes offline. */
  offlineSignal?: () => AbortSignal
}

type SubmitOptions = {
  /** Runs before anything is sent, so that a reload knows what may be in flight. */
  onPress?: (press: SubmittedAttempt) => void
  /** Waits until the browser is online. False if the visitor stops waiting. */
  waitForNetwork?: (isSent: boolean) => Promise<boolean>
}

/** The server itself waits 20 s for the gateway. */
const PAYMENT_TIMEOUT_MS = 40_000
const LOOKUP_TIMEOUT_MS = 20_000
const LOOKUP_PAUSE_MS = 2_000
/** The server accepts a grant for 60 s. */
const GRANT_LIFETIME_MS = 45_000

export type Payment = ReturnType<typeof createPayment>

/**
 * The payment of one enrollment. Every press carries the idempotency key `{enrollment}.{attempt}`. The attempt number goes
 * up only after the server has said that the earlier attempt ended without a charge, so no press can charge twice.
 */
export function createPayment(options: PaymentOptions) {
  const { calls, enrollment_id, earlierPress, saveToken, now, pause, isOnline = () => true, offlineSignal } = options
  let attempt: number | undefined
  let press: SubmittedAttempt | undefined
  let needsSignIn = false
  let grant: (Grant & { received_at: number }) | undefined

  const key = () => (enrollment_id ? `${enrollment_id}.${attempt ?? earlierPress?.attempt ?? 1}` : undefined)

  /** Without a token the member signs in at the office. Whoever did not press here is not welcomed: see `paidHere`. */
  const takeApproval = ({ token, vo_url }: EnrollmentReply): Outcome => {
    grant = { token, vo_url, received_at: now() }
    needsSignIn = !token
    if (!token) return { is: 'paid' }
    saveToken(token)
    return { is: 'approved' }
  }

  /** Also takes the attempt number for the next press. Undefined: there is no payment. */
  const readStatus = ({ state, attempt: nextAttempt, reply }: EnrollmentStatus): Outcome | undefined => {
    attempt = Math.max(attempt ?? 1, nextAttempt)
    switch (state) {
      case 'approved':
        return takeApproval(reply ?? { payment: 'Approved', token: '', vo_url: '' })
      case 'running':
        return { is: 'running' }
      case 'declined':
        return declinedOutcome(reply)
      default:
        return undefined
    }
  }

  /** The server does not know this press. */
  const isUnrecorded = ({ state, attempt: nextAttempt }: EnrollmentStatus, lastPress: SubmittedAttempt | undefined) =>
    (state === 'none' || state === 'declined') && nextAttempt === lastPress?.attempt

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

  /**
   * An earlier payment of this visitor; undefined if they may pay. Looks by the cookie, and by the page's own enrollment,
   * since another tab may have changed the cookie.
   */
  const lookUp = async () => (await lookUpBy({})) ?? (enrollment_id ? lookUpBy({ key: key() }) : undefined)

  const readReply = (reply: EnrollmentReply): Outcome => {
    switch (reply.payment) {
      case 'Approved':
        return takeApproval(reply)
      case 'Declined':
        attempt = (attempt ?? 1) + 1
        return declinedOutcome(reply)
      default:
        return { is: 'running' }
    }
  }

  /** What became of a press whose reply was lost. Undefined: the server does not know it. */
  const lookUpPress = async (timeoutMs = LOOKUP_TIMEOUT_MS): Promise<Outcome | undefined> => {
    const status = await calls.getStatus({}, { key: key(), timeoutMs })
    const outcome = readStatus(status)
    if (outcome && outcome.is !== 'declined') return outcome
    return isUnrecorded(status, press) ? undefined : { is: 'failed', charge: 'none' }
  }

  /**
   * The reply was lost: asks for the status of the same key until the server answers or the time is up. A press that the
   * server does not know may still arrive, so it is asked twice. Undefined if the browser goes offline.
   */
  const recoverReply = async (): Promise<Outcome | undefined> => {
    const deadline = now() + LOOKUP_TIMEOUT_MS
    let hasAsked = false
    do {
      if (!isOnline()) return
      try {
        const outcome = await lookUpPress(Math.max(deadline - now(), LOOKUP_PAUSE_MS))
        if (outcome || hasAsked) return outcome ?? { is: 'failed', charge: 'none' }
        hasAsked = true
      } catch {
        // the server does not answer, and is asked again
      }
      await pause(LOOKUP_PAUSE_MS)
    } while (now() < deadline)
    return { is: 'failed', charge: press || earlierPress ? 'unknown' : 'none' }
  }

  /** Paid by a press on this page, with a token or without: never "declined", and never somebody else's payment. */
  const paidHere = (outcome: Outcome): Outcome => (outcome.is === 'paid' ? { is: 'approved' } : outcome)

  const readRejection = async ({ status, message, fields }: RejectedCall): Promise<Outcome> => {
    if (status === 409) await lookUp().catch(() => undefined) // the attempt is over: get the next attempt number
    return { is: 'rejected', message, fields }
  }

  return {
    lookUp,

    /** Confirm and Pay. If the network is lost, waits for it, then goes on with the same key. */
    async submit(payload: Enrollment, { onPress, waitForNetwork }: SubmitOptions = {}): Promise<Outcome> {
      let isSent = false
      const findEarlier = () => {
        if (isSent) return lookUpPress()
        return attempt === undefined || !isOnline() ? lookUp() : undefined // offline this fails, and nothing is sent
      }
      const send = async (): Promise<Outcome> => {
        const earlierOutcome = await findEarlier()
        if (earlierOutcome) return earlierOutcome
        press = { attempt: attempt ?? 1, pressed_at: now() }
        onPress?.(press)
        isSent = true
        const signal = offlineSignal?.()
        const request = { key: key(), timeoutMs: PAYMENT_TIMEOUT_MS, ...(signal ? { signal } : {}) }
        return readReply(await calls.addEnrollment(payload, request))
      }
      for (;;)
        try {
          const outcome = await send()
          return isSent ? paidHere(outcome) : outcome
        } catch (cause) {
          if (isRejected(cause)) return readRejection(cause)
          const outcome = isOnline() ? await recoverReply() : undefined
          if (outcome) return press ? paidHere(outcome) : outcome
          if (!(await waitForNetwork?.(isSent))) return { is: 'stopped', isSent }
        }
    },

    /** The outcome of the attempt that is being checked. Throws if the server does not answer. */
    async check(): Promise<Outcome> {
      const status = await calls.getStatus({}, { key: key() })
      if (isInFlight(status, press ?? earlierPress)) return { is: 'running' }
      const outcome = readStatus(status) ?? { is: 'released' }
      return press ? paidHere(outcome) : outcome
    },

    /** The office's address, if the payment was approved without a token: the member has to sign in there. */
    signInUrl: () => (needsSignIn ? grant?.vo_url : undefined),

    /** Whether the office can be opened without asking the server. */
    hasFreshGrant: () => isFresh(grant),

    /** A grant that opens the office. Asks for a new one if there is none, or it is old or used. */
    async takeGrant(): Promise<Grant> {
      if (!isFresh(grant)) readStatus(await calls.getStatus({}, { key: key() }))
      const { token = '', vo_url = '' } = grant ?? {}
      if (grant) grant.token = ''
      return { token, vo_url }
    },
  }

  function declinedOutcome(reply: EnrollmentReply | undefined): Outcome {
    return { is: 'declined', decline_class: reply?.decline_class ?? 'bank' }
  }

  function isFresh(candidate: typeof grant) {
    return candidate !== undefined && candidate.token !== '' && now() - candidate.received_at < GRANT_LIFETIME_MS
  }
}
