import { randomUUID } from 'node:crypto'
import { appendFileSync, closeSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import * as z from 'zod/mini'

const State = z.enum(['held', 'review', 'declined', 'captured', 'voided', 'refunded'])
type State = z.infer<typeof State>

/** A line of the ledger: references, amounts and outcomes, never a card. */
const Line = z.object({
  at: z._default(z.string(), new Date(0).toISOString()), // a ledger of before has no times
  transaction_id: z.string(),
  reference: z.string(),
  amount_cents: z.number(),
  state: State,
  decline_class: z.optional(z.enum(['input', 'card', 'bank', 'fraud'])),
  vault_reference: z.optional(z.string()),
  refunded_cents: z.optional(z.number()),
})
type Line = z.infer<typeof Line>

/** What the ledger holds of one reference: `at` is when it first heard of it, `heard_at` when it last did. */
export type Entry = Line & { heard_at: string }
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
 * A file of lines that is only ever added to, apart from Foyer's database so that the two can be compared. The order of
 * its lines decides: of two processes that write of one thing at once, both abide by the line that stands first.
 */
export function openLedger(file: string, now: () => Date) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const byReference = new Map<string, Entry>()
  const references = new Map<string, string>()
  let read = 0

  const applyLine = (line: Line) => {
    const known = byReference.get(line.reference)
    if (known && (known.transaction_id !== line.transaction_id || !allowedTransitions[known.state].includes(line.state))) return
    byReference.set(line.reference, { ...line, at: known?.at ?? line.at, heard_at: line.at })
    references.set(line.transaction_id, line.reference)
  }
  /** Reads what has been written since, by us or by others. */
  const readNewLines = () => {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
    if (size <= read) return
    const news = readFrom(file, read, size - read)
    const whole = news.subarray(0, news.lastIndexOf(10) + 1)
    read += whole.length
    for (const text of whole.toString('utf8').split('\n')) {
      const line = parseLine(text)
      if (line) applyLine(line)
    }
  }
  const write = (line: Omit<Line, 'at'>) => {
    // The first line end closes what a crash may have cut short.
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
    /** Writes what was decided for a reference, unless something stands there already. Tells what stands there now. */
    add(decided: Omit<Line, 'at' | 'transaction_id'>): Entry {
      if (!find(decided.reference)) write({ transaction_id: `sb_${randomUUID()}`, ...decided })
      const entry = byReference.get(decided.reference)
      if (!entry) throw new Error('The ledger lost a line.')
      return entry
    },
    /** Changes the state if that may follow the one it has. Tells what stands there now. */
    move(transaction_id: string, state: State, change: Change = {}): Entry | undefined {
      const found = findTransaction(transaction_id)
      if (!found || !allowedTransitions[found.state].includes(state)) return found
      const { at: _first, heard_at: _last, ...line } = found
      write({ ...line, ...change, state })
      return byReference.get(found.reference)
    },
    /** Everything, in the order in which it was first heard of. */
    entries(): Entry[] {
      readNewLines()
      return [...byReference.values()]
    },
  }
}

/** Nothing, for a line that a crash cut short: it was never answered. */
function parseLine(text: string): Line | undefined {
  try {
    return z.parse(Line, JSON.parse(text))
  } catch {
    return undefined
  }
}

function readFrom(file: string, position: number, length: number): Buffer {
  const opened = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(length)
    return bytes.subarray(0, readSync(opened, bytes, 0, length, position))
  } finally {
    closeSync(opened)
  }
}
