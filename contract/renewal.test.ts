import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renewsOn } from './renewal.ts'

test.each([
  ['2026-11-15T12:00:00Z', '2026-12-15'],
  ['2026-12-15T12:00:00Z', '2027-01-15'],
  ['2026-12-31T23:59:59Z', '2027-01-31'],
  ['2027-01-31T00:00:00Z', '2027-02-28'],
  ['2028-01-31T00:00:00Z', '2028-02-29'],
  ['2028-02-29T00:00:00Z', '2028-03-29'],
  ['2027-03-31T00:00:00Z', '2027-04-30'],
  ['2027-05-31T00:00:00Z', '2027-06-30'],
])('design 22: who joins %s renews on %s', (joined, renews) => expect(renewsOn(new Date(joined))).toBe(renews))

test('a membership renews in the very next month, never earlier or later', () =>
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
