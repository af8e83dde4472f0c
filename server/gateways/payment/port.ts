import type { Brand } from '#contract/card.ts'
import type { AccountCheck } from '#server/gateways/account.ts'

/** What Foyer needs from a payment gateway. An adapter knows only its own vendor. */
export type PaymentGateway = {
  name: string
  /** Only the sandbox has test cards. Their declines say nothing about a visitor, so no limit counts them. */
  isTestCard?: (cc_number: string) => boolean
  /**
   * Holds the amount as the first charge of a recurring series, and asks the gateway to store the card for renewals.
   * A lost response is 'unknown', not an error.
   */
  authorize: (hold: Hold, signal: AbortSignal) => Promise<Authorization | Failure>
  /** Charges a stored card without the member: authorizes and captures at once. Approved means captured. */
  charge: (renewal: Renewal, signal: AbortSignal) => Promise<Authorization | Failure>
  /**
   * Verifies a new card at the bank without charging it, and stores it beside the old one. The old vault reference can
   * still be charged whatever the outcome is. After 'unknown' the member enters the card again.
   */
  replaceCard: (change: CardChange, signal: AbortSignal) => Promise<CardReplacement>
  /** The outcome of an attempt whose response was lost, or that was under review. */
  lookup: (query: LookupQuery, signal: AbortSignal) => Promise<Authorization | { outcome: 'not_found' }>
  /** Charges the held amount. Idempotent. */
  capture: (transaction_id: string, signal: AbortSignal) => Promise<Settlement>
  /** Releases the held amount. */
  void: (transaction_id: string, signal: AbortSignal) => Promise<Settlement>
  /**
   * Returns captured money, all of it or a part. Before the charge has settled, a full refund voids it, and a part has to
   * wait. The same refund reference never refunds twice.
   */
  refund: (refund: Refund, signal: AbortSignal) => Promise<RefundResult>
  /** All transactions since then, for reconciliation with our journal. Throws if the gateway gives no answer. */
  transactions: (since: Date, signal: AbortSignal) => Promise<Transaction[]>
  /** Whether the gateway accepts our credentials. Changes nothing there. */
  checkAccount: (signal: AbortSignal) => Promise<AccountCheck>
}

export type Card = { cc_number: string; cc_month: string; cc_year: string; cc_cvv: string }
export type Billing = {
  first_name: string
  last_name: string
  address: string
  address2: string
  city: string
  state: string
  country: string
  post_code: string
}

export type Hold = {
  /** Our id of the attempt: 20 lowercase letters and digits. The same reference never holds twice. */
  reference: string
  amount_cents: number
  card: Card
  billing: Billing
  /** Nothing in the order renews: no series begins, and the card isn't kept. */
  is_once?: true
}

export type Renewal = {
  /** Our id of the attempt, as for a hold. The same reference never charges twice. */
  reference: string
  amount_cents: number
  vault_reference: string
  /** The first charge of the series on this card, or the verification of a replaced card. */
  series?: Series
  /** An earlier attempt for the same period was declined. */
  is_retry: boolean
}
export type Series = { network_transaction_id: string; amount_cents: number }

export type CardChange = {
  /** Our id of the change, as for a hold. */
  reference: string
  /** The card on file; empty if there is none. */
  vault_reference: string
  card: Card
  billing: Billing
}

export type Refund = {
  /** Our id of the refund: 20 lowercase letters and digits. */
  refund_reference: string
  transaction_id: string
  amount_cents: number
  /** When we recorded the refund: the gateway cannot have made it earlier. */
  since?: Date
}

export type LookupQuery = {
  reference: string
  transaction_id?: string | null
  /** When we recorded the attempt: the gateway cannot have an earlier transaction for it. */
  since?: Date
  /** As for the hold. */
  is_once?: true | undefined
}

export type Authorization = Approval | Decline | { outcome: 'review'; transaction_id: string } | { outcome: 'unknown' }

export type Approval = {
  outcome: 'approved'
  transaction_id: string
  /** Pays the renewals; empty if the gateway could not store the card. */
  vault_reference: string
  checks?: Checks
  /** The card network's id of the transaction. Renewals name the one that started their series. */
  network_transaction_id?: string
  card?: StoredCard
}

export type Decline = {
  outcome: 'declined'
  decline_class: DeclineClass
  /** The issuer's own response code, such as 51 for insufficient funds. */
  issuer_code?: string
  /** Mastercard's merchant advice code. */
  advice_code?: string
  /** The issuer forbids further attempts with this card, see declines.ts. */
  never_retry?: true
}

/**
 * The gateway held nothing, for a reason other than the card: the operator has something to fix. If that is not certain,
 * the outcome is 'unknown' instead.
 */
export type Failure = {
  outcome: 'failed'
  why: string
  /** The gateway does not have the stored card: only a new card helps. */
  is_card_missing?: true
}

export type CardReplacement =
  | Omit<Approval & { card: StoredCard }, 'transaction_id'>
  | Decline
  | Failure
  | { outcome: 'unknown' }

/** What may be shown of a stored card. */
export type StoredCard = {
  brand: Brand
  last_four: string
  /** Year and month: '2030-07'. */
  expires: string
}

/** The bank's verdict on the address and the CVC. */
export type Checks = { address: Check; cvc: Check }
export type Check = 'match' | 'mismatch' | 'unchecked'

/** What the visitor can do: correct the input, use another card, or ask the bank. Or the bank suspects fraud. */
export type DeclineClass = 'input' | 'card' | 'bank' | 'fraud'

/** refused: the gateway will never do it. unknown: try again. */
export type Settlement = 'done' | 'refused' | 'unknown'

/**
 * voided: done, by canceling a charge that had not settled. not_settled: a partial refund is possible once the charge has
 * settled, usually the next day.
 */
export type RefundResult = Settlement | 'voided' | 'not_settled'

/** A transaction in the gateway's own books. A full refund before settlement makes it 'voided'. */
export type Transaction = {
  transaction_id: string
  reference: string
  amount_cents: number
  /** refunded: in full. disputed: the cardholder's bank has taken the money back, until the dispute is won. */
  state: 'held' | 'review' | 'declined' | 'captured' | 'voided' | 'refunded' | 'disputed'
  /** The sum of all refunds, if there is any. */
  refunded_cents?: number
  /** Charged with a stored card. */
  is_renewal?: true
}
