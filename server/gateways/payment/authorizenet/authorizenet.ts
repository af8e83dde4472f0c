import * as z from 'zod/mini'
import type { Authorization, Failure, Hold, PaymentGateway, Settlement } from '#server/gateways/payment/port.ts'
import { openBooks } from './books.ts'
import {
  type Account,
  baseReply,
  createClient,
  isOk,
  OutcomeUnknown,
  RECORD_NOT_FOUND,
  requireOk,
  text,
  VendorError,
  vendorError,
} from './client.ts'
import {
  checksOf,
  declineClasses,
  duplicateReasons,
  refundRefusals,
  rejectedBeforeBank,
  transactionState,
} from './codes.ts'
import { authorizeRequest, followUpRequest, isTooLong, refundRequest } from './requests.ts'
import { ProfileReply, vaultReference } from './vault.ts'

const TransactionReply = z.object({
  ...baseReply,
  transactionResponse: z.optional(
    z.nullable(
      z.object({
        responseCode: z.optional(text),
        transId: z.optional(text),
        avsResultCode: z.optional(z.string()),
        cvvResultCode: z.optional(z.string()),
        messages: z.optional(z.array(z.object({ code: text }))),
        errors: z.optional(z.array(z.object({ errorCode: text }))),
      }),
    ),
  ),
  profileResponse: z.optional(z.nullable(ProfileReply)),
})
const Details = z.object({
  ...baseReply,
  transaction: z.optional(
    z.object({
      transId: text,
      transactionStatus: z.string(),
      responseCode: z.optional(text),
      responseReasonCode: z.optional(text),
      AVSResponse: z.optional(z.string()),
      cardCodeResponse: z.optional(z.string()),
      order: z.optional(z.nullable(z.object({ invoiceNumber: z.optional(text) }))),
      settleAmount: z.optional(z.pipe(text, z.transform(Number))),
      payment: z.optional(z.object({ creditCard: z.optional(z.object({ cardNumber: z.string() })) })),
    }),
  ),
})
type Details = NonNullable<z.infer<typeof Details>['transaction']>

/**
 * Authorize.Net through its JSON API. The vendor has no idempotency key. Our reference is the invoice number: the vendor
 * rejects an identical request within eight hours, and we find a lost transaction by its invoice number.
 */
