import { toAmount } from '#contract/money.ts'
import type { PaymentState, Tables } from '#server/db/tables.ts'
import type { Transaction } from '#server/gateways/payment/port.ts'
import { type Discrepancy, newDiscrepancy } from './discrepancies.ts'

/** A payment in our journal. */
type Ours = Pick<
  Tables['payment'],
  'enrollment_id' | 'period' | 'reference' | 'state' | 'amount_cents' | 'transaction_id' | 'created_at' | 'updated_at'
> & {
  refunded_cents: number
  /** Refunds that the gateway has not confirmed yet. It may have made them already. */
  requested_cents: number
  member_id: string | null
}

type TheirState = Transaction['state'] | 'nothing'

/** The gateway's states that match each of ours. Anything else is a discrepancy. */
const matchingStates: Record<PaymentState, TheirState[]> = {
  captured: ['captured'],
  refunded: ['refunded', 'voided'], // before the charge has settled, a full refund is a void
  disputed: ['disputed'],
  declined: ['declined', 'voided', 'nothing'],
  voided: ['voided', 'refunded', 'declined', 'nothing'],
  abandoned: ['nothing', 'declined', 'voided', 'refunded'],
  review: ['review'],
  capture_failed: ['captured', 'refunded'], // the operator has captured it by hand
  // These do not last: an attempt that stays in one of them is a discrepancy.
  reserved: [],
  authorizing: [],
  authorized: [],
  unknown: [],
  enrolled: [],
}

/** The janitor updates these each time it asks the gateway, so their age counts from when they were created. */
const POLLED: PaymentState[] = ['reserved', 'authorizing', 'authorized', 'unknown']
export const isPolledByJanitor = ({ state }: { state: PaymentState }) => POLLED.includes(state)

const TRANSIENT: PaymentState[] = [...POLLED, 'review', 'enrolled', 'abandoned']

/** All discrepancies between our journal and the gateway's books, except for attempts that may still change. */
export function compareBooks(journal: Ours[], books: Transaction[], settledBefore: Date): Discrepancy[] {
  const byReference = Map.groupBy(books, ({ reference }) => reference)
  const references = new Set(journal.map(({ reference }) => reference))
  return [
    ...journal.flatMap((ours) => compareOne(ours, byReference.get(ours.reference) ?? [], settledBefore)),
    ...chargedTwice(journal, byReference),
    ...books
      .filter((theirs) => hasMoney(theirs) && !references.has(theirs.reference))
      .map((theirs) => newDiscrepancy('unknown here', theirs, 'nothing', inWords(theirs))),
  ]
}

function compareOne(ours: Ours, transactions: Transaction[], settledBefore: Date): Discrepancy[] {
  const refunds = transactions.filter((theirs) => isRefundAlone(ours, theirs))
  if (refunds.length && refunds.length === transactions.length) return compareRefunds(ours, refunds)
  const theirs = transactions.find(hasMoney) ?? transactions.find((each) => !refunds.includes(each))
  const since = isPolledByJanitor(ours) ? ours.created_at : ours.updated_at
  const mayStillChange = TRANSIENT.includes(ours.state) && since > settledBefore
  const discrepancies: Discrepancy[] = []
  const add = (kind: string, here: string, there: string) =>
    discrepancies.push(
      newDiscrepancy(kind, { ...ours, transaction_id: ours.transaction_id ?? theirs?.transaction_id }, here, there),
    )
  if (theirs && isDispute(ours, theirs)) add('dispute', ours.member_id ? 'on hold' : 'no member', inWords(theirs))
  else if (!isExpected(ours, theirs) && !mayStillChange) add('state', ours.state, inWords(theirs))
  else if (ours.state === 'captured' && theirs?.state === 'captured')
    discrepancies.push(...compareRefunds(ours, [theirs], ours.refunded_cents))
  if (theirs && hasMoney(theirs) && theirs.amount_cents !== ours.amount_cents)
    add('amount', toAmount(ours.amount_cents), toAmount(theirs.amount_cents))
  if ((ours.state === 'captured' || ours.state === 'enrolled') && !ours.member_id)
    add('paid without member', 'no member', inWords(theirs))
  return discrepancies
}

function isExpected(ours: Ours, theirs: Transaction | undefined): boolean {
  if (matchingStates[ours.state].includes(theirs?.state ?? 'nothing')) return true
  const isRefundRunning = ours.requested_cents > 0 && ours.refunded_cents + ours.requested_cents >= ours.amount_cents
  return ours.state === 'captured' && isRefundRunning && matchingStates.refunded.includes(theirs?.state ?? 'nothing')
}

/** The cardholder's bank has taken the money back. */
export const isDispute = ({ state }: Pick<Ours, 'state'>, theirs: Pick<Transaction, 'state'>) =>
  theirs.state === 'disputed' && (state === 'captured' || state === 'disputed')

/** A refund without its charge, which is older than the books that we asked for. */
const isRefundAlone = (ours: Ours, theirs: Transaction) =>
  theirs.state === 'refunded' && ours.transaction_id !== null && theirs.transaction_id !== ours.transaction_id

/** Refunds that only one side knows. If the books start after the charge, they may lack earlier refunds: `atLeast` is 0. */
function compareRefunds(ours: Ours, lines: Transaction[], atLeast = 0): Discrepancy[] {
  const refunded = lines.reduce((sum, line) => sum + (line.refunded_cents ?? 0), 0)
  if (refunded >= atLeast && refunded <= ours.refunded_cents + ours.requested_cents) return []
  return [newDiscrepancy('refund', ours, toAmount(ours.refunded_cents), toAmount(refunded))]
}

/** Two transactions for one attempt, or two attempts for one period, that both hold or have captured money. */
function chargedTwice(journal: Ours[], byReference: Map<string, Transaction[]>): Discrepancy[] {
  const charges = journal.flatMap((ours) =>
    (byReference.get(ours.reference) ?? []).filter(hasMoney).map((theirs) => ({ ours, theirs })),
  )
  return [...Map.groupBy(charges, ({ ours }) => `${ours.enrollment_id} ${ours.period}`).values()]
    .filter((charges) => charges.length > 1)
    .flatMap((charges) =>
      charges.map(({ ours, theirs }) =>
        newDiscrepancy('charged twice', ours, ours.state, `${inWords(theirs)}, one of ${charges.length}`),
      ),
    )
}

const hasMoney = ({ state }: Transaction) => state === 'held' || state === 'captured'

const inWords = (theirs: Transaction | undefined) =>
  theirs ? `${theirs.state} ${toAmount(theirs.amount_cents)}` : 'nothing'
