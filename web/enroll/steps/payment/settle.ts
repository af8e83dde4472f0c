import { flushSync } from 'react-dom'
import { ask } from '#web/dialog/ask.ts'
import type { Messages } from '#web/form/useForm.ts'
import { fetchPackages, goToRejectedPackage } from '../../order/fetchTotal.ts'
import { currentEntry } from '../../wizard/history.ts'
import type { Wizard } from '../../wizard/wizard.ts'
import { enrollmentFailed, paymentDeclined, paymentNotCompleted, secondPaymentNotCompleted } from './dialogs.ts'
import { goToRejectedField, paymentFieldsOf } from './goToRejectedField.ts'
import type { Outcome, PaymentNews } from './outcome.ts'
import { closeDraft, keepReceipt, noteBeingChecked, noteUnknown, unknownPaymentOf } from './receipt.ts'

/** loading: after a reload, until the server says whether there is a payment. */
export type View = 'form' | 'loading' | 'checking' | 'unknown' | 'paid'

/** The screen that shows what becomes of a payment. */
type PaymentScreen = { wizard: Wizard; setView: (view: View) => void }

/** The outcome gets the focus after a press, but never takes it from a field that the visitor is typing in. */
type SettleOptions = { focusesNews: boolean }

/** Shows the outcome of an attempt. Returns the server's messages about fields of PAYMENT. */
export async function settle(
  screen: PaymentScreen,
  outcome: Outcome,
  { focusesNews }: SettleOptions = { focusesNews: true },
): Promise<Messages | undefined> {
  const { wizard, setView } = screen
  switch (outcome.is) {
    case 'approved':
      closeDraft(wizard)
      return wizard.enter('ACCESS', {})
    case 'paid':
      keepReceipt(wizard, undefined) // not for what this page ordered
      setView('paid')
      return
    case 'running':
      showChecking(screen)
      return
    case 'unknown':
      showUnknown(screen, outcome.reference)
      return
    case 'declined':
      await ask(paymentDeclined)
      await showNews(wizard, { kind: 'declined', decline_class: outcome.decline_class })
      return
    case 'failed':
      await ask(enrollmentFailed)
      await showNews(wizard, { kind: outcome.charge === 'none' ? 'released' : 'unknown' })
      return
    case 'stopped':
      if (outcome.isSent) await showNews(wizard, { kind: 'unknown' })
      return
    case 'released':
      await showNews(wizard, { kind: 'released' }, focusesNews)
      return
    case 'rejected':
      return settleRejected(wizard, outcome)
  }
}

export function showChecking({ wizard, setView }: PaymentScreen) {
  wizard.update({ draft: wizard.saveForm() }) // so that the form has its answers when it comes back
  noteBeingChecked(wizard)
  setView('checking')
}

/** We can't find out whether the card was charged. */
export function showUnknown({ wizard, setView }: PaymentScreen, reference: string) {
  wizard.update({ draft: wizard.saveForm(), isTryingAgain: false })
  noteUnknown(wizard, reference)
  setView('unknown')
}

/** Back to the form, which warns about the unknown payment. A lost password has to be entered first. */
export function tryAgain({ wizard, setView }: PaymentScreen) {
  flushSync(() => {
    wizard.update({ isTryingAgain: true })
    setView('form')
  })
  if (hasPassword(wizard)) document.getElementById('payment-notice')?.focus()
  else askPasswordAgain(wizard)
}

/** A payment of this tab ends the enrollment. Another tab's payment leaves this tab's answers alone. */
export function showPaid({ wizard, setView }: PaymentScreen) {
  if (wizard.getState().receipt) {
    closeDraft(wizard)
    wizard.update({ draft: {} })
  }
  setView('paid')
}

/** Shows the form again, with a notice above the card fields. Nothing was charged, unless that is not known. */
async function showNews(wizard: Wizard, paymentNews: PaymentNews, focusesNews = true) {
  if (!hasPassword(wizard)) return endAfterReload(wizard)
  if (paymentNews.kind !== 'unknown') keepReceipt(wizard, undefined)
  flushSync(() => wizard.update({ paymentNews }))
  if (focusesNews) document.getElementById('payment-notice')?.focus()
}

/** A reload drops the password, so the visitor has to enter it again. Back may already have gone there. */
async function endAfterReload(wizard: Wizard) {
  const earlier = unknownPaymentOf(wizard.getState())
  await ask(earlier ? secondPaymentNotCompleted(earlier) : paymentNotCompleted)
  wizard.update({ unknownPayment: earlier, isTryingAgain: true })
  keepReceipt(wizard, undefined)
  if (currentEntry()?.step === 'PAYMENT') wizard.returnTo('ACCOUNT_CREATION')
}

function askPasswordAgain(wizard: Wizard) {
  wizard.update({ isPasswordLost: true })
  wizard.returnTo('ACCOUNT_CREATION')
}

async function settleRejected(wizard: Wizard, { message, fields }: Extract<Outcome, { is: 'rejected' }>) {
  keepReceipt(wizard, undefined)
  if (await refreshRejectedOrder(wizard, fields)) return
  if (goToRejectedField(wizard, fields)) return
  const rejectedHere = paymentFieldsOf(fields)
  if (!rejectedHere) await showNews(wizard, { kind: 'rejected', message })
  return rejectedHere
}

/** Something in the order has changed: loads it again. True if the visitor has to choose another package. */
async function refreshRejectedOrder(wizard: Wizard, fields: Messages): Promise<boolean> {
  try {
    const { draft } = wizard.getState()
    if (await goToRejectedPackage(wizard, draft, fields)) return true
    if (fields.shown_total || fields.agreement_2)
      await wizard.refreshOrder(await fetchPackages(wizard.start.policy), draft)
  } catch (cause) {
    wizard.update({ grand_total: undefined }) // the old one is known to be wrong
    wizard.stopWithoutTotal(cause, () => refreshRejectedOrder(wizard, fields))
  }
  return false
}

export const hasPassword = (wizard: Wizard) => Boolean(wizard.getState().draft.password)
