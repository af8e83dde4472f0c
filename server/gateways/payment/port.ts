/** What Foyer asks of whoever moves the money. An adapter knows its own vendor and nothing else. */
export type PaymentGateway = {
  name: string
  /** Holds the amount, and asks the gateway to keep the card for the months to come. Never throws for a lost answer. */
  authorize: (hold: Hold, signal: AbortSignal) => Promise<Authorization | Failure>
  /** What became of an attempt whose answer was lost, or that is being looked at. */
  lookup: (asked: LookupQuery, signal: AbortSignal) => Promise<Authorization | { outcome: 'not_found' }>
  /** Takes what was held. Asking twice takes it once. */
  capture: (transaction_id: string, signal: AbortSignal) => Promise<Settlement>
  /** Lets go of what was held. */
  void: (transaction_id: string, signal: AbortSignal) => Promise<Settlement>
  /** Gives back what was captured. */
  refund: (transaction_id: string, amount_cents: number, signal: AbortSignal) => Promise<Settlement>
  /** Everything it has heard of since then, to be compared with our journal. Throws when it cannot say. */
  transactions: (since: Date, signal: AbortSignal) => Promise<Transaction[]>
}

export type Hold = {
  /** Our own name for the attempt, 20 small letters and digits; asking twice with it holds once. */
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
  /** When the attempt was written: the gateway cannot have heard of it before. */
  since?: Date
}

export type Authorization =
  /** The vault reference bills the next months; it is empty when the gateway could not keep the card. */
  | { outcome: 'approved'; transaction_id: string; vault_reference: string; checks?: Checks }
  | { outcome: 'declined'; decline_class: DeclineClass }
  | { outcome: 'review'; transaction_id: string }
  | { outcome: 'unknown' }

/**
 * The gateway itself says that it has held nothing, and not because of the card: the operator has something to mend. Where that
 * is not sure, it is unknown.
 */
export type Failure = { outcome: 'failed'; why: string }

/** What the bank said of the address and of the CVC. */
export type Checks = { address: Check; cvc: Check }
export type Check = 'match' | 'mismatch' | 'unchecked'

/** What the visitor can do about it: mend the input, try another card, ask the bank; or the bank suspects fraud. */
export type DeclineClass = 'input' | 'card' | 'bank' | 'fraud'

/** refused: the gateway will never do it. unknown: ask again. */
export type Settlement = 'done' | 'refused' | 'unknown'

/** A line of the gateway's own books. */
export type Transaction = {
  transaction_id: string
  reference: string
  amount_cents: number
  state: 'held' | 'review' | 'declined' | 'captured' | 'voided' | 'refunded'
}
