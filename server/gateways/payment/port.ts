/** What Foyer needs from a payment gateway. An adapter knows only its own vendor. */
export type PaymentGateway = {
  name: string
  /** Only the sandbox has test cards. Their declines say nothing about a visitor, so no limit counts them. */
  isTestCard?: (cc_number: string) => boolean
  /** Holds the amount, and asks the gateway to store the card for renewals. A lost response is 'unknown', not an error. */
  authorize: (hold: Hold, signal: AbortSignal) => Promise<Authorization | Failure>
  /** The outcome of an attempt whose response was lost, or that was under review. */
  lookup: (query: LookupQuery, signal: AbortSignal) => Promise<Authorization | { outcome: 'not_found' }>
  /** Charges the held amount. Idempotent. */
  capture: (transaction_id: string, signal: AbortSignal) => Promise<Settlement>
  /** Releases the held amount. */
  void: (transaction_id: string, signal: AbortSignal) => Promise<Settlement>
  /** Returns captured money. */
  refund: (transaction_id: string, amount_cents: number, signal: AbortSignal) => Promise<Settlement>
  /** All transactions since then, for reconciliation with our journal. Throws if the gateway gives no answer. */
  transactions: (since: Date, signal: AbortSignal) => Promise<Transaction[]>
}

export type Hold = {
  /** Our id of the attempt: 20 lowercase letters and digits. The same reference never holds twice. */
  reference: string
  amount_cents: number
  card: { cc_number: string; cc_month: string; cc_year: string; cc_cvv: string }
  billing: {
    first_name: string
    last_name: string
    address: string
    address2: string
    city: string
    state: string
    country: string
    post_code: string
  }
}

type LookupQuery = {
  reference: string
  transaction_id?: string | null
  /** When we recorded the attempt: the gateway cannot have an earlier transaction for it. */
  since?: Date
}

export type Authorization =
  /** The vault reference pays the renewals; it is empty if the gateway could not store the card. */
  | { outcome: 'approved'; transaction_id: string; vault_reference: string; checks?: Checks }
  | { outcome: 'declined'; decline_class: DeclineClass }
  | { outcome: 'review'; transaction_id: string }
  | { outcome: 'unknown' }

/**
 * The gateway held nothing, for a reason other than the card: the operator has something to fix. If that is not certain,
 * the outcome is 'unknown' instead.
 */
export type Failure = { outcome: 'failed'; why: string }

/** The bank's verdict on the address and the CVC. */
export type Checks = { address: Check; cvc: Check }
export type Check = 'match' | 'mismatch' | 'unchecked'

/** What the visitor can do: correct the input, use another card, or ask the bank. Or the bank suspects fraud. */
export type DeclineClass = 'input' | 'card' | 'bank' | 'fraud'

/** refused: the gateway will never do it. unknown: try again. */
export type Settlement = 'done' | 'refused' | 'unknown'

/** A transaction in the gateway's own books. */
export type Transaction = {
  transaction_id: string
  reference: string
  amount_cents: number
  state: 'held' | 'review' | 'declined' | 'captured' | 'voided' | 'refunded'
}
