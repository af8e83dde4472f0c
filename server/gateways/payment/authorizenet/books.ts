import * as z from 'zod/mini'
import type { Transaction } from '#server/gateways/payment/port.ts'
import { baseReply, type Client, requireOk, text } from './client.ts'
import { type TransactionState, transactionState } from './codes.ts'

const ListedTransaction = z.object({
  transId: text,
  submitTimeUTC: z.string(),
  transactionStatus: z.string(),
  invoiceNumber: z.optional(z.nullable(text)),
  settleAmount: z.pipe(text, z.transform(Number)),
})
const TransactionListReply = z.object({
  ...baseReply,
  transactions: z.optional(z.nullable(z.array(ListedTransaction))),
})
const BatchListReply = z.object({
  ...baseReply,
  batchList: z.optional(z.nullable(z.array(z.object({ batchId: text })))),
})

type ListedTransaction = z.infer<typeof ListedTransaction>

const PAGE_SIZE = 1000
const MAX_PAGES = 100
const DAY_MS = 86_400_000
const MAX_RANGE_MS = 31 * DAY_MS
/** Captured and declined transactions settle within a day. */
const LOOK_BACK_MS = 7 * DAY_MS

/** The vendor's transaction lists: one of unsettled transactions, and one per settled batch. */
export function openBooks(send: Client, now: () => Date) {
  async function* pages(request: string, elements: Record<string, unknown>, signal: AbortSignal) {
    const sorting = { orderBy: 'submitTimeUTC', orderDescending: true }
    for (let page = 1; page <= MAX_PAGES; page++) {
      const paging = { limit: String(PAGE_SIZE), offset: String(page) } // the offset counts pages
      const lines =
        requireOk(await send(request, { ...elements, sorting, paging }, TransactionListReply, signal)).transactions ??
        []
      yield* lines
      if (lines.length < PAGE_SIZE) return
    }
    throw new Error(`Authorize.Net has more than ${MAX_PAGES * PAGE_SIZE} transactions in one list.`)
  }

  const unsettled = (signal: AbortSignal) => pages('getUnsettledTransactionListRequest', {}, signal)

  async function* settled(since: Date, signal: AbortSignal) {
    for (const range of rangesOf(since.getTime(), now().getTime())) {
      const { batchList } = requireOk(await send('getSettledBatchListRequest', range, BatchListReply, signal))
      for (const { batchId } of batchList ?? []) yield* pages('getTransactionListRequest', { batchId }, signal)
    }
  }

  /** Unsettled first: a transaction that settles in the meantime is then found in its batch. */
  async function* since(then: Date, signal: AbortSignal) {
    yield* unsettled(signal)
    yield* settled(then, signal)
  }
  const recent = (signal: AbortSignal, then = new Date(0)) =>
    since(new Date(Math.max(now().getTime() - LOOK_BACK_MS, then.getTime() - DAY_MS)), signal)

  return {
    /**
     * The transaction with this reference; if there are several, the one with the money. Batches settled more than a day
     * before the attempt are skipped, because reading a busy week would exceed the timeout.
     */
    async find(reference: string, signal: AbortSignal, attemptedAt?: Date): Promise<string | undefined> {
      const candidates: ListedTransaction[] = []
      for await (const line of recent(signal, attemptedAt)) {
        if (line.invoiceNumber !== reference || stateOf(line) === 'refunded') continue
        if (hasMoney(line)) return line.transId
        candidates.push(line)
      }
      return candidates.sort((a, b) => rank(a) - rank(b))[0]?.transId
    },

    /** The recently refunded amount of this reference. */
    async refundedCents(reference: string, signal: AbortSignal): Promise<number> {
      const refunds = new Map<string, number>()
      for await (const line of recent(signal))
        if (line.invoiceNumber === reference && stateOf(line) === 'refunded') refunds.set(line.transId, cents(line))
      return [...refunds.values()].reduce((sum, each) => sum + each, 0)
    },

    async transactions(then: Date, signal: AbortSignal): Promise<Transaction[]> {
      const first = Math.floor(then.getTime() / 1000) * 1000 // the vendor rounds to seconds
      const lines = new Map<string, ListedTransaction>()
      for await (const line of since(then, signal))
        if (new Date(line.submitTimeUTC).getTime() >= first) lines.set(line.transId, line)
      return withRefunds([...lines.values()].map(asTransaction))
    },
  }
}

const cents = ({ settleAmount }: ListedTransaction) => Math.round(settleAmount * 100)
const stateOf = ({ transactionStatus }: ListedTransaction) => transactionState(transactionStatus)
const hasMoney = (line: ListedTransaction) => stateOf(line) === 'held' || stateOf(line) === 'captured'
const preference: TransactionState[] = ['review', 'unclear', 'failed', 'declined', 'voided']
const rank = (line: ListedTransaction) => preference.indexOf(stateOf(line))

const asTransaction = (line: ListedTransaction): Transaction => ({
  transaction_id: line.transId,
  reference: line.invoiceNumber ?? '',
  amount_cents: cents(line),
  state: toBookState(stateOf(line)),
})

/** An unclear state needs a person, like a review. */
const toBookState = (state: TransactionState): Transaction['state'] =>
  state === 'failed' ? 'declined' : state === 'unclear' ? 'review' : state

/** The vendor lists a refund as a separate transaction; in our books the original one becomes refunded. */
function withRefunds(lines: Transaction[]): Transaction[] {
  const refunds = Map.groupBy(
    lines.filter(({ state }) => state === 'refunded'),
    ({ reference }) => reference,
  )
  const charges = lines.filter(({ state }) => state !== 'refunded')
  const chargedReferences = new Set(charges.map(({ reference }) => reference))
  const refundedCents = ({ reference }: Transaction) =>
    (refunds.get(reference) ?? []).reduce((sum, { amount_cents }) => sum + amount_cents, 0)
  return [
    ...charges.map((line) =>
      line.state === 'captured' && refundedCents(line) >= line.amount_cents
        ? { ...line, state: 'refunded' as const }
        : line,
    ),
    ...[...refunds.values()].flat().filter(({ reference }) => !chargedReferences.has(reference)),
  ]
}

function* rangesOf(since: number, until: number) {
  for (let from = since; from <= until; from += MAX_RANGE_MS)
    yield {
      firstSettlementDate: toSeconds(Math.floor(from / 1000)),
      lastSettlementDate: toSeconds(Math.ceil(Math.min(from + MAX_RANGE_MS, until) / 1000)),
    }
}

const toSeconds = (seconds: number) => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`
