import { declineOf } from '#server/gateways/payment/declines.ts'
import type {
  Approval,
  Authorization,
  CardReplacement,
  Failure,
  Hold,
  LookupQuery,
  PaymentGateway,
  RefundResult,
  Renewal,
  Settlement,
} from '#server/gateways/payment/port.ts'
import { storedCardOf } from '#server/gateways/payment/stored-card.ts'
import { openBooks } from './books.ts'
import { openCardChanges } from './card-changes.ts'
import { type Account, checkAccount, createClient, OutcomeUnknown, RECORD_NOT_FOUND, VendorError } from './client.ts'
import {
  checksOf,
  declineClasses,
  declineForReason,
  duplicateReasons,
  rejectedBeforeBank,
  transactionState,
} from './codes.ts'
import { authorizeRequest, chargeRequest, isTooLong } from './requests.ts'
import { openSettlements } from './settlements.ts'
import { type Details, isTransactionId, openTransactions } from './transactions.ts'
import { findStoredCard, parseVaultReference, toVaultReference, vaultReference } from './vault.ts'

/**
 * Authorize.Net through its JSON API. The vendor has no idempotency key. Our reference is the invoice number: the vendor
 * rejects an identical request within eight hours, and we find a lost transaction by its invoice number.
 */
export function authorizeNet({ now, ...account }: Account & { now: () => Date }): PaymentGateway {
  const send = createClient(account)
  const books = openBooks(send, now)
  const transactions = openTransactions(send)
  const { transact, findDetails } = transactions
  const settlements = openSettlements(transactions, books)
  const changeCard = openCardChanges(send, transactions)

  async function authorize(hold: Hold, signal: AbortSignal): Promise<Authorization | Failure> {
    const result = await transact(authorizeRequest(hold), signal).catch(failure)
    if ('outcome' in result) return result
    const held = { transaction_id: result.transId, reference: hold.reference, profileReply: result.profileReply }
    return outcomeOfResponse(hold, result, signal, async () => ({
      vault_reference: hold.is_once ? '' : await vaultReference(send, held, signal),
      card: storedCardOf(hold.card),
    }))
  }

  async function charge(renewal: Renewal, signal: AbortSignal): Promise<Authorization | Failure> {
    const { vault_reference } = renewal
    const profile = parseVaultReference(vault_reference)
    if (!profile) return cardMissing
    const result = await transact(chargeRequest(renewal, profile), signal).catch((error) =>
      isRecordMissing(error) ? cardMissing : failure(error),
    )
    if ('outcome' in result) return result
    return outcomeOfResponse(renewal, result, signal, async () => ({ vault_reference }))
  }

  type Response = Awaited<ReturnType<typeof transact>>
  type CardOnFile = Pick<Approval, 'vault_reference' | 'card'>

  async function outcomeOfResponse(
    request: LookupQuery,
    { responseCode, transId, reason, rawResponseCode, networkTransId, ...response }: Response,
    signal: AbortSignal,
    findCard: () => Promise<CardOnFile>,
  ): Promise<Authorization | Failure> {
    if (responseCode === '1' || responseCode === '4') {
      if (!isTransactionId(transId))
        throw new Error('Authorize.Net is in test mode: it approves without a transaction.')
      if (responseCode === '4') return { outcome: 'review', transaction_id: transId }
      return {
        outcome: 'approved',
        transaction_id: transId,
        ...(await findCard()),
        checks: checksOf(response.avsResultCode, response.cvvResultCode),
        ...(networkTransId && { network_transaction_id: networkTransId }),
      }
    }
    if (duplicateReasons.has(reason)) return (await lookup(request, signal)) ?? unknown
    if (responseCode === '2' || (responseCode === '3' && declineClasses[reason]))
      return declineForReason(reason, rawResponseCode)
    const error = new VendorError(reason || 'no code')
    if (responseCode !== '3' || isTransactionId(transId)) throw error
    return failure(error)
  }

  async function lookup(query: LookupQuery, signal: AbortSignal): Promise<Authorization | undefined> {
    const transId = query.transaction_id ?? (await books.find(query.reference, signal, query.since))
    return transId ? outcomeOf(query, transId, signal) : undefined
  }

  async function outcomeOf(query: LookupQuery, transId: string, signal: AbortSignal): Promise<Authorization> {
    const details = await findDetails(transId, signal)
    switch (details && transactionState(details.transactionStatus)) {
      case 'held':
      case 'captured':
      case 'disputed':
        return details ? approvalOf(query, details, signal) : unknown
      case 'review':
        return { outcome: 'review', transaction_id: transId }
      case 'declined':
      case 'voided':
        return declineForReason(details?.responseReasonCode)
      case 'failed': // an error without a decision is not a decline
        return details?.responseCode === '2' || details?.responseCode === '3'
          ? declineForReason(details.responseReasonCode)
          : unknown
      default:
        return unknown
    }
  }

  async function approvalOf(query: LookupQuery, details: Details, signal: AbortSignal): Promise<Approval> {
    const { transId, profile, recurringBilling, networkTransId } = details
    const { reference, is_once } = query
    const isRenewal = recurringBilling === true
    const known = toVaultReference(profile?.customerProfileId, profile?.customerPaymentProfileId)
    // A renewal was charged to a stored card: there is nothing to store, and the caller knows the card.
    const vault_reference =
      known || (isRenewal || is_once ? '' : await vaultReference(send, { transaction_id: transId, reference }, signal))
    const card = isRenewal ? undefined : await findStoredCard(send, vault_reference, signal)
    return {
      outcome: 'approved',
      transaction_id: transId,
      vault_reference,
      checks: checksOf(details.AVSResponse, details.cardCodeResponse),
      ...(networkTransId && { network_transaction_id: networkTransId }),
      ...(card && { card }),
    }
  }

  return {
    name: 'authorizenet',
    authorize: (hold, signal) =>
      isTooLong(hold.card.cc_number)
        ? Promise.resolve(declineOf({}, 'card'))
        : authorize(hold, signal).catch(whenUnknown<Authorization | Failure>(unknown)),
    charge: (renewal, signal) => charge(renewal, signal).catch(whenUnknown<Authorization | Failure>(unknown)),
    replaceCard: (change, signal) =>
      isTooLong(change.card.cc_number)
        ? Promise.resolve(declineOf({}, 'card'))
        : changeCard(change, signal).catch(whenUnknown<CardReplacement>(unknown)),
    lookup: (query, signal) =>
      lookup(query, signal)
        .then((outcome) => outcome ?? { outcome: 'not_found' as const })
        .catch(whenUnknown<Authorization>(unknown)),
    capture: (transaction_id, signal) =>
      settlements.capture(transaction_id, signal).catch(whenUnknown<Settlement>('unknown')),
    void: (transaction_id, signal) =>
      settlements.void(transaction_id, signal).catch(whenUnknown<Settlement>('unknown')),
    refund: (refund, signal) => settlements.refund(refund, signal).catch(whenUnknown<RefundResult>('unknown')),
    transactions: books.transactions,
    checkAccount: (signal) => checkAccount(send, signal),
  }
}

const unknown = { outcome: 'unknown' } as const
const cardMissing: Failure = {
  outcome: 'failed',
  why: 'Authorize.Net does not have the stored card.',
  is_card_missing: true,
}

const isRecordMissing = (error: unknown) => error instanceof VendorError && error.code === RECORD_NOT_FOUND

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
