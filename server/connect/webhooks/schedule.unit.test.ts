import { expect, it } from 'vitest'
import { failingAfter, hasFailedTooLong, nextTry, RETRY_MS, retryAfterMs } from './schedule.ts'

const HOUR = 3_600_000
const start = new Date('2026-11-17T12:00:00Z')
const after = (hours: number) => new Date(start.getTime() + hours * HOUR)

it('28.5 there are ten tries in a little more than three days', () => {
  expect(RETRY_MS.length).toBe(10)
  expect(RETRY_MS.reduce((sum, wait) => sum + wait, 0) / (24 * HOUR)).toBeCloseTo(3.15, 1)
  expect(nextTry(1, start)).toEqual(new Date(start.getTime() + 5000))
  expect(nextTry(9, start)).toEqual(after(24))
  expect(nextTry(10, start)).toBe(undefined)
})

it('28.5 a receiver may ask for more time, but not for less, and for a day at most', () => {
  expect(nextTry(1, start, 90_000)).toEqual(new Date(start.getTime() + 90_000))
  expect(nextTry(3, start, 90_000)).toEqual(after(0.5))
  expect(retryAfterMs('120', start)).toBe(120_000)
  expect(retryAfterMs('Tue, 17 Nov 2026 12:10:00 GMT', start)).toBe(600_000)
  expect(retryAfterMs('Tue, 17 Nov 2020 12:10:00 GMT', start)).toBe(0)
  expect(retryAfterMs('999999999999', start)).toBe(24 * HOUR)
  for (const header of [undefined, '', 'soon', '-5', 'NaN']) expect(retryAfterMs(header, start)).toBe(0)
})

const failedAt = (...hours: number[]) =>
  hours.reduce((failing, hour) => failingAfter(failing, after(hour)), {
    failing_since: null,
    failed_at: null,
  } as Parameters<typeof failingAfter>[0])

it('28.9 five days of failures are too many, but not two failures five days apart', () => {
  expect(hasFailedTooLong(failedAt(0, 24, 48, 72, 96), after(96))).toBe(false)
  expect(hasFailedTooLong(failedAt(0, 24, 48, 72, 96, 120), after(120))).toBe(true)
  expect(hasFailedTooLong(failedAt(0, 121), after(121))).toBe(false)
  expect(hasFailedTooLong(failedAt(0, 24, 24 * 9, 24 * 10), after(24 * 10))).toBe(false)
})
