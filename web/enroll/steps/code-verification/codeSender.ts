import { api } from '#web/api.ts'
import { RejectedCall } from '#web/call.ts'
import { SOLUTION_LIFETIME_MS, solveCaptcha } from '#web/form/solveCaptcha.ts'
import { log } from '#web/log.ts'
import { fieldMessages } from './dialogs.ts'

export type Channel = 'sms' | 'call'

/** What became of a request for a code. */
export type SendResult =
  | { is: 'sent' }
  /** A code was sent earlier, and the next may be requested in so many seconds. */
  | { is: 'sent-before'; secondsLeft: number }
  | { is: 'not-needed' }
  | { is: 'captcha-required' }
  | { is: 'rejected'; message: string }
  | { is: 'unreachable' }

export type CodeSender = ReturnType<typeof createCodeSender>

/** Sends codes. With our own captcha it solves that first, so the visitor only sees it if that fails. */
export function createCodeSender({ isOwnCaptcha }: { isOwnCaptcha: boolean }) {
  const pendingRequests = new Map<string, Promise<SendResult>>()
  let preSolved: { started_at: number; solution: Promise<string | undefined> } | undefined

  /** A solution that has not been used; undefined if none was started. */
  const takeSolution = async () => {
    const taken = preSolved
    preSolved = undefined
    return taken && Date.now() - taken.started_at > SOLUTION_LIFETIME_MS ? trySolving() : taken?.solution
  }

  const request = async (channel: Channel, mobile_phone: string, captcha: string | undefined) => {
    try {
      return await requests[channel](mobile_phone, captcha ?? (isOwnCaptcha ? await takeSolution() : undefined))
    } catch (cause) {
      const solution = isCaptchaRequired(cause) && isOwnCaptcha && !captcha ? await trySolving() : undefined
      if (!solution) throw cause
      return requests[channel](mobile_phone, solution)
    }
  }

  return {
    /** Starts on the captcha while the visitor still fills in the form. */
    solveAhead: () => {
      preSolved ??= { started_at: Date.now(), solution: trySolving() }
    },

    /** A step that is left and opened again while a code is being sent waits for the same request. */
    send: (channel: Channel, mobile_phone: string, captcha: string | undefined): Promise<SendResult> => {
      const result =
        pendingRequests.get(mobile_phone) ??
        resultOf(request(channel, mobile_phone, captcha)).finally(() => pendingRequests.delete(mobile_phone))
      pendingRequests.set(mobile_phone, result)
      return result
    },
  }
}

/** Undefined if it cannot be solved: then the server asks for it, and the visitor ticks the box. */
const trySolving = (): Promise<string | undefined> =>
  solveCaptcha(new AbortController().signal).catch((cause: unknown) => {
    log('The captcha could not be solved.', cause)
    return undefined
  })

type Reply = { isSent: boolean; message: string }

const requests: Record<Channel, (mobile_phone: string, captcha: string | undefined) => Promise<Reply>> = {
  sms: async (phone_number, captcha) => {
    const { status, message } = await api.sendVerificationCode({ phone_number, captcha })
    return { isSent: status === 1, message }
  },
  call: async (cellphone, captcha) => {
    const { success, message } = await api.verifyCall({ cellphone, captcha })
    return { isSent: success, message }
  },
}

async function resultOf(request: Promise<Reply>): Promise<SendResult> {
  try {
    const { isSent, message } = await request
    return isSent ? { is: 'sent' } : { is: 'rejected', message: message || fieldMessages.codeNotSent }
  } catch (cause) {
    log('The code was not sent.', cause)
    if (!(cause instanceof RejectedCall)) return { is: 'unreachable' }
    if (isCaptchaRequired(cause)) return { is: 'captcha-required' }
    if (cause.status === 409) return { is: 'not-needed' }
    const { fields, retryAfterSeconds, message } = cause
    if (fields.code && retryAfterSeconds) return { is: 'sent-before', secondsLeft: retryAfterSeconds }
    return { is: 'rejected', message }
  }
}

const isCaptchaRequired = (cause: unknown) => cause instanceof RejectedCall && cause.fields.captcha !== undefined
