import { useEffect, useEffectEvent, useLayoutEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { ask, fetchDialog } from '#web/dialog/ask.ts'
import type { Question } from '#web/dialog/question.ts'
import { focusField } from '#web/form/Field.tsx'
import { log } from '#web/log.ts'
import { useIsMounted } from '../../wizard/useIsMounted.ts'
import type { Channel, SendResult } from './codeSender.ts'
import { codeNotNeeded, codeNotSent, codeNotSentOffline, fieldMessages } from './dialogs.ts'
import { noteSent, type PhoneStore, phoneStatus, secondsUntilResend } from './phoneStatus.ts'
import { showCodeSent } from './showCodeSent.ts'

/** The server requires a captcha: for which channel, and how often it has asked. */
type CaptchaRequest = { channel: Channel; count: number }

type PhoneCodeOptions = {
  mobile_phone: string
  phoneStore: PhoneStore
  /** How the last code was sent, as far as this page knows. */
  lastChannel: Channel | undefined
  prepareFirstSend: () => void
  sendCode: (channel: Channel, captcha: string | undefined) => Promise<SendResult>
  /** The code could not be sent; undefined when another one is requested. */
  onFailure: (message: string | undefined) => void
  onNotNeeded: () => unknown
}

/** Sends codes to a number: the first one automatically, later ones on request after the countdown. */
export function usePhoneCode(options: PhoneCodeOptions) {
  const { mobile_phone, phoneStore, lastChannel, prepareFirstSend, sendCode, onFailure, onNotNeeded } = options
  const isMounted = useIsMounted()
  const [sent_at, setSentAt] = useState(phoneStatus(phoneStore, mobile_phone).sent_at)
  const [channel, setChannel] = useState<Channel>(lastChannel ?? 'sms')
  const [sending, setSending] = useState<Channel>()
  const [captchaRequest, setCaptchaRequest] = useState<CaptchaRequest>()
  const secondsLeft = useSecondsLeft(sent_at)

  const send = async (channel: Channel, captcha?: string): Promise<void> => {
    setSending(channel)
    onFailure(undefined)
    const result = await sendCode(channel, captcha)
    if (result.is === 'sent') noteSent(phoneStore, mobile_phone)
    if (result.is === 'sent-before') noteSent(phoneStore, mobile_phone, result.secondsLeft)
    if (!isMounted.current) return
    flushSync(() => {
      setSending(undefined)
      if (result.is === 'sent') setChannel(channel)
      setSentAt(phoneStatus(phoneStore, mobile_phone).sent_at)
      setCaptchaRequest((last) =>
        result.is === 'captcha-required' ? { channel, count: (last?.count ?? 0) + 1 } : undefined,
      )
    })
    switch (result.is) {
      case 'captcha-required':
        return focusField('captcha')
      case 'sent':
        if (channel === 'sms') await showCodeSent() // a call rings at once: nothing stands in its way
        if (isMounted.current) focusField('code')
        return
      case 'sent-before':
        return focusField('code')
      case 'not-needed':
        await ask(codeNotNeeded)
        if (isMounted.current) onNotNeeded()
        return
      case 'unreachable':
        onFailure(fieldMessages.codeNotSentOffline)
        await report(codeNotSentOffline)
        return
      case 'rejected': {
        onFailure(result.message)
        const { confirmed } = await report(codeNotSent(result.message))
        if (confirmed && isMounted.current) await send(channel)
      }
    }
  }

  const sendFirst = useEffectEvent(() => {
    fetchDialog().catch((cause: unknown) => log('The dialog could not be loaded ahead.', cause))
    if (sent_at !== undefined) return
    prepareFirstSend()
    send('sms')
  })
  useEffect(() => sendFirst(), [])

  return {
    send,
    sending,
    /** How the last code was sent. */
    channel,
    /** Whether this tab has ever sent a code to this number. */
    isSent: sent_at !== undefined,
    captchaRequest,
    /** Seconds until the next code may be requested. */
    secondsLeft,
  }
}

/** The button that was pressed may be gone when the dialog closes; then the code field gets the focus. */
async function report(failure: Question) {
  const isButtonGone = document.activeElement === document.body
  const answer = await ask(failure)
  if (isButtonGone) focusField('code')
  return answer
}

/** Reads the clock instead of counting, so it is right after the tab was suspended. */
function useSecondsLeft(sent_at: number | undefined) {
  const [secondsLeft, setSecondsLeft] = useState(() => secondsUntilResend(sent_at, Date.now()))
  useLayoutEffect(() => {
    const refresh = () => {
      const seconds = secondsUntilResend(sent_at, Date.now())
      setSecondsLeft(seconds)
      if (!seconds) stop()
    }
    const interval = setInterval(refresh, 250)
    const stop = () => {
      clearInterval(interval)
      document.removeEventListener('visibilitychange', refresh)
    }
    document.addEventListener('visibilitychange', refresh)
    refresh()
    return stop
  }, [sent_at])
  return secondsLeft
}
