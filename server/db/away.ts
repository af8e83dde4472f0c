import { setTimeout as sleep } from 'node:timers/promises'

/**
 * The connection was lost while a change was being committed, so it may or may not have been written. Look before you
 * repeat it: by its key, once the database is back. Any other error means that nothing was written.
 */
export class CommitUnknown extends Error {
  readonly code: string
  constructor(cause: unknown) {
    super('The answer to a commit was lost.', { cause })
    this.code = codeOf(cause)
  }
}

/** Connecting failed, or the server is starting, stopping, crashing or a standby. */
const CODES = /^(08...|57P0[1235]|25006|ECONN\w+|EPIPE|ETIMEDOUT|EHOST\w+|ENETUNREACH|ENETDOWN|EAI_AGAIN|ENOTFOUND)$/
/** The driver gives these no code. */
const NOT_SENT = /^(Client (was closed|has encountered a connection error)|Postgres connection has been discarded)/
const MESSAGES = /^(Connection terminated|timeout expired|Query read timeout)/

/** The database is moving to another server, restarting, or can't be reached. Try again in a moment. */
export const isDatabaseAway = (error: unknown): boolean =>
  error instanceof Error &&
  (error instanceof CommitUnknown ||
    CODES.test(codeOf(error)) ||
    MESSAGES.test(error.message) ||
    NOT_SENT.test(error.message))

/** The server refused before it did anything, or never got the statement. */
const isCertain = (error: Error): boolean => /^(25006|57P03)$/.test(codeOf(error)) || NOT_SENT.test(error.message)

/** What to throw instead of the error of a statement that commits. */
export const asCommitError = (error: unknown): unknown =>
  error instanceof Error && isDatabaseAway(error) && !isCertain(error) ? new CommitUnknown(error) : error

const CHANGE = /\b(insert|update|delete|merge|truncate|create|alter|drop)\b/i

/** A query outside a transaction commits by itself, if it changes anything. */
export const changesSomething = (statement: string): boolean => CHANGE.test(statement)

/** All connections are in use, and none became free in time. The database is there, but busy. */
export const isPoolExhausted = (error: unknown): boolean =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect'

const PAUSE_MS = 250

/** What waits for the database right now. */
export const waiting = { count: 0 }

/**
 * Repeats work while the database is away, for at most this long, so that it succeeds as soon as the database is back. The
 * work may have been committed even though its answer was lost, so it must be safe to repeat.
 */
export async function untilDatabaseIsBack<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
  for (const end = performance.now() + ms; ; await pause()) {
    try {
      return await work()
    } catch (error) {
      if (!(isDatabaseAway(error) || isPoolExhausted(error)) || performance.now() > end) throw error
    }
  }
}

async function pause() {
  waiting.count++
  await sleep(PAUSE_MS)
  waiting.count--
}

const codeOf = (error: unknown): string => String(Object(error).code ?? '')
