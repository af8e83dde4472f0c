import { api } from '#web/api.ts'
import { enrollmentId, type Receipt, saveToken } from '#web/storage.ts'
import { createPayment, type Payment } from './payment.ts'

/** The part of the wizard that owns the payment. */
export type PaymentStore = { payment: Payment | undefined; getState: () => { receipt: Receipt | undefined } }

/** The payment of this page's enrollment. It outlives the step, so that going back does not lose the attempt number. */
export function pagePayment(store: PaymentStore): Payment {
  store.payment ??= createPayment({
    calls: api,
    enrollment_id: enrollmentId(),
    earlierPress: store.getState().receipt,
    saveToken,
    now: Date.now,
    pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    isOnline: () => navigator.onLine,
    offlineSignal,
  })
  return store.payment
}

/** The answer to a request that is under way may never come, but the server can be asked about it later. */
function offlineSignal() {
  const controller = new AbortController()
  addEventListener('offline', () => controller.abort(), { once: true })
  return controller.signal
}
