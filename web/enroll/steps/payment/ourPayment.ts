import { api } from '#web/api.ts'
import { saveToken } from '#web/storage.ts'
import { createPayment, type Payment } from './payment.ts'
import { enrollmentId, receiptOf } from './receipt.ts'

let payment: Payment | undefined

/** The payment of this page's enrollment. It outlives the step: who goes back to mend a name keeps the attempt's number. */
export const ourPayment = (): Payment => {
  payment ??= createPayment({
    calls: api,
    enrollment_id: enrollmentId(),
    earlier: receiptOf(),
    saveToken,
    now: Date.now,
    pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  })
  return payment
}
