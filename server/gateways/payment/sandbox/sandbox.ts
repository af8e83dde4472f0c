import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isTestCard, type TestCard, testCardFor } from '#server/gateways/payment/cards.ts'
import type { Authorization, Hold, PaymentGateway, Settlement } from '#server/gateways/payment/port.ts'
import { type Change, type Entry, type Ledger, openLedger } from './ledger.ts'

export type Verdict = 'approve' | 'decline'

/** A gateway that also lets us decide transactions under review. */
export type SandboxGateway = PaymentGateway & {
  /** Returns false if the transaction is not under review. */
  review: (transaction_id: string, verdict: Verdict) => Promise<boolean>
}

const SLOW_MS = 1_000

/** A simulated gateway. The card number decides the outcome, see the test cards. */
export const sandboxPayments = (ledgerFile: string, now: () => Date): SandboxGateway =>
  sandboxOn(openLedger(ledgerFile, now))

/** The same, on a ledger that is already open. */
export function sandboxOn(ledger: Ledger): SandboxGateway {
  const settle = async (signal: AbortSignal, isDone: () => boolean): Promise<Settlement> => {
    if (signal.aborted) return 'unknown'
    return isDone() ? 'done' : 'refused'
  }
  return {
    name: 'sandbox',
    isTestCard,
    async authorize(hold, signal) {
      const { fault, decision } = testCardFor(hold.card.cc_number)
      if (fault === 'lost_before' || signal.aborted) return { outcome: 'unknown' }
      if (decision === 'failed') return { outcome: 'failed', why: 'The sandbox rejects this card.' }
      const entry = ledger.add(newEntry(hold, decision))
      if (fault === 'slow') await sleep(SLOW_MS, undefined, { signal }).catch(() => undefined)
      if (fault === 'lost_after' || signal.aborted) return { outcome: 'unknown' }
      return authorizationOf(entry)
    },
    lookup: async ({ reference }, signal) => {
      if (signal.aborted) return { outcome: 'unknown' }
      const entry = ledger.find(reference)
      return entry ? authorizationOf(entry) : { outcome: 'not_found' }
    },
    capture: (id, signal) => settle(signal, () => ledger.move(id, 'captured')?.state === 'captured'),
    void: (id, signal) => settle(signal, () => ledger.move(id, 'voided')?.state === 'voided'),
    refund: (id, amount_cents, signal) => settle(signal, () => refundOnce(ledger, id, amount_cents)),
    transactions: async (since, signal) => {
      signal.throwIfAborted()
      const from = since.toISOString()
      return ledger
        .entries()
        .filter(({ updated_at }) => updated_at >= from)
        .map(({ transaction_id, reference, amount_cents, state }) => ({
          transaction_id,
          reference,
          amount_cents,
          state,
        }))
    },
    review: async (transaction_id, verdict) => {
      if (ledger.findTransaction(transaction_id)?.state !== 'review') return false
      const { state, change } = verdicts[verdict]
      return ledger.move(transaction_id, state, change())?.state === state
    },
  }
}

const newVault = () => `vault_${randomUUID()}`

const verdicts: Record<Verdict, { state: 'held' | 'declined'; change: () => Change }> = {
  approve: { state: 'held', change: () => ({ vault_reference: newVault() }) },
  decline: { state: 'declined', change: () => ({ decline_class: 'fraud' }) },
}

type Decision = Exclude<TestCard['decision'], 'failed'>

function newEntry({ reference, amount_cents }: Hold, decision: Decision): Parameters<Ledger['add']>[0] {
  if (decision === 'held') return { reference, amount_cents, state: 'held', vault_reference: newVault() }
  if (decision === 'review') return { reference, amount_cents, state: 'review' }
  return { reference, amount_cents, state: 'declined', decline_class: decision }
}

/** Refunds a transaction once, and never more than was captured. Repeating the same refund succeeds without effect. */
function refundOnce(ledger: Ledger, transaction_id: string, refunded_cents: number): boolean {
  const captured = ledger.findTransaction(transaction_id)
  if (!captured || !Number.isInteger(refunded_cents) || refunded_cents < 1 || refunded_cents > captured.amount_cents)
    return false
  const entry = ledger.move(transaction_id, 'refunded', { refunded_cents })
  return entry?.state === 'refunded' && (entry.refunded_cents ?? entry.amount_cents) === refunded_cents
}

function authorizationOf({
  state,
  transaction_id,
  vault_reference = '',
  decline_class = 'card',
}: Entry): Authorization {
  if (state === 'declined' || state === 'voided') return { outcome: 'declined', decline_class }
  if (state === 'review') return { outcome: 'review', transaction_id }
  return { outcome: 'approved', transaction_id, vault_reference }
}
