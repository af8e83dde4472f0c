import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { CommitUnknown, isDatabaseAway, waiting } from './away.ts'

/** How long work waits for a database that is moving to another server. */
const WAIT_MS = 5_000
/** Once it has written something, it waits longer, because stopping would leave it half done. */
const FINISH_MS = 30_000

/** How long a request, or anything else that works with the database, still waits. */
export type Patience = {
  ms: number
  awaySince: number | undefined
  hasWritten: boolean
  /** What to take back if the request fails because the database is away. */
  undo: Set<() => unknown>
}
export const newPatience = (ms = WAIT_MS): Patience => ({
  ms,
  awaySince: undefined,
  hasWritten: false,
  undo: new Set(),
})

const current = new AsyncLocalStorage<Patience>()
export const withPatience = <Result>(patience: Patience, work: () => Result): Result => current.run(patience, work)
export const currentPatience = (): Patience => current.getStore() ?? newPatience()

/** Doesn't wait at all: the caller knows what to do without the database. */
export const withoutWaiting = <Result>(work: () => Result): Result =>
  current.run({ ...currentPatience(), ms: 0, awaySince: undefined }, work)

/** Ends well or not at all, so it waits as long as this process lives. */
const untilItWorks = <Result>(work: () => Result): Result => current.run(newPatience(Number.POSITIVE_INFINITY), work)

/** Beyond this many, what waits is dropped: the memory of a process is bounded. */
const MAX_POSTPONED = 10_000
let postponed = 0

/** Writes now if the database is there, and otherwise as soon as it is back. Nobody waits for it. */
export async function nowOrLater(write: () => Promise<unknown>): Promise<void> {
  try {
    await withoutWaiting(write)
  } catch (error) {
    if (!isDatabaseAway(error)) throw error
    if (postponed >= MAX_POSTPONED) return
    postponed++
    void untilItWorks(write)
      .catch(() => undefined)
      .finally(() => postponed--)
  }
}

/** If the request fails because the database is away, this is taken back. Returns how to forget about it. */
export function undoIfAway(undo: () => unknown): () => void {
  const { undo: all } = currentPatience()
  all.add(undo)
  return () => void all.delete(undo)
}

/** What this writes can be taken back, so it's no reason to wait longer. */
export const asBookkeeping = <Result>(work: () => Result): Result => current.run({ ...currentPatience() }, work)

/** Repeats work that finds its own traces: so a commit whose answer was lost is asked for by its key. */
export async function askAgain<Result>(work: (isRepeat: boolean) => Promise<Result>): Promise<Result> {
  for (let isRepeat = false; ; isRepeat = true)
    try {
      return await work(isRepeat)
    } catch (error) {
      if (!(error instanceof CommitUnknown)) throw error
      noteWrite(currentPatience())
    }
}

/** The work has written something, or may have. */
export function noteWrite(patience: Patience): void {
  patience.hasWritten = true
  if (patience.ms === WAIT_MS) patience.ms = FINISH_MS
}

/** How often this process found the database away. */
export const outages = { count: 0 }

const PROBE_MS = 200
const PROBE_TIMEOUT_MS = 1_000
const PROBES_AT_ONCE = 4
const MAX_TIMER_MS = 2 ** 31 - 1

/** From the first error until the database can be written to. Only one query at a time asks for that, whoever waits. */
export class Outage {
  readonly #canWrite: () => Promise<boolean>
  #over: Promise<void> | undefined
  #cause: unknown
  #isClosed = false

  constructor(canWrite: () => Promise<boolean>) {
    this.#canWrite = canWrite
  }

  begin(cause: unknown): void {
    if (this.#over || this.#isClosed) return
    this.#cause = cause
    this.#over = this.#untilWritable().finally(() => {
      this.#over = undefined
    })
    outages.count++
  }

  close(): void {
    this.#isClosed = true
  }

  /** Returns at once unless the database is away. Throws when the patience has ended. */
  async wait(patience: Patience): Promise<void> {
    if (!this.#over) return
    patience.awaySince ??= performance.now()
    const left = patience.awaySince + patience.ms - performance.now()
    if (left > 0 && !this.#isClosed && (await this.#isOverWithin(left))) return
    throw Object.assign(new Error('The database is away.', { cause: this.#cause }), { code: '08006' })
  }

  async #isOverWithin(ms: number): Promise<boolean> {
    const timer = new AbortController()
    waiting.count++
    try {
      const timeout = sleep(Math.min(ms, MAX_TIMER_MS), false, { signal: timer.signal })
      return await Promise.race([this.#over?.then(() => true) ?? true, timeout])
    } finally {
      waiting.count--
      timer.abort()
    }
  }

  /** A probe that hangs doesn't delay the next one. The pause also spares a database that answers probes but nothing else. */
  async #untilWritable(): Promise<void> {
    for (let running = 0; !this.#isClosed; ) {
      await sleep(PROBE_MS, undefined, { ref: false })
      if (running >= PROBES_AT_ONCE) continue
      running++
      const answer = this.#canWrite()
        .catch(() => false)
        .finally(() => running--)
      if (await Promise.race([answer, sleep(PROBE_TIMEOUT_MS, false, { ref: false })])) return
    }
  }
}
