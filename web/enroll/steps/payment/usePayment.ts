import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Enrollment } from '#contract/enrollment.ts'
import { ask, fetchDialog } from '#web/dialog/ask.ts'
import type { Messages } from '#web/form/useForm.ts'
import { log } from '#web/log.ts'
import { fetchPackages, goToRejectedPackage } from '../../order/fetchTotal.ts'
import { currentEntry } from '../../wizard/history.ts'
import type { Wizard } from '../../wizard/wizard.ts'
import { enrollmentFailed, paymentDeclined, paymentNotCompleted } from './dialogs.ts'
import { goToRejectedField, paymentFieldsOf } from './goToRejectedField.ts'
import { pagePayment } from './pagePayment.ts'
import { receiptFor, renewalDays } from './payload.ts'
import type { Outcome, PaymentNews } from './payment.ts'
import { closeDraft, keepReceipt, noteBeingChecked } from './receipt.ts'
import { useNetworkWait } from './useNetworkWait.ts'

const CHECK_INTERVAL_MS = 3_000

type Rejection = Extract<Outcome, { is: 'rejected' }>

/** loading: after a reload, until the server says whether there is a payment. */
type View = 'form' | 'loading' | 'checking' | 'paid'

/** Pays, and shows the outcome. `news` is about the last attempt, which may have been made on an earlier visit to this step. */
export function usePayment(wizard: Wizard, news: PaymentNews | undefined) {
  const [payment] = useState(() => pagePayment(wizard))
  const isPaying = useRef(false)
  const [hasReturned] = useState(() => hasPassword(wizard) && wizard.getState().isPaymentBeingChecked === true)
  const [view, setView] = useView(wizard, hasReturned ? 'checking' : hasPassword(wizard) ? 'form' : 'loading', news)
  const [captcha, setCaptcha] = useState({ usedCount: 0, rejectedCount: 0 })
  const { networkWait, waitForNetwork } = useNetworkWait()

  /** Shows the form again, with a notice above the card fields. Nothing was charged, unless that is not known. */
  const showNews = async (paymentNews: PaymentNews) => {
    if (!hasPassword(wizard)) return endAfterReload()
    if (paymentNews.kind !== 'unknown') keepReceipt(wizard, undefined)
    flushSync(() => wizard.update({ paymentNews }))
    document.getElementById('payment-notice')?.focus()
  }

  /** A reload drops the password, so the visitor has to enter it again. Back may already have gone there. */
  const endAfterReload = async () => {
    await ask(paymentNotCompleted)
    keepReceipt(wizard, undefined)
    if (currentEntry()?.step === 'PAYMENT') wizard.returnTo('ACCOUNT_CREATION')
  }

  const showChecking = () => {
    wizard.update({ draft: wizard.saveForm() }) // so that the form has its answers when it comes back
    noteBeingChecked(wizard)
    setView('checking')
  }

  /** A payment of this tab ends the enrollment. Another tab's payment leaves this tab's answers alone. */
  const showPaid = () => {
    if (wizard.getState().receipt) {
      closeDraft(wizard)
      wizard.update({ draft: {} })
    }
    setView('paid')
  }

  const settle = async (outcome: Outcome): Promise<Messages | undefined> => {
    switch (outcome.is) {
      case 'approved':
        closeDraft(wizard)
        return wizard.enter('ACCESS', {})
      case 'paid':
        keepReceipt(wizard, undefined) // not for what this page ordered
        setView('paid')
        return
      case 'running':
        showChecking()
        return
      case 'declined':
        await ask(paymentDeclined)
        await showNews({ kind: 'declined', decline_class: outcome.decline_class })
        return
      case 'failed':
        await ask(enrollmentFailed)
        await showNews({ kind: outcome.charge === 'none' ? 'released' : 'unknown' })
        return
      case 'stopped':
        if (outcome.isSent) await showNews({ kind: 'unknown' })
        return
      case 'released':
        await showNews({ kind: 'released' })
        return
      case 'rejected':
        return settleRejected(outcome)
    }
  }

  const settleRejected = async ({ message, fields }: Rejection) => {
    keepReceipt(wizard, undefined)
    if (await refreshRejectedOrder(fields)) return
    if (goToRejectedField(wizard, fields)) return
    const rejectedHere = paymentFieldsOf(fields)
    if (!rejectedHere) await showNews({ kind: 'rejected', message })
    return rejectedHere
  }

  /** Something in the order has changed: loads it again. True if the visitor has to choose another package. */
  const refreshRejectedOrder = async (fields: Messages): Promise<boolean> => {
    try {
      const { draft } = wizard.getState()
      if (await goToRejectedPackage(wizard, draft, fields)) return true
      if (fields.shown_total || fields.agreement_2) await wizard.refreshOrder(await fetchPackages(), draft)
    } catch (cause) {
      wizard.update({ grand_total: undefined }) // the old one is known to be wrong
      wizard.stopWithoutTotal(cause, () => refreshRejectedOrder(fields))
    }
    return false
  }

  const pay = async (payload: Enrollment): Promise<Messages | undefined> => {
    isPaying.current = true
    wizard.update({ paymentNews: undefined })
    try {
      const outcome = await payment.submit(payload, {
        onPress: (press) => keepReceipt(wizard, receiptFor(wizard, press)),
        waitForNetwork,
      })
      if (outcome.is === 'rejected' && outcome.fields.captcha)
        setCaptcha((last) => ({ ...last, rejectedCount: last.rejectedCount + 1 }))
      else if (outcome.is !== 'approved' && outcome.is !== 'stopped')
        setCaptcha((last) => ({ ...last, usedCount: last.usedCount + 1 }))
      return await settle(outcome)
    } finally {
      isPaying.current = false
    }
  }

  /** Runs on arrival and whenever the tab becomes visible or online, because another tab may have paid. */
  const lookUpPayment = useEffectEvent(async () => {
    wizard.update({ renews_on: renewalDays(wizard) }) // the page may have been open for days
    if (isPaying.current || view === 'checking') return
    try {
      if (news?.kind === 'unknown') return void (await settle(await payment.check()))
      const outcome = await payment.lookUp()
      if (isPaying.current) return
      if (outcome?.is === 'paid') showPaid()
      else if (outcome?.is === 'running') showChecking()
      else if (view === 'loading') {
        isPaying.current = true // so that it is reported only once
        await settle({ is: 'released' })
      }
    } catch (cause) {
      log('The payment could not be looked up.', cause)
      if (view === 'loading') setView('checking')
    }
  })

  useEffect(() => {
    fetchDialog().catch(() => undefined) // it may be needed when the network is gone
    const onVisible = () => document.visibilityState === 'visible' && lookUpPayment()
    lookUpPayment()
    document.addEventListener('visibilitychange', onVisible)
    addEventListener('online', onVisible)
    return () => {
      document.removeEventListener('visibilitychange', onVisible)
      removeEventListener('online', onVisible)
      wizard.update({ paymentNews: undefined })
    }
  }, [wizard])

  const check = useEffectEvent(async () => {
    try {
      const outcome = await payment.check()
      if (outcome.is !== 'running') await settle(outcome)
    } catch (cause) {
      log('The payment could not be checked; trying again.', cause)
    }
  })

  useEffect(() => {
    if (view !== 'checking') return
    let timer: ReturnType<typeof setTimeout>
    let isOver = false
    const checkAgain = async () => {
      await check()
      if (!isOver) timer = setTimeout(checkAgain, CHECK_INTERVAL_MS)
    }
    timer = setTimeout(checkAgain, hasReturned ? 0 : CHECK_INTERVAL_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [view, hasReturned])

  return { payment, view, hasReturned, captcha, networkWait, pay }
}

/** News of an attempt ends any view and shows the form, except once it is paid. */
function useView(wizard: Wizard, first: View, news: PaymentNews | undefined) {
  const [current, setCurrent] = useState({ view: first, news })
  const view = current.news === news || current.view === 'paid' ? current.view : 'form'
  return [view, (view: View) => setCurrent({ view, news: wizard.getState().paymentNews })] as const
}

const hasPassword = (wizard: Wizard) => Boolean(wizard.getState().draft.password)
