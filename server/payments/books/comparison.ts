import { toAmount } from '#contract/money.ts'
import type { PaymentState, Tables } from '#server/db/tables.ts'
import type { Transaction } from '#server/gateways/payment/port.ts'
import { type Difference, newDifference } from './differences.ts'

/** A payment in our journal. */
type Ours = Pick<
  Tables['payment'],
  'enrollment_id' | 'reference' | 'state' | 'amount_cents' | 'transaction_id' | 'created_at' | 'updated_at'
> & { member_id: string | null }

type TheirState = Transaction['state'] | 'nothing'

/** The gateway's states that match each of ours. Anything else is a difference. */
const matchingStates: Record<PaymentState, TheirState[]> = {
  captured: ['captured', 'refunded'],
  declined: ['declined', 'voided', 'nothing'],
  voided: ['voided', 'refunded', 'declined', 'nothing'],
  abandoned: ['nothing', 'declined', 'voided'],
  review: ['review'],
  capture_failed: ['captured', 'refunded'], // the operator has captured it by hand
  // These do not last: an attempt that stays in one of them is a difference.
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

/** All differences between our journal and the gateway's books, except for attempts that may still change. */
export function compareBooks(journal: Ours[], books: Transaction[], settledBefore: Date): Difference[] {
  const byReference = Map.groupBy(books, ({ reference }) => reference)
  const references = new Set(journal.map(({ reference }) => reference))
  return [
    ...journal.flatMap((ours) => compareOne(ours, byReference.get(ours.reference) ?? [], settledBefore)),
    ...chargedTwice(journal, byReference),
    ...books
      .filter((theirs) => hasMoney(theirs) && !references.has(theirs.reference))
      .map((theirs) => newDifference('unknown here', theirs, 'nothing', inWords(theirs))),
  ]
}

function compareOne(ours: Ours, transactions: Transaction[], settledBefore: Date): Difference[] {
  const theirs = transactions.find(hasMoney) ?? transactions[0]
  const since = isPolledByJanitor(ours) ? ours.created_at : ours.updated_at
  const mayStillChange = TRANSIENT.includes(ours.state) && since > settledBefore
  const differences: Difference[] = []
  if (!matchingStates[ours.state].includes(theirs?.state ?? 'nothing') && !mayStillChange)
    differences.push(newDifference('state', ours, ours.state, inWords(theirs)))
  if (theirs && hasMoney(theirs) && theirs.amount_cents !== ours.amount_cents)
    differences.push(newDifference('amount', ours, toAmount(ours.amount_cents), toAmount(theirs.amount_cents)))
  if ((ours.state === 'captured' || ours.state === 'enrolled') && !ours.member_id)
    differences.push(newDifference('paid without member', ours, 'no member', inWords(theirs)))
  return differences
}

/** Two transactions for one attempt, or two attempts of one enrollment, that both hold or have captured money. */
function chargedTwice(journal: Ours[], byReference: Map<string, Transaction[]>): Difference[] {
  const charges = journal.flatMap((ours) =>
    (byReference.get(ours.reference) ?? []).filter(hasMoney).map((theirs) => ({ ours, theirs })),
  )
  return [...Map.groupBy(charges, ({ ours }) => ours.enrollment_id).values()]
    .filter((charges) => charges.length > 1)
    .flatMap((charges) =>
      charges.map(({ ours, theirs }) =>
        newDifference('charged twice', ours, ours.state, `${inWords(theirs)}, one of ${charges.length}`),
      ),
    )
}

const hasMoney = ({ state }: Transaction) => state === 'held' || state === 'captured'

const inWords = (theirs: Transaction | undefined) =>
  theirs ? `${theirs.state} ${toAmount(theirs.amount_cents)}` : 'nothing'
