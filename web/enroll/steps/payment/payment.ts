import type { EnrollmentReply, EnrollmentStatus } from '#contract/api.ts'
import type { Enrollment } from '#contract/enrollment.ts'
import type { api } from '#web/api.ts'
import { isRejected, type RejectedCall } from '#web/call.ts'

/** What there is to try: mend the input, take another card, or ask the bank. */
export type DeclineClass = NonNullable<EnrollmentReply['decline_class']>

/** What became of an attempt to pay. Only 'declined' may be called declined. */
export type Outcome =
  | { is: 'approved' }
  /** This page's enrollment was paid before, and perhaps by somebody else: nobody is welcomed for it. */
  | { is: 'paid' }
  | { is: 'declined'; decline_class: DeclineClass }
  /** Nobody can say yet: look again, never pay again. */
  | { is: 'running' }
  /** It ended, and nothing was charged. */
  | { is: 'released' }
  /** The server said no before any money moved: a sentence, and messages by field. */
  | { is: 'refused'; message: string; fields: Record<string, string[]> }
  /** The request failed. Nothing was charged, or nobody could say; the next press asks for the same payment. */
  | { is: 'failed' }

/** Opens the office once, within a minute. Without a token one signs in there. */
type Grant = { token: string; vo_url: string }

/** When Confirm and Pay was pressed, and for which attempt. */
export type Press = { attempt: number; pressed_at: number }

type World = {
  calls: Pick<typeof api, 'addEnrollment' | 'getStatus'>
  enrollment_id: string
  /** The last press before the page was loaded again. */
  earlier?: Press | undefined
  /** Stores the token, as the spec asks. */
  saveToken: (token: string) => void
  now: () => number
  pause: (milliseconds: number) => Promise<unknown>
}

/** The server waits 20 s for the gateway. */
const PATIENCE = 40_000
const LOST_PATIENCE = 20_000
const LOST_PAUSE = 2_000
/** A grant is good for 60 s. */
const FRESH = 45_000

export type Payment = ReturnType<typeof createPayment>

/**
 * One enrollment's way through payment. Every press carries the key `{enrollment}.{attempt}`; the number goes up only
 * after the server has said that the earlier attempt ended without a charge, so no press can charge twice.
 */
export function createPayment({ calls, enrollment_id, earlier, saveToken, now, pause }: World) {
  let attempt: number | undefined
  let press: Press | undefined
  let grant: (Grant & { heard: number }) | undefined

  const key = () => (enrollment_id ? `${enrollment_id}.${attempt ?? earlier?.attempt ?? 1}` : undefined)

  const welcome = ({ token, vo_url }: EnrollmentReply): Outcome => {
    grant = { token, vo_url, heard: now() }
    if (!token) return { is: 'paid' } // who has just paid is handed one
    saveToken(token)
    return { is: 'approved' }
  }

  /** Takes the number for the next press, and tells what there is to tell. */
  const hear = ({ state, attempt: next, reply }: EnrollmentStatus): Outcome | undefined => {
    attempt = Math.max(attempt ?? 1, next)
    switch (state) {
      case 'approved':
        return welcome(reply ?? { payment: 'Approved', token: '', vo_url: '' })
      case 'running':
        return { is: 'running' }
      case 'declined':
        return declinedAs(reply)
      default:
        return undefined
    }
  }

  /** The number that the server would give next is still that of the press: nothing is written down yet, somewhere. */
  const isOnItsWay = ({ state, attempt: next }: EnrollmentStatus, pressed: Press | undefined) =>
    (state === 'none' || state === 'declined') &&
    next === pressed?.attempt &&
    Math.abs(now() - pressed.pressed_at) < PATIENCE

  /** Undefined: they may pay. What is approved was not paid by a press on this page. */
  const lookBy = async (options: { key?: string | undefined }): Promise<Outcome | undefined> => {
    const status = await calls.getStatus({}, options)
    const found = hear(status)
    if (isOnItsWay(status, earlier)) return { is: 'running' }
    if (found?.is === 'declined') return undefined
    return found?.is === 'approved' ? { is: 'paid' } : found
  }

  /** Where this visitor stands, by their cookie; and by this page, which another tab may have left behind with its enrollment. */
  const look = async () => (await lookBy({})) ?? (enrollment_id ? lookBy({ key: key() }) : undefined)

  const answer = (reply: EnrollmentReply): Outcome => {
    switch (reply.payment) {
      case 'Approved':
        return welcome(reply)
      case 'Declined':
        attempt = (attempt ?? 1) + 1
        return declinedAs(reply)
      default:
        return { is: 'running' }
    }
  }

  /** The answer was lost: asks what became of the same key until somebody answers or the patience ends. */
  const find = async (): Promise<Outcome> => {
    const end = now() + LOST_PATIENCE
    do {
      try {
        const found = hear(await calls.getStatus({}, { key: key(), timeoutMs: Math.max(end - now(), LOST_PAUSE) }))
        return found && found.is !== 'declined' ? found : { is: 'failed' }
      } catch {
        await pause(LOST_PAUSE)
      }
    } while (now() < end)
    return { is: 'failed' }
  }

  const refuse = async ({ status, message, fields }: RejectedCall): Promise<Outcome> => {
    if (status === 409) await look().catch(() => undefined) // the attempt is over: the next press needs its own number
    return { is: 'refused', message, fields }
  }

  return {
    look,

    /** Confirm and Pay. `pressing` is told before anything is sent: kept, it says after a reload what may be on its way. */
    async submit(payload: Enrollment, pressing?: (press: Press) => void): Promise<Outcome> {
      try {
        const already = attempt === undefined ? await look() : undefined
        if (already) return already
        press = { attempt: attempt ?? 1, pressed_at: now() }
        pressing?.(press)
        return answer(await calls.addEnrollment(payload, { key: key(), timeoutMs: PATIENCE }))
      } catch (cause) {
        return isRejected(cause) ? refuse(cause) : find()
      }
    },

    /** What became of the attempt that is being checked. Throws when nobody answers. */
    async check(): Promise<Outcome> {
      const status = await calls.getStatus({}, { key: key() })
      if (isOnItsWay(status, press ?? earlier)) return { is: 'running' }
      const found = hear(status) ?? { is: 'released' }
      return found.is === 'paid' && press ? { is: 'approved' } : found // late, but it is what was paid here
    },

    /** Whether there is a grant to go to the office with at once. */
    isWelcome: () => isFresh(grant),

    /** A grant that still opens the office; asks for a new one when there is none, or it is old or spent. */
    async takeGrant(): Promise<Grant> {
      if (!isFresh(grant)) hear(await calls.getStatus({}, { key: key() }))
      const taken = { token: grant?.token ?? '', vo_url: grant?.vo_url ?? '' }
      if (grant) grant.token = ''
      return taken
    },
  }

  function declinedAs(reply: EnrollmentReply | undefined): Outcome {
    return { is: 'declined', decline_class: reply?.decline_class ?? 'bank' }
  }

  function isFresh(held: typeof grant) {
    return held !== undefined && held.token !== '' && now() - held.heard < FRESH
  }
}
