import { useEffect, useEffectEvent, useLayoutEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import type { StartData } from '#contract/start.ts'
import { api } from '#web/api.ts'
import { RejectedCall } from '#web/call.ts'
import { ask, fetchDialog, type Question } from '#web/dialog/ask.ts'
import {
  codeNotSent,
  codeNotSentOffline,
  codeSent,
  codeUnneeded,
  fieldMessages,
  resendIn,
} from '#web/enroll/steps/dialogs.ts'
import { useHere } from '#web/enroll/wizard/useIsMounted.ts'
import { focusField } from '#web/form/focusField.ts'
import { log } from '#web/log.ts'
import { solution, takeSolution } from './codeSender.ts'
import { noteSent, phoneOf, secondsLeft } from './phoneStatus.ts'

type Channel = 'sms' | 'call'
type Sending = 'sent' | 'sent before' | 'unneeded' | 'unanswered' | 'asked' | { refused: string }
/** The server wants to know whether a person asks: how many times it said so, and for which way of sending. */
type Asked = { channel: Channel; times: number }

/**
 * Sends codes to a number: the first by itself, the others when they are asked for and the countdown has run out. `goOn` is
 * called where none is needed any more.
 */
export function useCode(mobile_phone: string, { captcha: vendor }: Pick<StartData, 'captcha'>, goOn: () => unknown) {
  const here = useHere()
  const [sent_at, setSentAt] = useState(phoneOf(mobile_phone).sent_at)
  const [sending, setSending] = useState<Channel>()
  const [failure, setFailure] = useState<string>()
  const [asked, setAsked] = useState<Asked>()
  const left = useSecondsLeft(sent_at)

  const send = async (channel: Channel, captcha?: string): Promise<void> => {
    setSending(channel)
    setFailure(undefined)
    const outcome = await sendOnce(channel, mobile_phone, captcha, !vendor)
    if (!here.current) return
    flushSync(() => {
      setSending(undefined)
      setSentAt(phoneOf(mobile_phone).sent_at)
      setAsked((before) => (outcome === 'asked' ? { channel, times: (before?.times ?? 0) + 1 } : undefined))
    })
    if (outcome === 'asked') focusField('captcha')
    else if (outcome === 'sent' || outcome === 'sent before') {
      if (outcome === 'sent') await ask(codeSent)
      if (here.current) focusField('code')
    } else if (outcome === 'unneeded') {
      await ask(codeUnneeded)
      if (here.current) goOn()
    } else if (outcome === 'unanswered') {
      setFailure(fieldMessages.codeNotSentOffline)
      await tell(codeNotSentOffline)
    } else {
      setFailure(outcome.refused)
      const again = await tell(codeNotSent(outcome.refused))
      if (again.confirmed && here.current) await send(channel)
    }
  }

  const open = useEffectEvent(() => {
    fetchDialog().catch((cause: unknown) => log('The dialog could not be fetched ahead.', cause))
    if (sent_at === undefined) send('sms')
  })
  useEffect(() => open(), [])

  return {
    send,
    sending,
    /** Whether this tab has ever sent one to this number. */
    sent: sent_at !== undefined,
    /** What is wrong with the number, shown beside it. */
    failure,
    asked,
    /** Seconds until the next one may be asked for. */
    left,
  }
}

/** What was pressed may be gone by now, a call or a captcha; then the focus goes to the code. */
async function tell(failure: Question) {
  const isGone = document.activeElement === document.body
  const answer = await ask(failure)
  if (isGone) focusField('code')
  return answer
}

// A step that is left and opened again while a code is on its way waits for the same one.
const underway = new Map<string, Promise<Sending>>()

function sendOnce(channel: Channel, mobile_phone: string, captcha: string | undefined, own: boolean): Promise<Sending> {
  const sending =
    underway.get(mobile_phone) ??
    trySending(() => request(channel, mobile_phone, captcha, own), mobile_phone).finally(() =>
      underway.delete(mobile_phone),
    )
  underway.set(mobile_phone, sending)
  return sending
}

async function trySending(request: () => Promise<Answer>, mobile_phone: string): Promise<Sending> {
  try {
    const { done, message } = await request()
    if (!done) return { refused: message || fieldMessages.codeNotSent }
    noteSent(mobile_phone)
    return 'sent'
  } catch (cause) {
    log('The code was not sent.', cause)
    if (isQuestion(cause)) return 'asked'
    if (cause instanceof RejectedCall && cause.status === 409) return 'unneeded'
    const left = secondsSaid(cause)
    if (!left) return cause instanceof RejectedCall ? { refused: cause.message } : 'unanswered'
    noteSent(mobile_phone, left)
    return 'sent before'
  }
}

const isQuestion = (cause: unknown) => cause instanceof RejectedCall && cause.fields.captcha !== undefined

/** After a reload, or an answer that was lost: a code is on its way, and the next one may be asked for in so many seconds. */
function secondsSaid(cause: unknown): number | undefined {
  const said = cause instanceof RejectedCall ? cause.message : ''
  const seconds = Number.parseInt(said.replace(/\D/g, ''), 10)
  return said === resendIn(seconds) ? seconds : undefined
}

/** Our own captcha is answered without a word; only when that fails, or when a vendor asks, the person hears of it. */
async function request(channel: Channel, mobile_phone: string, given: string | undefined, own: boolean) {
  try {
    return await ways[channel](mobile_phone, given ?? (own ? await takeSolution() : undefined))
  } catch (cause) {
    const found = isQuestion(cause) && own && !given ? await solution() : undefined
    if (!found) throw cause
    return ways[channel](mobile_phone, found)
  }
}

type Answer = { done: boolean; message: string }

const ways: Record<Channel, (mobile_phone: string, captcha: string | undefined) => Promise<Answer>> = {
  sms: async (phone_number, captcha) => {
    const { status, message } = await api.sendVerificationCode({ phone_number, captcha })
    return { done: status === 1, message }
  },
  call: async (cellphone, captcha) => {
    const { success, message } = await api.verifyCall({ cellphone, captcha })
    return { done: success, message }
  },
}

/** Looks at the clock instead of counting, so that a tab which slept is right when it wakes up. */
function useSecondsLeft(sent_at: number | undefined) {
  const [left, setLeft] = useState(() => secondsLeft(sent_at, Date.now()))
  useLayoutEffect(() => {
    const look = () => {
      const now = secondsLeft(sent_at, Date.now())
      setLeft(now)
      if (!now) stop()
    }
    const beat = setInterval(look, 250)
    const stop = () => {
      clearInterval(beat)
      document.removeEventListener('visibilitychange', look)
    }
    document.addEventListener('visibilitychange', look)
    look()
    return stop
  }, [sent_at])
  return left
}
