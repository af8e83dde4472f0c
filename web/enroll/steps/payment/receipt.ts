import type { Step } from '#contract/start.ts'
import { loadReceipt, type Receipt, saveReceipt } from '#web/storage.ts'

// Kept in the page as well, for a browser that blocks storage.
let receipt: Receipt | undefined
// Whether a verdict is; also that on a payment of another tab, which leaves no receipt here.
let awaited = false

/** The enrollment that this page belongs to. */
export const enrollmentId = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name=enrollment]')?.content ?? ''

/**
 * What was asked to be paid for, while that may be so: from the press on Confirm and Pay until it is declined. A receipt of
 * another enrollment says nothing about this page.
 */
export const receiptOf = (): Receipt | undefined => {
  receipt ??= loadReceipt()
  return receipt && receipt.enrollment_id === enrollmentId() ? receipt : undefined
}

export const keepReceipt = (asked: Receipt | undefined): void => {
  receipt = asked
  awaited = false
  saveReceipt(asked)
}

/** The visitor is told that a payment is being checked: until the receipt goes, they are owed the word how that ended. */
export const awaitVerdict = (): void => {
  const asked = receiptOf()
  if (asked) keepReceipt({ ...asked, is_awaited: true })
  awaited = true
}

export const isAwaited = (): boolean => awaited || receiptOf()?.is_awaited === true

/** Once something was asked to be paid for, PAYMENT and ACCESS find out what became of it, also after a reload. */
export const isOrdered = (step: Step): boolean => (step === 'PAYMENT' || step === 'ACCESS') && receiptOf() !== undefined