export function authorizeNet({ now, ...account }: Account & { now: () => Date }): PaymentGateway {
  const send = createClient(account)
  const books = openBooks(send, now)

  const transact = async (request: ReturnType<typeof followUpRequest> & { refId?: string }, signal: AbortSignal) => {
    const reply = await send('createTransactionRequest', request, TransactionReply, signal)
    const { responseCode, transId = '0', errors, messages, ...checks } = reply.transactionResponse ?? {}
    if (!responseCode) throw vendorError(reply)
    const reason = errors?.[0]?.errorCode ?? messages?.[0]?.code ?? ''
    return { responseCode, transId, reason, checks, profileReply: reply.profileResponse }
  }

  const findDetails = async (transId: string, signal: AbortSignal): Promise<Details | undefined> => {
    if (!isTransactionId(transId)) return undefined
    const reply = await send('getTransactionDetailsRequest', { transId }, Details, signal)
    if (!isOk(reply) && reply.messages.message.some(({ code }) => code === RECORD_NOT_FOUND)) return undefined
    return requireOk(reply).transaction
  }

  async function authorize(request: Hold, signal: AbortSignal): Promise<Authorization | Failure> {
    const result = await transact(authorizeRequest(request), signal).catch(failure)
    if ('outcome' in result) return result
    const { responseCode, transId, reason, checks, profileReply } = result
    if (responseCode === '1' || responseCode === '4') {
      if (!isTransactionId(transId))
        throw new Error('Authorize.Net is in test mode: it approves without a transaction.')
      if (responseCode === '4') return { outcome: 'review', transaction_id: transId }
      const held = { transaction_id: transId, reference: request.reference, profileReply }
      return {
        outcome: 'approved',
        transaction_id: transId,
        vault_reference: await vaultReference(send, held, signal),
        checks: checksOf(checks.avsResultCode, checks.cvvResultCode),
      }
    }
    if (duplicateReasons.has(reason)) return (await lookup(request.reference, signal)) ?? unknown
    if (responseCode === '2') return { outcome: 'declined', decline_class: declineClasses[reason] ?? 'bank' }
    const decline_class = responseCode === '3' ? declineClasses[reason] : undefined
    if (decline_class) return { outcome: 'declined', decline_class }
    const error = new VendorError(reason || 'no code')
    if (responseCode !== '3' || isTransactionId(transId)) throw error
    return failure(error)
  }

  async function lookup(reference: string, signal: AbortSignal, since?: Date): Promise<Authorization | undefined> {
    const transId = await books.find(reference, signal, since)
    return transId ? outcomeOf(reference, transId, signal) : undefined
  }

  async function outcomeOf(reference: string, transId: string, signal: AbortSignal): Promise<Authorization> {
    const details = await findDetails(transId, signal)
    switch (details && transactionState(details.transactionStatus)) {
      case 'held':
      case 'captured':
        return {
          outcome: 'approved',
          transaction_id: transId,
          vault_reference: await vaultReference(send, { transaction_id: transId, reference }, signal),
          checks: checksOf(details?.AVSResponse, details?.cardCodeResponse),
        }
      case 'review':
        return { outcome: 'review', transaction_id: transId }
      case 'declined':
      case 'voided':
        return { outcome: 'declined', decline_class: declineClasses[details?.responseReasonCode ?? ''] ?? 'bank' }
      case 'failed': // an error without a decision is not a decline
        return details?.responseCode === '2' || details?.responseCode === '3'
          ? { outcome: 'declined', decline_class: declineClasses[details.responseReasonCode ?? ''] ?? 'bank' }
          : unknown
      default:
        return unknown
    }
  }

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

  /** The vendor refunds only settled transactions. Before settlement, a full refund is a void, and a partial one has to wait. */
  async function refund(transId: string, amount_cents: number, signal: AbortSignal): Promise<Settlement> {
    const details = await findDetails(transId, signal)
    const state = details ? transactionState(details.transactionStatus) : 'not_found'
    if (!details || state !== 'captured') return state === 'voided' ? 'done' : 'refused'
    const captured_cents = Math.round((details.settleAmount ?? 0) * 100)
    if (amount_cents > captured_cents) return 'refused'
    const reference = details.order?.invoiceNumber ?? ''
    const lastFour = details.payment?.creditCard?.cardNumber.slice(-4) ?? ''
    const { responseCode, reason } = await transact(
      refundRequest({ transId, amount_cents, reference, lastFour }),
      signal,
    )
    if (responseCode === '1') return 'done'
    if (refundRefusals.notFound.has(reason)) return 'refused'
    if (duplicateReasons.has(reason))
      return (await books.refundedCents(reference, signal)) >= amount_cents ? 'done' : 'unknown'
    if (refundRefusals.alreadyRefunded.has(reason))
      return (await books.refundedCents(reference, signal)) >= amount_cents ? 'done' : 'refused'
    if (!refundRefusals.notSettled.has(reason) || amount_cents !== captured_cents) return 'unknown'
    const voided = await transact(followUpRequest('voidTransaction', transId), signal)
    return voided.responseCode === '1' ? 'done' : 'unknown'
  }

  const stateOf = async (transId: string, signal: AbortSignal) => {
    const details = await findDetails(transId, signal)
    return details ? transactionState(details.transactionStatus) : 'not_found'
  }

  return {
    name: 'authorizenet',
    authorize: (request, signal) =>
      isTooLong(request.card.cc_number)
        ? Promise.resolve({ outcome: 'declined', decline_class: 'card' })
        : authorize(request, signal).catch(whenUnknown<Authorization | Failure>(unknown)),
    lookup: ({ reference, transaction_id, since }, signal) =>
      (transaction_id ? outcomeOf(reference, transaction_id, signal) : lookup(reference, signal, since))
        .then((outcome) => outcome ?? { outcome: 'not_found' as const })
        .catch(whenUnknown<Authorization>(unknown)),
    capture: (transaction_id, signal) => capture(transaction_id, signal).catch(whenUnknown<Settlement>('unknown')),
    void: (transaction_id, signal) => voidHold(transaction_id, signal).catch(whenUnknown<Settlement>('unknown')),
    refund: (transaction_id, amount_cents, signal) =>
      refund(transaction_id, amount_cents, signal).catch(whenUnknown<Settlement>('unknown')),
    transactions: books.transactions,
  }
}

const unknown = { outcome: 'unknown' } as const

/** A request that the vendor rejected before it asked a bank. Only for the request that would have held the money. */
function failure(error: unknown): Failure {
  if (error instanceof VendorError && rejectedBeforeBank.has(error.code))
    return { outcome: 'failed', why: error.message }
  throw error
}

/** Turns a missing response into this outcome. Errors of the vendor are rethrown, so that the caller logs them. */
const whenUnknown =
  <Outcome>(outcome: Outcome) =>
  (error: unknown): Outcome => {
    if (error instanceof OutcomeUnknown) return outcome
    throw error
  }

/** In test mode the vendor returns 0. */
const isTransactionId = (transId: string) => /^[1-9]\d*$/.test(transId)

type StateOrMissing = ReturnType<typeof transactionState> | 'not_found'

/** The result of a capture that was not approved, by the transaction's state. */
const afterCapture: Record<StateOrMissing, Settlement> = {
  captured: 'done',
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
  refunded: 'refused',
  declined: 'refused',
  failed: 'refused',
  not_found: 'refused',
  held: 'unknown',
  review: 'unknown',
  unclear: 'unknown',
}
