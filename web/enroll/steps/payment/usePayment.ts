import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Enrollment } from '#contract/enrollment.ts'
import { ask, fetchDialog } from '#web/dialog/ask.ts'
import { askPackages, leadToShelf } from '#web/enroll/order/fetchTotal.ts'
import { enrollmentFailed, notCompleted, paymentDeclined } from '#web/enroll/steps/dialogs.ts'
import { currentEntry } from '#web/enroll/wizard/resume.ts'
import type { Wizard } from '#web/enroll/wizard/wizard.ts'
import type { Messages } from '#web/form/useForm.ts'
import { log } from '#web/log.ts'
import { forgetDraft } from '#web/storage.ts'
import { leadBack } from './goToRejectedField.ts'
import { ourPayment } from './ourPayment.ts'
import { keepNews, type News, useNews } from './PaymentNotice.tsx'
import { receiptFor, renewalOf } from './payload.ts'
import type { Outcome } from './payment.ts'
import { awaitVerdict, isAwaited, keepReceipt, receiptOf } from './receipt.ts'

const CHECK_EVERY = 3_000

/** form: pay. arriving: a reload, and nobody has said yet where things stand. The others speak for themselves. */
type View = 'form' | 'arriving' | 'checking' | 'paid'

/** Pays, and shows what became of it. */
export function usePayment(wizard: Wizard) {
  const payment = ourPayment()
  const paying = useRef(false)
  /** From another step, to a payment that was being checked when it was left. */
  const [isBack] = useState(() => Boolean(wizard.draft.password) && isAwaited())
  const [view, setView] = useState<View>(isBack ? 'checking' : wizard.draft.password ? 'form' : 'arriving')
  const news = useNews(() => setView((was) => (was === 'paid' ? was : 'form')))
  const [captcha, setCaptcha] = useState({ used: 0, refused: 0 })

  /** Nothing was charged. Back to the form, with what was typed, and a word beside the card. */
  const tell = async (heard: News) => {
    if (!wizard.draft.password) return tellAfterReload()
    keepReceipt(undefined)
    flushSync(() => keepNews(heard))
    document.getElementById('news')?.focus()
  }

  /** Which keeps no secrets: to the password, unless Back has led there. */
  const tellAfterReload = async () => {
    await ask(notCompleted)
    keepReceipt(undefined)
    if (currentEntry()?.step === 'PAYMENT') wizard.returnTo('ACCOUNT_CREATION')
  }

  /** The form goes, and comes back with what stands in it. */
  const wait = () => {
    wizard.keep()
    awaitVerdict()
    setView('checking')
  }

  /** What this tab itself has pressed for, before a reload, is done with; another tab's payment takes no answers away. */
  const showPaid = () => {
    if (receiptOf()) {
      forgetDraft()
      wizard.keep({})
    }
    setView('paid')
  }

  const settle = async (outcome: Outcome): Promise<Messages | undefined> => {
    switch (outcome.is) {
      case 'approved':
        return wizard.finish()
      case 'paid':
        keepReceipt(undefined) // what this page asked for is not what was paid
        setView('paid')
        return
      case 'running':
        wait()
        return
      case 'declined':
        await ask(paymentDeclined)
        await tell({ kind: 'declined', decline_class: outcome.decline_class })
        return
      case 'failed':
        await ask(enrollmentFailed)
        return
      case 'released':
        await tell({ kind: 'released' })
        return
      case 'refused': {
        keepReceipt(undefined) // nothing of it is on its way
        if (await leadToShelf(wizard, wizard.draft, outcome.fields)) return
        if (outcome.fields.shown_total) await wizard.sumAfresh(await askPackages(wizard.start), wizard.draft)
        const here = leadBack(wizard, outcome.fields)
        if (!here) await tell({ kind: 'refused', message: outcome.message })
        return here === 'led' ? undefined : here
      }
    }
  }

  const pay = async (payload: Enrollment): Promise<Messages | undefined> => {
    paying.current = true
    keepNews(undefined)
    try {
      const outcome = await payment.submit(payload, (press) => keepReceipt(receiptFor(wizard, press)))
      if (outcome.is === 'refused' && outcome.fields.captcha)
        setCaptcha((was) => ({ ...was, refused: was.refused + 1 }))
      else if (outcome.is !== 'approved') setCaptcha((was) => ({ ...was, used: was.used + 1 }))
      return await settle(outcome)
    } finally {
      paying.current = false
    }
  }

  /** On arrival, and whenever the page comes back into sight: somebody may have paid in another tab. */
  const look = useEffectEvent(async () => {
    wizard.renew(renewalOf(wizard))
    if (paying.current || view === 'checking') return
    try {
      const found = await payment.look()
      if (paying.current) return
      if (found?.is === 'paid') showPaid()
      else if (found?.is === 'running') wait()
      else if (view === 'arriving') {
        paying.current = true // it is told once, however often the page comes into sight
        await settle({ is: 'released' })
      }
    } catch (cause) {
      log('Nobody could say where the payment stands.', cause)
      if (view === 'arriving') setView('checking')
    }
  })

  useEffect(() => {
    fetchDialog().catch(() => undefined) // it may be needed when the network is not there
    const seen = () => document.visibilityState === 'visible' && look()
    look()
    document.addEventListener('visibilitychange', seen)
    return () => document.removeEventListener('visibilitychange', seen)
  }, [])

  const check = useEffectEvent(async () => {
    try {
      const outcome = await payment.check()
      if (outcome.is !== 'running') await settle(outcome)
    } catch (cause) {
      log('The payment could not be looked up; it is asked again.', cause)
    }
  })

  useEffect(() => {
    if (view !== 'checking') return
    let timer: ReturnType<typeof setTimeout>
    let over = false
    const again = async () => {
      await check()
      if (!over) timer = setTimeout(again, CHECK_EVERY)
    }
    timer = setTimeout(again, isBack ? 0 : CHECK_EVERY)
    return () => {
      over = true
      clearTimeout(timer)
    }
  }, [view, isBack])

  return { view, isBack, news, captcha, pay }
}
