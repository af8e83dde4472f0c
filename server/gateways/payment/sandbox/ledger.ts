import { randomUUID } from 'node:crypto'
import { appendFileSync, closeSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import * as z from 'zod/mini'

const State = z.enum(['held', 'review', 'declined', 'captured', 'voided', 'refunded'])
type State = z.infer<typeof State>

/** A line of the ledger file: references, amounts and outcomes, never card data. */
const Line = z.object({
  at: z._default(z.string(), new Date(0).toISOString()), // old ledgers have no times
  transaction_id: z.string(),
  reference: z.string(),
  amount_cents: z.number(),
  state: State,
  decline_class: z.optional(z.enum(['input', 'card', 'bank', 'fraud'])),
  vault_reference: z.optional(z.string()),
  refunded_cents: z.optional(z.number()),
})
type Line = z.infer<typeof Line>

/** The current state of a reference. `at` is the time of its first line, `updated_at` of its last. */
export type Entry = Line & { updated_at: string }
export type Change = Pick<Line, 'decline_class' | 'vault_reference' | 'refunded_cents'>
export type Ledger = ReturnType<typeof openLedger>

const allowedTransitions: Record<State, State[]> = {
  held: ['captured', 'voided'],
  review: ['held', 'declined', 'voided'],
  captured: ['refunded'],
  declined: [],
  voided: [],
  refunded: [],
}

/**
 * An append-only file, separate from Foyer's database so that the two can be reconciled. The order of its lines decides:
 * when two processes write about the same reference at once, the first line wins for both.
 */
export function openLedger(file: string, now: () => Date) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const byReference = new Map<string, Entry>()
  const references = new Map<string, string>()
  let bytesRead = 0

  const applyLine = (line: Line) => {
    const current = byReference.get(line.reference)
    if (
      current &&
      (current.transaction_id !== line.transaction_id || !allowedTransitions[current.state].includes(line.state))
    )
      return
    byReference.set(line.reference, { ...line, at: current?.at ?? line.at, updated_at: line.at })
    references.set(line.transaction_id, line.reference)
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
  const write = (line: Omit<Line, 'at'>) => {
    // The leading line break ends a line that a crash may have cut short.
    appendFileSync(file, `\n${JSON.stringify({ at: now().toISOString(), ...line })}\n`, { mode: 0o600 })
    readNewLines()
  }
  const find = (reference: string): Entry | undefined => {
    readNewLines()
    return byReference.get(reference)
  }
  const findTransaction = (transaction_id: string): Entry | undefined => {
    readNewLines()
    return byReference.get(references.get(transaction_id) ?? '')
  }

  return {
    find,
    findTransaction,
    /** Adds a transaction unless the reference has one already. Returns the current entry. */
    add(transaction: Omit<Line, 'at' | 'transaction_id'>): Entry {
      if (!find(transaction.reference)) write({ transaction_id: `sb_${randomUUID()}`, ...transaction })
      const entry = byReference.get(transaction.reference)
      if (!entry) throw new Error('The ledger lost a line.')
      return entry
    },
    /** Changes the state if the transition is allowed. Returns the current entry. */
    move(transaction_id: string, state: State, change: Change = {}): Entry | undefined {
      const entry = findTransaction(transaction_id)
      if (!entry || !allowedTransitions[entry.state].includes(state)) return entry
      const { at: _first, updated_at: _last, ...line } = entry
      write({ ...line, ...change, state })
      return byReference.get(entry.reference)
    },
    /** All entries, in the order of their first line. */
    entries(): Entry[] {
      readNewLines()
      return [...byReference.values()]
    },
  }
}

/** Undefined for a line that a crash cut short: its request got no response. */
function parseLine(text: string): Line | undefined {
  try {
    return z.parse(Line, JSON.parse(text))
  } catch {
    return undefined
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
