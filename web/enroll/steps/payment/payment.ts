import type { EnrollmentReply } from '#contract/api.ts'
import type { Enrollment } from '#contract/enrollment.ts'
import { isRejected, type RejectedCall } from '#web/rejected-call.ts'
import { type AttemptOptions, createAttempts, LOOKUP_TIMEOUT_MS, PAYMENT_TIMEOUT_MS, paidHere } from './attempts.ts'
import { createGrant, type Grant } from './grant.ts'
import type { Outcome, SubmittedAttempt } from './outcome.ts'

type PaymentOptions = AttemptOptions & {
  /** The spec stores the token. */
  saveToken: (token: string) => void
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

const LOOKUP_PAUSE_MS = 2_000

export type Payment = ReturnType<typeof createPayment>

/** The payment of one enrollment: Confirm and Pay, what becomes of it when the reply or the network is lost, and the office. */
export function createPayment(options: PaymentOptions) {
  const { calls, earlierPress, now, pause, isOnline = () => true, offlineSignal } = options
  const grant = createGrant(options)

  /** Without a token the member signs in at the office. Whoever did not press here is not welcomed: see `paidHere`. */
  const takeApproval = (reply: EnrollmentReply): Outcome => {
    grant.receive(reply)
    return { is: reply.token ? 'approved' : 'paid' }
  }
  const attempts = createAttempts(options, takeApproval)
  const { lookUp, lookUpPress, check } = attempts

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
    return { is: 'failed', charge: attempts.hasPressed() || earlierPress ? 'unknown' : 'none' }
  }

  /** The visitor was warned about the payment with this reference. A different tab may have paid meanwhile. */
  const lookUpNewer = async (reference: string): Promise<Outcome | undefined> => {
    const outcome = await lookUp()
    return outcome?.is === 'unknown' && outcome.reference === reference ? undefined : outcome
  }

  const readRejection = async ({ status, message, fields }: RejectedCall): Promise<Outcome> => {
    if (status === 409) await lookUp().catch(() => undefined) // the attempt is over: get the next attempt number
    return { is: 'rejected', message, fields }
  }

  /** Confirm and Pay. If the network is lost, waits for it, then goes on with the same key. */
  const submit = async (payload: Enrollment, { onPress, waitForNetwork }: SubmitOptions = {}): Promise<Outcome> => {
    let isSent = false
    const findEarlier = () => {
      if (isSent) return lookUpPress()
      if (payload.after_unknown) return lookUpNewer(payload.after_unknown)
      return !attempts.isKnown() || !isOnline() ? lookUp() : undefined // offline this fails, and nothing is sent
    }
    const send = async (): Promise<Outcome> => {
      const earlierOutcome = await findEarlier()
      if (earlierOutcome) return earlierOutcome
      const press = attempts.startPress()
      onPress?.(press)
      isSent = true
      const signal = offlineSignal?.()
      const request = { key: attempts.key(), timeoutMs: PAYMENT_TIMEOUT_MS, ...(signal ? { signal } : {}) }
      return attempts.readReply(await calls.addEnrollment(payload, request))
    }
    for (;;)
      try {
        const outcome = await send()
        return isSent ? paidHere(outcome) : outcome
      } catch (cause) {
        if (isRejected(cause)) return readRejection(cause)
        const outcome = isOnline() ? await recoverReply() : undefined
        if (outcome) return attempts.hasPressed() ? paidHere(outcome) : outcome
        if (!(await waitForNetwork?.(isSent))) return { is: 'stopped', isSent }
      }
  }

  return {
    lookUp,
    submit,
    check,

    /** Open from the press until its outcome is shown, even on a later visit to the step: the outcome is told only once. */
    press: { isOpen: false },

    /** The office's address, if the payment was approved without a token: the member has to sign in there. */
    signInUrl: grant.signInUrl,

    /** Whether the office can be opened without asking the server. */
    hasFreshGrant: grant.isFresh,

    /**
     * A grant that opens the office: a new one if there is none, or it is old or used. Asks the server even while it is fresh,
     * because without a network the browser would replace the receipt with its error page.
     */
    async takeGrant(): Promise<Grant> {
      if (grant.isFresh()) await attempts.reachServer()
      else await check()
      return grant.take()
    },
  }
}
