import { type Receipt, saveReceipt } from '#web/storage.ts'

/** The part of the wizard that knows what was paid for. */
type ReceiptStore = {
  getState: () => { receipt: Receipt | undefined }
  update: (change: { receipt: Receipt | undefined; isPaymentBeingChecked: boolean }) => void
}

/** Stored by the tab too, so that a reload can find out what became of the payment. */
export function keepReceipt(store: ReceiptStore, receipt: Receipt | undefined): void {
  saveReceipt(receipt)
  store.update({ receipt, isPaymentBeingChecked: false })
}

/** The visitor is told that a payment is being checked. They must also be told how it ends, even after a reload. */
export function noteBeingChecked(store: ReceiptStore): void {
  const { receipt } = store.getState()
  const awaited: Receipt | undefined = receipt && { ...receipt, is_awaited: true }
  if (awaited) saveReceipt(awaited)
  store.update({ receipt: awaited, isPaymentBeingChecked: true })
}
