import type { Refund, RefundResult, Settlement } from '#server/gateways/payment/port.ts'
import type { Books } from './books.ts'
import { duplicateReasons, refundRefusals, transactionState } from './codes.ts'
import { followUpRequest, refundRequest } from './requests.ts'
import { type Details, isTransactionId, type StateOrMissing, type Transactions } from './transactions.ts'

/** Captures, voids and refunds. */
export function openSettlements({ transact, findDetails, stateOf }: Transactions, books: Books) {
  async function capture(transId: string, signal: AbortSignal): Promise<Settlement> {
    if (!isTransactionId(transId)) return 'refused'
    const { responseCode } = await transact(followUpRequest('priorAuthCaptureTransaction', transId), signal)
    return responseCode === '1' ? 'done' : afterCapture[await stateOf(transId, signal)]
  }

  /** Checks the state first, because the vendor would also void a captured transaction. */
  async function voidHold(transId: string, signal: AbortSignal): Promise<Settlement> {
    const state = await stateOf(transId, signal)
    if (state !== 'held' && state !== 'review') return afterVoid[state]
    const { responseCode } = await transact(followUpRequest('voidTransaction', transId), signal)
    return responseCode === '1' ? 'done' : afterVoid[await stateOf(transId, signal)]
  }

  /**
   * The vendor has no key for refunds. A refund carries the invoice number of its charge, and our refund reference as the
   * customer id: before we send one, we look for it in the vendor's lists, and within eight hours the vendor itself
   * rejects an identical request. It refunds only settled transactions; before, a full refund is a void.
   */
  async function refund(request: Refund, signal: AbortSignal): Promise<RefundResult> {
    const { transaction_id, amount_cents } = request
    const details = await findDetails(transaction_id, signal)
    const state = details ? transactionState(details.transactionStatus) : 'not_found'
    if (!details || !Number.isInteger(amount_cents) || amount_cents < 1) return 'refused'
    if (state === 'voided') return amount_cents === toCents(details.authAmount) ? 'voided' : 'refused'
    const captured_cents = toCents(details.settleAmount)
    if (state !== 'captured' || amount_cents > captured_cents) return 'refused'
    const earlier = await findRefund(request, details, signal)
    if (earlier) return earlier
    const { responseCode, reason } = await transact(refundRequest(request, refundOf(details)), signal)
    if (responseCode === '1') return 'done'
    if (refundRefusals.notFound.has(reason)) return 'refused'
    if (duplicateReasons.has(reason)) return (await findRefund(request, details, signal)) ?? 'unknown'
    if (refundRefusals.alreadyRefunded.has(reason)) return (await findRefund(request, details, signal)) ?? 'refused'
    if (!refundRefusals.notSettled.has(reason)) return 'unknown'
    if (amount_cents < captured_cents) return 'not_settled'
    const voided = await transact(followUpRequest('voidTransaction', transaction_id), signal)
    return voided.responseCode === '1' ? 'voided' : 'unknown'
  }

  /** Whether the refund was already made. Refused if its amount was another, or if the charge is disputed. */
  async function findRefund({ refund_reference, amount_cents, since }: Refund, charge: Details, signal: AbortSignal) {
    const { refunds, isDisputed } = await books.changesOf(refundOf(charge).reference, signal, since)
    for (const { transId, refund_cents } of refunds) {
      const details = await findDetails(transId, signal)
      if (details?.customer?.id === refund_reference) return refund_cents === amount_cents ? 'done' : 'refused'
    }
    return isDisputed ? 'refused' : undefined
  }

  return { capture, void: voidHold, refund }
}

const toCents = (dollars = 0) => Math.round(dollars * 100)

const refundOf = ({ order, payment }: Details) => ({
  reference: order?.invoiceNumber ?? '',
  lastFour: payment?.creditCard?.cardNumber.slice(-4) ?? '',
})

/** The result of a capture that was not approved, by the transaction's state. */
const afterCapture: Record<StateOrMissing, Settlement> = {
  captured: 'done',
  disputed: 'done',
  refunded: 'refused',
  voided: 'refused',
  declined: 'refused',
  failed: 'refused',
  not_found: 'unknown', // its lists may lag behind
  held: 'unknown',
  review: 'unknown',
  unclear: 'unknown',
}

/** The result of a void, by the transaction's state. */
const afterVoid: Record<StateOrMissing, Settlement> = {
  voided: 'done',
  captured: 'refused',
  disputed: 'refused',
  refunded: 'refused',
  declined: 'refused',
  failed: 'refused',
  not_found: 'refused',
  held: 'unknown',
  review: 'unknown',
  unclear: 'unknown',
}
