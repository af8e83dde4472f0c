import { setTimeout as sleep } from 'node:timers/promises'

/** The server is stopping or starting, the connection was lost, or a standby can't write yet. */
const CODES = /^(08...|57P0[123]|25006|ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/
/** The driver gives these no code. */
const MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)/

const isDatabaseAway = (error: unknown): boolean =>
  error instanceof Error && (MESSAGES.test(error.message) || ('code' in error && CODES.test(String(error.code))))

const PAUSE_MS = 250

/**
 * Repeats work while the database is away, for at most this long, so that it succeeds as soon as the database is back. The
 * work may have been committed even though its answer was lost, so it must be safe to repeat.
 */
export async function untilDatabaseIsBack<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
  for (const end = performance.now() + ms; ; await sleep(PAUSE_MS)) {
    try {
      return await work()
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() > end) throw error
    }
  }
}
