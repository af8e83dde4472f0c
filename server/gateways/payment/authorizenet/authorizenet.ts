import * as z from 'zod/mini'
import type { Authorization, Failure, Hold, PaymentGateway, Settlement } from '#server/gateways/payment/port.ts'
import { booksOf } from './books.ts'
import { checksOf, duplicates, reasons, refundRefusals, standingOf, turnedAway } from './codes.ts'
import {
  type Account,
  accepted,
  answer,
  exchangeWith,
  isOk,
  LostAnswer,
  NOT_FOUND,
  refusal,
  text,
  VendorRefusal,
} from './exchange.ts'
import { authorization, isLongNumber, prior, refunding } from './requests.ts'
import { Kept, vaultReference } from './vault.ts'

const Done = z.object({
  ...answer,
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
  profileResponse: z.optional(z.nullable(Kept)),
})
const Details = z.object({
  ...answer,
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
 * Authorize.Net by its JSON interface. base_url is its host; the path is always the same. There is no idempotency key:
 * our reference is the invoice number, an identical request within eight hours is refused, and what got through is
 * found by its invoice number.
 */
export function authorizeNet({ now, ...account }: Account & { now: () => Date }): PaymentGateway {
  const ask = exchangeWith(account)
  const books = booksOf(ask, now)

  const transact = async (request: ReturnType<typeof prior> & { refId?: string }, signal: AbortSignal) => {
    const reply = await ask('createTransactionRequest', request, Done, signal)
    const { responseCode, transId = '0', errors, messages, ...checks } = reply.transactionResponse ?? {}
    if (!responseCode) throw refusal(reply)
    const reason = errors?.[0]?.errorCode ?? messages?.[0]?.code ?? ''
    return { responseCode, transId, reason, checks, kept: reply.profileResponse }
  }

  const find = async (transId: string, signal: AbortSignal): Promise<Details | undefined> => {
    if (!isTransactionId(transId)) return undefined
    const reply = await ask('getTransactionDetailsRequest', { transId }, Details, signal)
    if (!isOk(reply) && reply.messages.message.some(({ code }) => code === NOT_FOUND)) return undefined
    return accepted(reply).transaction
  }

  async function hold(asked: Hold, signal: AbortSignal): Promise<Authorization | Failure> {
    const done = await transact(authorization(asked), signal).catch(failure)
    if ('outcome' in done) return done
    const { responseCode, transId, reason, checks, kept } = done
    if (responseCode === '1' || responseCode === '4') {
      if (!isTransactionId(transId))
        throw new Error('Authorize.Net is in test mode: it approves without a transaction.')
      if (responseCode === '4') return { outcome: 'review', transaction_id: transId }
      const held = { transaction_id: transId, reference: asked.reference, kept }
      return {
        outcome: 'approved',
        transaction_id: transId,
        vault_reference: await vaultReference(ask, held, signal),
        checks: checksOf(checks.avsResultCode, checks.cvvResultCode),
      }
    }
    if (duplicates.has(reason)) return (await lookup(asked.reference, signal)) ?? unknown
    if (responseCode === '2') return { outcome: 'declined', decline_class: reasons[reason] ?? 'bank' }
    const decline_class = responseCode === '3' ? reasons[reason] : undefined
    if (decline_class) return { outcome: 'declined', decline_class }
    const refused = new VendorRefusal(reason || 'no code')
    if (responseCode !== '3' || isTransactionId(transId)) throw refused
    return failure(refused)
  }

  async function lookup(reference: string, signal: AbortSignal, since?: Date): Promise<Authorization | undefined> {
    const transId = await books.find(reference, signal, since)
    return transId ? became(reference, transId, signal) : undefined
  }

  async function became(reference: string, transId: string, signal: AbortSignal): Promise<Authorization> {
    const details = await find(transId, signal)
    switch (details && standingOf(details.transactionStatus)) {
      case 'held':
      case 'captured':
        return {
          outcome: 'approved',
          transaction_id: transId,
          vault_reference: await vaultReference(ask, { transaction_id: transId, reference }, signal),
          checks: checksOf(details?.AVSResponse, details?.cardCodeResponse),
        }
      case 'review':
        return { outcome: 'review', transaction_id: transId }
      case 'declined':
      case 'voided':
        return { outcome: 'declined', decline_class: reasons[details?.responseReasonCode ?? ''] ?? 'bank' }
      case 'failed': // an error without a decision is not a no
        return details?.responseCode === '2' || details?.responseCode === '3'
          ? { outcome: 'declined', decline_class: reasons[details.responseReasonCode ?? ''] ?? 'bank' }
          : unknown
      default:
        return unknown
    }
  }

  async function capture(transId: string, signal: AbortSignal): Promise<Settlement> {
    if (!isTransactionId(transId)) return 'refused'
    const { responseCode } = await transact(prior('priorAuthCaptureTransaction', transId), signal)
    return responseCode === '1' ? 'done' : afterCapture[await standing(transId, signal)]
  }

  /** The vendor would also void what is captured: looks first. */
  async function letGo(transId: string, signal: AbortSignal): Promise<Settlement> {
    const before = await standing(transId, signal)
    if (before !== 'held' && before !== 'review') return afterVoid[before]
    const { responseCode } = await transact(prior('voidTransaction', transId), signal)
    return responseCode === '1' ? 'done' : afterVoid[await standing(transId, signal)]
  }

  /** Until it is settled the vendor credits nothing; a void gives the whole back, a part has to wait. */
  async function refund(transId: string, amount_cents: number, signal: AbortSignal): Promise<Settlement> {
    const details = await find(transId, signal)
    const found = details ? standingOf(details.transactionStatus) : 'nowhere'
    if (!details || found !== 'captured') return found === 'voided' ? 'done' : 'refused'
    const taken_cents = Math.round((details.settleAmount ?? 0) * 100)
    if (amount_cents > taken_cents) return 'refused'
    const reference = details.order?.invoiceNumber ?? ''
    const lastFour = details.payment?.creditCard?.cardNumber.slice(-4) ?? ''
    const { responseCode, reason } = await transact(refunding({ transId, amount_cents, reference, lastFour }), signal)
    if (responseCode === '1') return 'done'
    if (refundRefusals.noSuchTransaction.has(reason)) return 'refused'
    if (duplicates.has(reason)) return (await books.givenBack(reference, signal)) >= amount_cents ? 'done' : 'unknown'
    if (refundRefusals.givenBackBefore.has(reason))
      return (await books.givenBack(reference, signal)) >= amount_cents ? 'done' : 'refused'
    if (!refundRefusals.notSettled.has(reason) || amount_cents !== taken_cents) return 'unknown'
    const voided = await transact(prior('voidTransaction', transId), signal)
    return voided.responseCode === '1' ? 'done' : 'unknown'
  }

  const standing = async (transId: string, signal: AbortSignal) => {
    const details = await find(transId, signal)
    return details ? standingOf(details.transactionStatus) : 'nowhere'
  }

  return {
    name: 'authorizenet',
    authorize: (asked, signal) =>
      isLongNumber(asked.card.cc_number)
        ? Promise.resolve({ outcome: 'declined', decline_class: 'card' })
        : hold(asked, signal).catch(lostIs<Authorization | Failure>(unknown)),
    lookup: ({ reference, transaction_id, since }, signal) =>
      (transaction_id ? became(reference, transaction_id, signal) : lookup(reference, signal, since))
        .then((found) => found ?? { outcome: 'not_found' as const })
        .catch(lostIs<Authorization>(unknown)),
    capture: (transaction_id, signal) => capture(transaction_id, signal).catch(lostIs<Settlement>('unknown')),
    void: (transaction_id, signal) => letGo(transaction_id, signal).catch(lostIs<Settlement>('unknown')),
    refund: (transaction_id, amount_cents, signal) =>
      refund(transaction_id, amount_cents, signal).catch(lostIs<Settlement>('unknown')),
    transactions: books.transactions,
  }
}

const unknown = { outcome: 'unknown' } as const

/** What the vendor has turned away, as an outcome. Only of the request that would have held the money. */
function failure(error: unknown): Failure {
  if (error instanceof VendorRefusal && turnedAway.has(error.code)) return { outcome: 'failed', why: error.message }
  throw error
}

/** Nobody knows what became of it; a refusal of the vendor goes to the caller and its log. */
const lostIs =
  <Outcome>(outcome: Outcome) =>
  (error: unknown): Outcome => {
    if (error instanceof LostAnswer) return outcome
    throw error
  }

/** In its test mode the vendor says 0. */
const isTransactionId = (transId: string) => /^[1-9]\d*$/.test(transId)

type Found = ReturnType<typeof standingOf> | 'nowhere'

/** What a capture that was not approved has come to. */
const afterCapture: Record<Found, Settlement> = {
  captured: 'done',
  refunded: 'refused',
  voided: 'refused',
  declined: 'refused',
  failed: 'refused',
  nowhere: 'unknown', // its books may be slower than we are
  held: 'unknown',
  review: 'unknown',
  unclear: 'unknown',
}

/** What a void has come to, or would. */
const afterVoid: Record<Found, Settlement> = {
  voided: 'done',
  captured: 'refused',
  refunded: 'refused',
  declined: 'refused',
  failed: 'refused',
  nowhere: 'refused',
  held: 'unknown',
  review: 'unknown',
  unclear: 'unknown',
}
