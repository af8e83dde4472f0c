import { randomUUID } from 'node:crypto'
import { appendFileSync, closeSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Authorization, DeclineClass, Hold, PaymentGateway, Settlement } from './port.ts'

/** A line of the sandbox's own ledger: it remembers references, amounts and outcomes, never a card. */
type Entry = {
  transaction_id: string
  reference: string
  amount_cents: number
  state: 'held' | 'review' | 'declined' | 'captured' | 'voided' | 'refunded'
  decline_class?: DeclineClass
  vault_reference?: string
}

const declines: Record<string, DeclineClass> = {
  '4000000000000002': 'bank',
  '4000000000009995': 'card',
  '4000000000000127': 'input',
  '4000000000000069': 'card',
  '4100000000000019': 'fraud',
}
const HELD_FOR_REVIEW = '4000000000009235'
const ANSWER_LOST = '4000000000000119'
const SLOW = '4000000000000259'

/**
 * Charges nobody. The card number decides: …0002, …9995, …0127, …0069 and …0019 are declined, …9235 is held for review,
 * …0119 is charged and its answer lost, …0259 answers after a second, any other is approved.
 * Its ledger is a file of its own, apart from Foyer's database, so that the two can be compared.
 */
export function sandboxPayments(ledgerFile: string): PaymentGateway {
  mkdirSync(dirname(ledgerFile), { recursive: true })
  const byReference = new Map<string, Entry>()
  const byTransaction = new Map<string, Entry>()
  const remember = (entry: Entry) => {
    byReference.set(entry.reference, entry)
    byTransaction.set(entry.transaction_id, entry)
  }
  let read = 0
  /** Learns what other processes on this machine have written since. A line that a crash cut short was never answered. */
  const learn = () => {
    const size = statSync(ledgerFile, { throwIfNoEntry: false })?.size ?? 0
    if (size <= read) return
    const news = readFrom(ledgerFile, read, size - read)
    const whole = news.subarray(0, news.lastIndexOf(10) + 1)
    read += whole.length
    for (const line of whole.toString('utf8').split('\n')) if (isEntry(line)) remember(JSON.parse(line))
  }
  const write = (entry: Entry) => {
    appendFileSync(ledgerFile, `\n${JSON.stringify(entry)}\n`)
    learn()
    return entry
  }

  const settle = async (transaction_id: string, from: Entry['state'][], to: Entry['state']): Promise<Settlement> => {
    learn()
    const entry = byTransaction.get(transaction_id)
    if (!entry) return 'refused'
    if (entry.state === to) return 'done'
    if (!from.includes(entry.state)) return 'refused'
    write({ ...entry, state: to })
    return 'done'
  }

  return {
    name: 'sandbox',
    async authorize(hold, signal) {
      learn()
      const entry = byReference.get(hold.reference) ?? write(decide(hold))
      if (hold.card.cc_number === SLOW) await sleep(1_000, undefined, { signal }).catch(() => undefined)
      if (hold.card.cc_number === ANSWER_LOST || signal.aborted) return { outcome: 'unknown' }
      return answer(entry)
    },
    lookup: async ({ reference }) => {
      learn()
      const entry = byReference.get(reference)
      return entry ? answer(entry) : { outcome: 'not_found' }
    },
    capture: (transaction_id) => settle(transaction_id, ['held'], 'captured'),
    void: (transaction_id) => settle(transaction_id, ['held', 'review'], 'voided'),
    refund: (transaction_id) => settle(transaction_id, ['captured'], 'refunded'),
    transactions: async () => {
      learn()
      return [...byTransaction.values()]
    },
  }
}

function decide({ reference, amount_cents, card }: Hold): Entry {
  const entry = { transaction_id: `sb_${randomUUID()}`, reference, amount_cents }
  const decline_class = declines[card.cc_number]
  if (decline_class) return { ...entry, state: 'declined', decline_class }
  if (card.cc_number === HELD_FOR_REVIEW) return { ...entry, state: 'review' }
  return { ...entry, state: 'held', vault_reference: `vault_${randomUUID()}` }
}

function answer({ state, transaction_id, vault_reference = '', decline_class = 'card' }: Entry): Authorization {
  if (state === 'declined' || state === 'voided') return { outcome: 'declined', decline_class }
  if (state === 'review') return { outcome: 'review', transaction_id }
  return { outcome: 'approved', transaction_id, vault_reference }
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

const isEntry = (line: string) => line.startsWith('{') && line.endsWith('}')
