import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayIn } from './days.ts'
import { periodOn, periodStart } from './renewal.ts'

const renewsOn = (joined: Date, now = joined) => {
  const anchor_on = dayIn('UTC', joined)
  return periodStart(anchor_on, Math.max(periodOn(anchor_on, dayIn('UTC', now)), 0) + 1)
}

test.each([
  ['2026-11-15T12:00:00Z', '2026-12-15'],
  ['2026-12-15T12:00:00Z', '2027-01-15'],
  ['2026-12-31T23:59:59Z', '2027-01-31'],
  ['2027-01-31T00:00:00Z', '2027-02-28'],
  ['2028-01-31T00:00:00Z', '2028-02-29'],
  ['2028-02-29T00:00:00Z', '2028-03-29'],
  ['2027-03-31T00:00:00Z', '2027-04-30'],
  ['2027-05-31T00:00:00Z', '2027-06-30'],
])('15.3 a member who joins %s renews on %s', (joined, renews) => expect(renewsOn(new Date(joined))).toBe(renews))

test('a membership always renews in the next calendar month', () =>
  fc.assert(
    fc.property(
      fc.date({ min: new Date('2020-01-01'), max: new Date('2099-12-31'), noInvalidDate: true }),
      (joined) => {
        const renews = new Date(renewsOn(joined))
        const months = (date: Date) => date.getUTCFullYear() * 12 + date.getUTCMonth()
        expect(months(renews) - months(joined)).toBe(1)
        expect(renews.getUTCDate()).toBeLessThanOrEqual(joined.getUTCDate())
      },
    ),
  ))

test.each([
  ['2026-11-15', '2026-11-15T23:59:59Z', '2026-12-15'],
  ['2026-11-15', '2026-12-14T23:59:59Z', '2026-12-15'],
  ['2026-11-15', '2026-12-15T00:00:00Z', '2027-01-15'],
  ['2026-11-15', '2029-03-02T12:00:00Z', '2029-03-15'],
  ['2027-01-31', '2027-02-27T12:00:00Z', '2027-02-28'],
  ['2027-01-31', '2027-02-28T00:00:00Z', '2027-03-31'],
  ['2027-01-31', '2027-03-30T12:00:00Z', '2027-03-31'],
  ['2027-01-31', '2028-02-28T12:00:00Z', '2028-02-29'],
  ['2027-01-31', '2028-02-29T12:00:00Z', '2028-03-31'],
  ['2028-02-29', '2029-02-27T12:00:00Z', '2029-02-28'],
  ['2028-02-29', '2029-02-28T12:00:00Z', '2029-03-29'],
  ['2026-12-31', '2027-12-30T12:00:00Z', '2027-12-31'],
  ['2026-11-15', '2026-11-14T12:00:00Z', '2026-12-15'], // the clock is behind
])('15.3 a member who joined %s sees at %s the renewal date %s', (joined, now, renews) =>
  expect(renewsOn(new Date(joined), new Date(now))).toBe(renews),
)

test('15.3 the next renewal is always in the future, within a month, and its day never drifts', () => {
  const dates = fc.date({ min: new Date('2020-01-01'), max: new Date('2060-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(dates, dates, (one, other) => {
      const [joined, now] = one < other ? [one, other] : [other, one]
      const renews = new Date(renewsOn(joined, now))
      const days = (renews.getTime() - now.getTime()) / 86_400_000
      expect(days).toBeGreaterThan(0)
      expect(days).toBeLessThanOrEqual(31)
      const lastDay = new Date(Date.UTC(renews.getUTCFullYear(), renews.getUTCMonth() + 1, 0)).getUTCDate()
      expect(renews.getUTCDate()).toBe(Math.min(joined.getUTCDate(), lastDay))
    }),
  )
})
