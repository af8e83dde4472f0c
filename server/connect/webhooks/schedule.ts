const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
export const DAY_MS = 24 * HOUR

/** How long each try waits after the one before, as Standard Webhooks recommends: ten tries in about three days. */
export const RETRY_MS = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const

/** When the next try is due after this many, or undefined if that was the last. A receiver may ask for more time. */
export function nextTry(tries: number, now: Date, retry_after_ms = 0): Date | undefined {
  const wait = RETRY_MS[tries]
  return wait === undefined ? undefined : new Date(now.getTime() + Math.max(wait, retry_after_ms))
}

/** No receiver delays us by more than the longest wait of the schedule. */
const MAX_RETRY_AFTER_MS = 24 * HOUR

/** The header Retry-After: seconds, or a date. */
export function retryAfterMs(header: string | undefined, now: Date): number {
  if (!header) return 0
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * SECOND : Date.parse(header) - now.getTime()
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS)
}

/** After this long without a success an endpoint is turned off. */
export const MAX_FAILING_MS = 5 * DAY_MS
/** Failures further apart than this don't belong together: nothing was tried in between. The longest wait is a day. */
const MAX_GAP_MS = 2 * DAY_MS

export type Failing = { failing_since: Date | null; failed_at: Date | null }

/** An endpoint after another failure: since when everything has failed. */
export function failingAfter(
  { failing_since, failed_at }: Failing,
  now: Date,
): { failing_since: Date; failed_at: Date } {
  const goesOn = failing_since && failed_at && now.getTime() - failed_at.getTime() <= MAX_GAP_MS
  return { failing_since: goesOn ? failing_since : now, failed_at: now }
}

export const hasFailedTooLong = ({ failing_since }: Failing, now: Date): boolean =>
  failing_since !== null && now.getTime() - failing_since.getTime() >= MAX_FAILING_MS

/** How long the old secret also signs after a rotation. */
export const ROTATION_MS = DAY_MS
