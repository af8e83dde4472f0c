import { type Draft, type Receipt, saveReceipt, saveShared } from '#web/storage.ts'
import type { State } from '../../wizard/state.ts'

/** The part of the wizard that stores what was paid for. */
type ReceiptStore = {
  getState: () => { receipt: Receipt | undefined }
  update: (change: Partial<Pick<State, 'receipt' | 'isPaymentBeingChecked' | 'unknownPayment'>>) => void
}

/** Also stores it in the tab, so that the page can look up the payment after a reload. */
export function keepReceipt(store: ReceiptStore, receipt: Receipt | undefined): void {
  saveReceipt(receipt)
  store.update({ receipt, isPaymentBeingChecked: false })
}

/** The visitor is told that a payment is being checked. They must also be told how it ends, even after a reload. */
export function noteBeingChecked(store: ReceiptStore): void {
  const { receipt } = store.getState()
  const awaitedReceipt: Receipt | undefined = receipt && { ...receipt, is_awaited: true }
  if (awaitedReceipt) saveReceipt(awaitedReceipt)
  store.update({ receipt: awaitedReceipt, isPaymentBeingChecked: true })
}

/** We can't find out how this payment ended. Its receipt stays, because it says what to look for at the bank. */
export function noteUnknown(store: ReceiptStore, reference: string): void {
  const { receipt } = store.getState()
  keepReceipt(store, receipt && withoutWait(receipt))
  store.update({ unknownPayment: reference })
}

const withoutWait = ({ is_awaited: _, ...receipt }: Receipt): Receipt => receipt

/** The reference of an earlier payment whose outcome is unknown, even after a reload during the next one. */
export const unknownPaymentOf = ({ unknownPayment, receipt }: Pick<State, 'unknownPayment' | 'receipt'>) =>
  unknownPayment ?? receipt?.after_unknown

/** It is paid: replaces the shared draft, so that the other tabs know. */
export function closeDraft({ getState }: { getState: () => { receipt: Receipt | undefined; draft: Draft } }): void {
  const { receipt, draft } = getState()
  saveShared({ joined_as: receipt?.username ?? draft.username ?? '' })
}
