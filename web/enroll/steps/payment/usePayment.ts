import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Enrollment } from '#contract/enrollment.ts'
import { showAmount } from '#contract/money.ts'
import { ask, fetchDialog } from '#web/dialog/ask.ts'
import type { Messages } from '#web/form/useForm.ts'
import { log } from '#web/log.ts'
import type { Wizard } from '../../wizard/wizard.ts'
import { payAgain } from './dialogs.ts'
import type { PaymentNews } from './outcome.ts'
import { pagePayment } from './pagePayment.ts'
import { receiptFor, renewalDays } from './payload.ts'
import { keepReceipt, unknownPaymentOf } from './receipt.ts'
import { hasPassword, settle, showChecking, showPaid, showUnknown, tryAgain, type View } from './settle.ts'
import { useNetworkWait } from './useNetworkWait.ts'
import { useRepeated } from './useRepeated.ts'

const CHECK_INTERVAL_MS = 3_000
/** The second tap of a double tap must find the busy button, not the dialog's, which stands in the same place. */
const SECOND_TAP_MS = 500

/** Pays, and shows the outcome. `news` is about the last attempt, which may have been made on an earlier visit to this step. */
export function usePayment(wizard: Wizard, news: PaymentNews | undefined) {
  const [payment] = useState(() => pagePayment(wizard))
  const isSettling = useRef(false) // only one payment at a time may run or be reported
  const [isPaying, setPaying] = useState(false)
  const [hasReturned] = useState(() => hasPassword(wizard) && wizard.getState().isPaymentBeingChecked === true)
  const [view, setView] = useView(wizard, hasReturned ? 'checking' : firstView(wizard), news)
  const [captcha, setCaptcha] = useState({ usedCount: 0, rejectedCount: 0 })
  const { networkWait, waitForNetwork } = useNetworkWait()
  const screen = { wizard, setView }

  /** After a payment with an unknown outcome, a press asks first. */
  const pay = async (payload: Enrollment): Promise<Messages | undefined> => {
    const after_unknown = unknownPaymentOf(wizard.getState())
    if (after_unknown === undefined) return payNow(payload)
    await new Promise((resolve) => setTimeout(resolve, SECOND_TAP_MS))
    const { confirmed } = await ask(payAgain(showAmount(payload.shown_total)))
    if (confirmed) return payNow({ ...payload, after_unknown })
  }

  const payNow = async (payload: Enrollment): Promise<Messages | undefined> => {
    isSettling.current = true
    payment.press.isOpen = true
    setPaying(true)
    wizard.update({ paymentNews: undefined })
    try {
      const outcome = await payment.submit(payload, {
        onPress: (press) => keepReceipt(wizard, receiptFor(wizard, press, payload)),
        waitForNetwork,
      })
      setPaying(false)
      if (outcome.is === 'rejected' && outcome.fields.captcha)
        setCaptcha((last) => ({ ...last, rejectedCount: last.rejectedCount + 1 }))
      else if (outcome.is !== 'approved' && outcome.is !== 'stopped')
        setCaptcha((last) => ({ ...last, usedCount: last.usedCount + 1 }))
      return await settle(screen, outcome)
    } finally {
      setPaying(false)
      payment.press.isOpen = false
      isSettling.current = false
    }
  }

  /** After a failed request that may have charged the card, until the server answers. */
  const isUnknown = news?.kind === 'unknown' && view === 'form'
  const lookUpUnknown = async () => {
    if (isSettling.current) return
    const outcome = await payment.check()
    if (isSettling.current) return
    isSettling.current = true
    await settle(screen, outcome, { focusesNews: false }).finally(() => {
      isSettling.current = false
    })
  }

  const lookUpPayment = async () => {
    wizard.update({ renews_on: renewalDays(wizard) }) // the page may have been open for days
    if (isSettling.current || isUnknown || view === 'checking') return
    try {
      const outcome = await payment.lookUp()
      if (isSettling.current) return
      if (outcome?.is === 'paid') showPaid(screen)
      else if (outcome?.is === 'running') showChecking(screen)
      else if (outcome?.is === 'unknown') {
        if (!isWarnedAbout(wizard, outcome.reference)) showUnknown(screen, outcome.reference)
      } else if (view === 'loading') {
        isSettling.current = true // so that it is reported only once
        await settle(screen, { is: 'released' })
      }
    } catch (cause) {
      log('The payment could not be looked up.', cause)
      if (view === 'loading') setView('checking')
    }
  }
  useVisits(wizard, lookUpPayment)

  const check = async () => {
    try {
      if (isUnknown) return await lookUpUnknown()
      const outcome = await payment.check()
      if (outcome.is !== 'running' && !payment.press.isOpen) await settle(screen, outcome)
    } catch (cause) {
      log('The payment could not be checked; trying again.', cause)
    }
  }
  useRepeated(view === 'checking' || isUnknown, check, CHECK_INTERVAL_MS, hasReturned ? 0 : CHECK_INTERVAL_MS)

  return { payment, view, hasReturned, captcha, networkWait, isPaying, pay, tryAgain: () => tryAgain(screen) }
}

function firstView(wizard: Wizard): View {
  const { unknownPayment, isTryingAgain } = wizard.getState()
  if (unknownPayment !== undefined && !isTryingAgain) return 'unknown'
  return hasPassword(wizard) ? 'form' : 'loading'
}

/** The visitor has read the warning and went back to the form to pay again. */
const isWarnedAbout = (wizard: Wizard, reference: string) => {
  const { unknownPayment, isTryingAgain } = wizard.getState()
  return isTryingAgain === true && unknownPayment === reference && hasPassword(wizard)
}

/** Runs `work` on arrival and whenever the tab becomes visible or online, because another tab may have paid. */
function useVisits(wizard: Wizard, work: () => unknown) {
  const start = useEffectEvent(work)
  useEffect(() => {
    fetchDialog().catch(() => undefined) // it may be needed when the network is gone
    const onVisible = () => document.visibilityState === 'visible' && start()
    start()
    document.addEventListener('visibilitychange', onVisible)
    addEventListener('online', onVisible)
    return () => {
      document.removeEventListener('visibilitychange', onVisible)
      removeEventListener('online', onVisible)
      wizard.update({ paymentNews: undefined })
    }
  }, [wizard])
}

/** News of an attempt ends any view and shows the form, except once it is paid. */
function useView(wizard: Wizard, first: View, news: PaymentNews | undefined) {
  const [current, setCurrent] = useState({ view: first, news })
  const view = current.news === news || current.view === 'paid' ? current.view : 'form'
  return [view, (view: View) => setCurrent({ view, news: wizard.getState().paymentNews })] as const
}
