import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isExpired } from '#contract/card.ts'
import { accountOk } from '#server/gateways/account.ts'
import {
  isTestCard,
  type RenewalStep,
  renewalStep,
  type TestCard,
  testCardFor,
  testCardName,
  testCards,
} from '#server/gateways/payment/cards.ts'
import { declineOf } from '#server/gateways/payment/declines.ts'
import type {
  Authorization,
  Card,
  Hold,
  LookupQuery,
  PaymentGateway,
  Refund,
  RefundResult,
  Renewal,
  Settlement,
  Transaction,
} from '#server/gateways/payment/port.ts'
import { storedCardOf } from '#server/gateways/payment/stored-card.ts'
import { type DeclineRule, declineScript } from './decline-script.ts'
import { type Entry, type Ledger, openLedger } from './ledger.ts'

export type Verdict = 'approve' | 'decline'
export type DisputeChange = 'open' | 'won'

/** A gateway that also lets us play the bank. */
export type SandboxGateway = PaymentGateway & {
  /** Decides a transaction under review. Returns false if it is not under review. */
  review: (transaction_id: string, verdict: Verdict) => Promise<boolean>
  /** Disputes a captured transaction, or ends its dispute. Returns false if it is in another state. */
  dispute: (transaction_id: string, change: DisputeChange) => Promise<boolean>
  /** Declines the next charges of stored cards. Replaces the earlier rules. */
  scriptDeclines: (rules: DeclineRule[]) => Promise<void>
}

const SLOW_MS = 1_000
const DAY_MS = 86_400_000
const unknown = { outcome: 'unknown' } as const

/** A simulated gateway. The card number decides the outcome, see the test cards. */
export const sandboxPayments = (ledgerFile: string, now: () => Date): SandboxGateway =>
  sandboxOn(openLedger(ledgerFile, now))

/** The same, on a ledger that is already open. */
export function sandboxOn(ledger: Ledger, declines = declineScript()): SandboxGateway {
  const settle = async (signal: AbortSignal, isDone: () => boolean): Promise<Settlement> => {
    if (signal.aborted) return 'unknown'
    return isDone() ? 'done' : 'refused'
  }
  return {
    name: 'sandbox',
    isTestCard,
    async authorize(hold, signal) {
      const { fault, decision } = testCardFor(hold.card.cc_number)
      if (fault === 'lost_before' || signal.aborted) return unknown
      if (decision === 'failed') return rejected
      const entry = ledger.add(...newHold(hold, decision))
      if (fault === 'slow') await sleep(SLOW_MS, undefined, { signal }).catch(() => undefined)
      if (fault === 'lost_after' || signal.aborted) return unknown
      return authorizationOf(ledger, entry, hold)
    },
    async charge(renewal, signal) {
      if (signal.aborted) return unknown
      const earlier = ledger.find(renewal.reference)
      if (earlier) return authorizationOf(ledger, earlier)
      const card = ledger.findCard(renewal.vault_reference)
      if (!card) return { outcome: 'failed', why: 'The sandbox does not have this card.', is_card_missing: true }
      const step =
        declines.next(renewal.vault_reference) ??
        (hasExpired(card.expires, ledger.now())
          ? { issuer_code: '54' }
          : renewalStep(testCards[card.test_card], ledger.countRenewals(renewal.vault_reference)))
      if (step === 'lost_before') return unknown
      const entry = ledger.add(newRenewal(renewal, step, ledger.now()))
      return step === 'lost_after' ? unknown : authorizationOf(ledger, entry)
    },
    async replaceCard({ card }, signal) {
      const { fault, decision, issuer_code } = testCardFor(card.cc_number)
      if (fault === 'lost_before' || signal.aborted) return unknown
      if (decision === 'failed') return rejected
      if (decision !== 'held') return declineOf({ issuer_code }, decision === 'review' ? 'fraud' : decision)
      const stored = newCard(card)
      ledger.addCard(stored)
      if (fault === 'slow') await sleep(SLOW_MS, undefined, { signal }).catch(() => undefined)
      if (fault === 'lost_after' || signal.aborted) return unknown
      const { vault_reference } = stored
      const network_transaction_id = networkIdOf(vault_reference)
      return { outcome: 'approved', vault_reference, card: storedCardOf(card), network_transaction_id }
    },
    lookup: async (query, signal) => {
      if (signal.aborted) return unknown
      const entry = ledger.find(query.reference)
      return entry ? authorizationOf(ledger, entry, query) : { outcome: 'not_found' }
    },
    capture: (id, signal) => settle(signal, () => captureHeld(ledger, id)),
    void: (id, signal) => settle(signal, () => ledger.move(id, 'voided')?.state === 'voided'),
    refund: async (refund, signal) => (signal.aborted ? 'unknown' : refundOnce(ledger, refund)),
    transactions: async (since, signal) => {
      signal.throwIfAborted()
      const from = since.toISOString()
      return ledger
        .entries()
        .filter(({ updated_at }) => updated_at >= from)
        .map(transactionOf)
    },
    review: async (transaction_id, verdict) => {
      const entry = ledger.findTransaction(transaction_id)
      if (entry?.state !== 'review') return false
      const state = verdict === 'decline' ? 'declined' : entry.is_renewal ? 'captured' : 'held'
      const change = verdict === 'decline' ? ({ decline_class: 'fraud' } as const) : {}
      return ledger.move(transaction_id, state, change)?.state === state
    },
    dispute: async (transaction_id, change) => {
      const [from, to] = change === 'open' ? (['captured', 'disputed'] as const) : (['disputed', 'captured'] as const)
      if (ledger.findTransaction(transaction_id)?.state !== from) return false
      return ledger.move(transaction_id, to)?.state === to
    },
    scriptDeclines: async (rules) => declines.write(rules),
    checkAccount: async () => accountOk,
  }
}

