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
  profile: z.optional(z.nullable(z.object({ customerPaymentProfileId: z.optional(text) }))),
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
export type Books = ReturnType<typeof openBooks>

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

    /** What happened to the charge with this reference since then, or in the last week. */
    async changesOf(reference: string, signal: AbortSignal, then?: Date) {
      const lines = new Map<string, ListedTransaction>()
      for await (const line of then ? since(new Date(then.getTime() - DAY_MS), signal) : recent(signal))
        if (line.invoiceNumber === reference) lines.set(line.transId, line)
      const all = [...lines.values()]
      return {
        refunds: all.filter(isRefund).map((line) => ({ transId: line.transId, refund_cents: cents(line) })),
        isDisputed: isDisputed(all),
      }
    },

    async transactions(then: Date, signal: AbortSignal): Promise<Transaction[]> {
      const first = Math.floor(then.getTime() / 1000) * 1000 // the vendor rounds to seconds
      const lines = new Map<string, ListedTransaction>()
      for await (const line of since(then, signal))
        if (new Date(line.submitTimeUTC).getTime() >= first && !isVerification(line)) lines.set(line.transId, line)
      const byReference = Map.groupBy(lines.values(), ({ invoiceNumber, transId }) => invoiceNumber || transId)
      return [...byReference.values()].flatMap(mergeLines)
    },
  }
}

const cents = ({ settleAmount }: ListedTransaction) => Math.round(settleAmount * 100)
const stateOf = ({ transactionStatus }: ListedTransaction) => transactionState(transactionStatus)
const hasMoney = (line: ListedTransaction) => stateOf(line) === 'held' || stateOf(line) === 'captured'
/** The vendor verifies a card with an authorization of nothing, and voids it. */
const isVerification = (line: ListedTransaction) =>
  cents(line) === 0 && (!line.invoiceNumber || line.invoiceNumber === 'none')
const preference: TransactionState[] = ['disputed', 'review', 'unclear', 'failed', 'declined', 'voided']
const rank = (line: ListedTransaction) => preference.indexOf(stateOf(line))

const asTransaction = (line: ListedTransaction): Transaction => ({
  transaction_id: line.transId,
  reference: line.invoiceNumber ?? '',
  amount_cents: cents(line),
  state: toBookState(stateOf(line)),
  ...(stateOf(line) === 'refunded' && { refunded_cents: cents(line) }),
  ...(line.profile?.customerPaymentProfileId && { is_renewal: true }),
})

/** An unclear state needs a person, like a review. */
const toBookState = (state: TransactionState): Transaction['state'] =>
  state === 'failed' ? 'declined' : state === 'unclear' ? 'review' : state

const isRefund = (line: ListedTransaction) => stateOf(line) === 'refunded'
const isDispute = (line: ListedTransaction) =>
  stateOf(line) === 'disputed' || line.transactionStatus === 'chargebackReversal'

/**
 * All lines with one reference. The vendor lists refunds, disputes and won disputes as separate transactions; in our books
 * they change the charge. If the charge is older than the list, they stand for it.
 */
function mergeLines(lines: ListedTransaction[]): Transaction[] {
  const refunds = lines.filter(isRefund)
  const charges = lines.filter((line) => !isRefund(line) && !isDispute(line))
  if (!charges.some((line) => stateOf(line) === 'captured'))
    return [...charges, ...refunds, ...lines.filter(isDispute).sort(byNewest).slice(0, 1)].map(asTransaction)
  const refunded_cents = refunds.reduce((sum, line) => sum + cents(line), 0)
  return charges.map((line) => {
    const charge = asTransaction(line)
    if (charge.state !== 'captured') return charge
    const isRefunded = refunded_cents >= charge.amount_cents
    const state = isDisputed(lines) ? 'disputed' : isRefunded ? 'refunded' : 'captured'
    return { ...charge, state, ...(refunded_cents && { refunded_cents }) }
  })
}

const isDisputed = (lines: ListedTransaction[]) => {
  const [newest] = lines.filter(isDispute).sort(byNewest)
  return newest !== undefined && stateOf(newest) === 'disputed'
}

const byNewest = (a: ListedTransaction, b: ListedTransaction) =>
  b.submitTimeUTC.localeCompare(a.submitTimeUTC) || Number(b.transId) - Number(a.transId)

function* rangesOf(since: number, until: number) {
  for (let from = since; from <= until; from += MAX_RANGE_MS)
    yield {
      firstSettlementDate: toSeconds(Math.floor(from / 1000)),
      lastSettlementDate: toSeconds(Math.ceil(Math.min(from + MAX_RANGE_MS, until) / 1000)),
    }
}

const toSeconds = (seconds: number) => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`
