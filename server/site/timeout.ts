import { setTimeout as sleep } from 'node:timers/promises'

/** A slow or failing database must not block a health check. */
export const withTimeout = <Result, Fallback>(query: Promise<Result>, fallback: Fallback): Promise<Result | Fallback> =>
  Promise.race([query.catch(() => fallback), sleep(2_000, fallback, { ref: false })])