const rejected = { outcome: 'failed', why: 'The sandbox rejects this card.' } as const

const newCard = (card: Card) => ({
  vault_reference: `vault_${randomUUID()}`,
  test_card: testCardName(card.cc_number),
  ...storedCardOf(card),
})

type Decision = Exclude<TestCard['decision'], 'failed'>

/** A card under review is stored as well, so that the verdict does not need its number. */
function newHold({ reference, amount_cents, card }: Hold, decision: Decision): Parameters<Ledger['add']> {
  if (decision !== 'held' && decision !== 'review') {
    const { issuer_code } = testCardFor(card.cc_number)
    const codes = issuer_code ? { issuer_code } : {}
    return [{ reference, amount_cents, state: 'declined', decline_class: decision, ...codes }]
  }
  const stored = newCard(card)
  return [{ reference, amount_cents, state: decision, vault_reference: stored.vault_reference }, stored]
}

/** A transaction settles after a day. Only then can it be disputed. */
const settledAt = (captured: Date) => new Date(captured.getTime() + DAY_MS)

function newRenewal({ reference, amount_cents, vault_reference }: Renewal, step: RenewalStep, now: Date) {
  const renewal = { reference, amount_cents, vault_reference, is_renewal: true } as const
  if (typeof step === 'object') return { ...renewal, state: 'declined' as const, ...declineCodes(step) }
  if (step === 'review') return { ...renewal, state: step }
  const dispute = step === 'disputed' ? { dispute_at: settledAt(now).toISOString() } : {}
  return { ...renewal, state: 'captured' as const, ...dispute }
}

function declineCodes(step: { issuer_code: string; advice_code?: string | undefined }) {
  const { outcome: _declined, never_retry: _rule, ...codes } = declineOf(step)
  return codes
}

const hasExpired = (expires: string, now: Date) => {
  const [year = '', month = ''] = expires.split('-')
  return isExpired(month, year, now)
}

/** A transaction under review or in dispute can become captured too, but not by this request. */
function captureHeld(ledger: Ledger, transaction_id: string): boolean {
  const entry = ledger.findTransaction(transaction_id)
  const state = entry?.state === 'held' ? ledger.move(transaction_id, 'captured')?.state : entry?.state
  return state === 'captured' || state === 'disputed'
}

/** Repeating the same refund succeeds without effect. */
function refundOnce(ledger: Ledger, { transaction_id, amount_cents, refund_reference }: Refund): RefundResult {
  const entry = ledger.findTransaction(transaction_id)
  const isFull = amount_cents === entry?.amount_cents
  const isDone = ({ refunds }: Entry) => refunds?.get(refund_reference) === amount_cents
  if (entry?.state === 'voided' && isFull) return 'voided'
  if (entry && isDone(entry)) return 'done'
  if (!Number.isInteger(amount_cents) || amount_cents < 1 || !entry?.captured_at) return 'refused'
  if (entry.state !== 'captured' || amount_cents + (entry.refunded_cents ?? 0) > entry.amount_cents) return 'refused'
  const isSettled = settledAt(new Date(entry.captured_at)) <= ledger.now()
  if (!isSettled && !isFull) return 'not_settled'
  const line = { transaction_id, refund_reference, refund_cents: amount_cents }
  const after = ledger.refund(isSettled ? line : { ...line, is_void: true })
  if (!after || !isDone(after)) return 'refused'
  return after.state === 'voided' ? 'voided' : 'done'
}

/** Card networks give every transaction an id. Ours is derived from the ledger's. */
const networkIdOf = (id: string) =>
  id
    .replace(/^[a-z]+_/, '')
    .replaceAll('-', '')
    .slice(0, 15)
    .toUpperCase()

function authorizationOf(ledger: Ledger, entry: Entry, { is_once }: Pick<LookupQuery, 'is_once'> = {}): Authorization {
  const { state, transaction_id, vault_reference = '', decline_class = 'card' } = entry
  if (state === 'declined' || state === 'voided') return declineOf(entry, decline_class)
  if (state === 'review') return { outcome: 'review', transaction_id }
  const stored = ledger.findCard(vault_reference)
  const card = stored?.last_four && { brand: stored.brand, last_four: stored.last_four, expires: stored.expires }
  return {
    outcome: 'approved',
    transaction_id,
    vault_reference: is_once ? '' : vault_reference,
    network_transaction_id: networkIdOf(transaction_id),
    ...(card && { card }),
  }
}

function transactionOf(entry: Entry): Transaction {
  const { transaction_id, reference, amount_cents, state } = entry
  const refunded_cents = state === 'refunded' ? (entry.refunded_cents ?? amount_cents) : (entry.refunded_cents ?? 0)
  return {
    transaction_id,
    reference,
    amount_cents,
    state,
    ...(refunded_cents && state !== 'voided' && { refunded_cents }),
    ...(entry.is_renewal && { is_renewal: true }),
  }
}
