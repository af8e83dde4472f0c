import { api } from '#web/api.ts'
import { RejectedCall } from '#web/call.ts'
import { SOLUTION_LIFETIME_MS, solveCaptcha } from '#web/form/solveCaptcha.ts'
import { log } from '#web/log.ts'
import { fieldMessages } from './dialogs.ts'

export type Channel = 'sms' | 'call'

/** The outcome of a request for a code. */
export type SendResult =
  | { is: 'sent' }
  /** A code was sent earlier. The next one may be requested in `secondsLeft` seconds. */
  | { is: 'sent-before'; secondsLeft: number }
  | { is: 'not-needed' }
  | { is: 'captcha-required' }
  | { is: 'rejected'; message: string }
  | { is: 'unreachable' }

export type CodeSender = ReturnType<typeof createCodeSender>

/** Sends codes. Solves our own captcha in the background, so visitors see it only if that fails. */
export function createCodeSender({ isOwnCaptcha }: { isOwnCaptcha: boolean }) {
  const pendingRequests = new Map<string, Promise<SendResult>>()
  const lastChannels = new Map<string, Channel>()
  let preSolvedCaptcha: { started_at: number; solution: Promise<string | undefined> } | undefined

  /** A solution that has not been used; undefined if none was started. */
  const takeSolution = async () => {
    const captcha = preSolvedCaptcha
    preSolvedCaptcha = undefined
    return captcha && Date.now() - captcha.started_at > SOLUTION_LIFETIME_MS ? trySolving() : captcha?.solution
  }

  const request = async (channel: Channel, mobile_phone: string, captcha: string | undefined) => {
    const reply = await requestAsHuman(channel, mobile_phone, captcha)
    if (reply.isSent) lastChannels.set(mobile_phone, channel)
    return reply
  }

  const requestAsHuman = async (channel: Channel, mobile_phone: string, captcha: string | undefined) => {
    try {
      return await requests[channel](mobile_phone, captcha ?? (isOwnCaptcha ? await takeSolution() : undefined))
    } catch (cause) {
      const solution = isCaptchaRequired(cause) && isOwnCaptcha && !captcha ? await trySolving() : undefined
      if (!solution) throw cause
      return requests[channel](mobile_phone, solution)
    }
  }

  return {
    /** Starts solving the captcha while the visitor fills in the form. */
    solveAhead: () => {
      preSolvedCaptcha ??= { started_at: Date.now(), solution: trySolving() }
    },

    /** A step that is left and opened again while a code is being sent waits for the same request. */
    send: (channel: Channel, mobile_phone: string, captcha: string | undefined): Promise<SendResult> => {
      const result =
        pendingRequests.get(mobile_phone) ??
        resultOf(request(channel, mobile_phone, captcha)).finally(() => pendingRequests.delete(mobile_phone))
      pendingRequests.set(mobile_phone, result)
      return result
    },

    /** How this page last sent a code to a number. */
    channelOf: (mobile_phone: string): Channel | undefined => lastChannels.get(mobile_phone),
  }
}

/** Undefined if that fails: the server then asks for a captcha, and the visitor checks the box. */
const trySolving = (): Promise<string | undefined> =>
  solveCaptcha(new AbortController().signal).catch((cause: unknown) => {
    log('The captcha could not be solved.', cause)
    return undefined
  })

type Reply = { isSent: boolean; message: string; code_needed?: boolean | undefined }

const requests: Record<Channel, (mobile_phone: string, captcha: string | undefined) => Promise<Reply>> = {
  sms: async (phone_number, captcha) => {
    const { status, ...reply } = await api.sendVerificationCode({ phone_number, captcha })
    return { isSent: status === 1, ...reply }
  },
  call: async (cellphone, captcha) => {
    const { success, ...reply } = await api.verifyCall({ cellphone, captcha })
    return { isSent: success, ...reply }
  },
}

async function resultOf(request: Promise<Reply>): Promise<SendResult> {
  try {
    const { isSent, message, code_needed } = await request
    if (code_needed === false) return { is: 'not-needed' }
    return isSent ? { is: 'sent' } : { is: 'rejected', message: message || fieldMessages.codeNotSent }
  } catch (cause) {
    log('The code was not sent.', cause)
    if (!(cause instanceof RejectedCall)) return { is: 'unreachable' }
    if (isCaptchaRequired(cause)) return { is: 'captcha-required' }
    const { fields, retryAfterSeconds, message } = cause
    if (fields.code && retryAfterSeconds) return { is: 'sent-before', secondsLeft: retryAfterSeconds }
    return { is: 'rejected', message }
  }
}

const isCaptchaRequired = (cause: unknown) => cause instanceof RejectedCall && cause.fields.captcha !== undefined
