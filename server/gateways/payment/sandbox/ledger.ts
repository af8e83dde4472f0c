import { randomUUID } from 'node:crypto'
import { appendFileSync, closeSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type CardLine, type Line, parseLine, type RefundLine, type State, type TransactionLine } from './lines.ts'

/**
 * The current state of a reference. `at` is the time of its first line, `updated_at` of its last. `refunds` has the amount
 * of each refund by its reference.
 */
export type Entry = TransactionLine & {
  updated_at: string
  captured_at?: string
  refunds?: ReadonlyMap<string, number>
}
export type Change = Pick<TransactionLine, 'decline_class' | 'vault_reference'>
export type Ledger = ReturnType<typeof openLedger>
type NewTransaction = Omit<TransactionLine, 'at' | 'transaction_id'>
type NewCard = Omit<CardLine, 'at'>

const allowedTransitions: Record<State, State[]> = {
  held: ['captured', 'voided'],
  review: ['held', 'captured', 'declined', 'voided'],
  captured: ['refunded', 'disputed'],
  disputed: ['captured'],
  declined: [],
  voided: [],
  refunded: [],
}

/** Of a card stored by an earlier version, which kept only its reference. */
const unknownCard = { test_card: 'good', brand: 'visa', last_four: '', expires: '9999-12' } as const

/**
 * An append-only file, separate from Foyer's database so that the two can be reconciled. The order of its lines decides:
 * when two processes write about the same reference at once, the first line wins for both.
 */
export function openLedger(file: string, now: () => Date) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const byReference = new Map<string, Entry>()
  const references = new Map<string, string>()
  const cards = new Map<string, NewCard>()
  const renewalCounts = new Map<string, number>()
  const disputesDue = new Map<string, string>()
  let bytesRead = 0

  const applyTransaction = (line: TransactionLine) => {
    const current = byReference.get(line.reference)
    if (
      current &&
      (current.transaction_id !== line.transaction_id || !allowedTransitions[current.state].includes(line.state))
    )
      return
    const captured_at = current?.captured_at ?? (line.state === 'captured' ? line.at : undefined)
    byReference.set(line.reference, {
      ...line,
      at: current?.at ?? line.at,
      updated_at: line.at,
      ...(captured_at && { captured_at }),
      ...(current?.refunds && { refunds: current.refunds, refunded_cents: current.refunded_cents }),
    })
    references.set(line.transaction_id, line.reference)
    const { vault_reference, dispute_at } = line
    if (vault_reference && !cards.has(vault_reference)) cards.set(vault_reference, { ...unknownCard, vault_reference })
    if (vault_reference && line.is_renewal && !current)
      renewalCounts.set(vault_reference, (renewalCounts.get(vault_reference) ?? 0) + 1)
    if (dispute_at && line.state === 'captured' && !current) disputesDue.set(line.transaction_id, dispute_at)
    else disputesDue.delete(line.transaction_id)
  }
  const applyRefund = ({ at, transaction_id, refund_reference, refund_cents, is_void }: RefundLine) => {
    const current = byReference.get(references.get(transaction_id) ?? '')
    if (current?.state !== 'captured' || current.refunds?.has(refund_reference)) return
    const refunded_cents = (current.refunded_cents ?? 0) + refund_cents
    if (refunded_cents > current.amount_cents || (is_void && refund_cents < current.amount_cents)) return
    const refunds = new Map(current.refunds).set(refund_reference, refund_cents)
    const state = is_void ? 'voided' : refunded_cents === current.amount_cents ? 'refunded' : 'captured'
    byReference.set(current.reference, { ...current, state, refunds, refunded_cents, updated_at: at })
  }
  const applyLine = (line: Line) => {
    if ('reference' in line) applyTransaction(line)
    else if ('refund_reference' in line) applyRefund(line)
    else cards.set(line.vault_reference, line)
  }
  /** Reads lines written since the last read, by this process or another. */
  const readNewLines = () => {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
    if (size <= bytesRead) return
    const bytes = readFrom(file, bytesRead, size - bytesRead)
    const completeLines = bytes.subarray(0, bytes.lastIndexOf(10) + 1)
    bytesRead += completeLines.length
    for (const text of completeLines.toString('utf8').split('\n')) {
      const line = parseLine(text)
      if (line) applyLine(line)
    }
  }
  const write = (...lines: object[]) => {
    const at = now().toISOString()
    // The leading line break ends a line that a crash may have cut short.
    const text = lines.map((line) => `\n${JSON.stringify({ at, ...line })}\n`).join('')
    appendFileSync(file, text, { mode: 0o600 })
    readNewLines()
  }
  const findTransaction = (transaction_id: string): Entry | undefined => {
    update()
    return byReference.get(references.get(transaction_id) ?? '')
  }
  const changeState = (entry: Entry, state: State, change: Change = {}) => {
    const {
      at: _first,
      updated_at: _last,
      captured_at: _captured,
      refunds: _refunds,
      refunded_cents: _sum,
      ...line
    } = entry
    write({ ...line, ...change, state })
  }
  /** Reads new lines, and opens the disputes that are due. */
  const update = () => {
    readNewLines()
    if (!disputesDue.size) return
    const time = now().toISOString()
    for (const [transaction_id, dispute_at] of disputesDue) {
      const entry = byReference.get(references.get(transaction_id) ?? '')
      if (!entry || dispute_at > time) continue
      disputesDue.delete(transaction_id)
      if (entry.state === 'captured') changeState(entry, 'disputed')
    }
  }

  return {
    now,
    find(reference: string): Entry | undefined {
      update()
      return byReference.get(reference)
    },
    findTransaction,
    /** A stored card, by its vault reference. */
    findCard(vault_reference: string): NewCard | undefined {
      update()
      return cards.get(vault_reference)
    },
    /** How often a renewal with this card was tried. */
    countRenewals: (vault_reference: string): number => renewalCounts.get(vault_reference) ?? 0,
    /** Adds a transaction, and its card, unless the reference has one already. Returns the current entry. */
    add(transaction: NewTransaction, card?: NewCard): Entry {
      update()
      if (!byReference.has(transaction.reference))
        write(...(card ? [card] : []), { transaction_id: `sb_${randomUUID()}`, ...transaction })
      const entry = byReference.get(transaction.reference)
      if (!entry) throw new Error('The ledger lost a line.')
      return entry
    },
    addCard: (card: NewCard): void => write(card),
    /** Changes the state if the transition is allowed. Returns the current entry. */
    move(transaction_id: string, state: State, change: Change = {}): Entry | undefined {
      const entry = findTransaction(transaction_id)
      if (!entry || !allowedTransitions[entry.state].includes(state)) return entry
      changeState(entry, state, change)
      return byReference.get(entry.reference)
    },
    /** Records a refund unless there is one with this reference, or it exceeds the amount. Returns the current entry. */
    refund(refund: Omit<RefundLine, 'at'>): Entry | undefined {
      if (!findTransaction(refund.transaction_id)?.refunds?.has(refund.refund_reference)) write(refund)
      return findTransaction(refund.transaction_id)
    },
    /** All entries, in the order of their first line. */
    entries(): Entry[] {
      update()
      return [...byReference.values()]
    },
  }
}

function readFrom(file: string, position: number, length: number): Buffer {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(length)
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position))
  } finally {
    closeSync(descriptor)
  }
}
