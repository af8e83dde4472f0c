import { expect, it } from 'vitest'
import { addDays } from '#contract/renewal.ts'
import { movedRenewal } from '#contract/renewal-day.ts'
import { startsOn } from './next-step.ts'
import { anchorFor } from './renewal-day.ts'

const movedAnchor = (membership: Parameters<typeof anchorFor>[0] & { period: number }, day: number) => {
  const n = membership.period + 1
  const { starts_on } = movedRenewal({ paid_until: startsOn(membership, n), today: membership.anchor_on }, day)
  return { starts_on, ...anchorFor(membership, n, starts_on, day) }
}

const joined = { anchor_on: '2026-01-31', anchor_period: 0, billing_interval: 'month' as const, period: 0 }

it.each([
  ['later in the same month', 15, ['2026-03-15', '2026-04-15', '2026-05-15']],
  ['to the end of short months', 30, ['2026-02-28', '2026-03-30', '2026-04-30']],
  ['to the first day', 1, ['2026-03-01', '2026-04-01', '2026-05-01']],
])('19.35 a renewal day is moved %s', (_how, day, expected) => {
  const moved = { ...joined, ...movedAnchor(joined, day) }
  expect([1, 2, 3].map((n) => startsOn(moved, n))).toEqual(expected)
})

const lengthOf = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000

it.each(['month', 'year'] as const)(
  '19.35 from any day to any day, each %s follows the one before without a gap, and only the first is longer',
  (billing_interval) => {
    const [shortest, longest] = billing_interval === 'month' ? [28, 31] : [365, 366]
    const problems: string[] = []
    for (let offset = 0; offset < 430; offset += 5)
      for (const period of [0, 1, 13])
        for (let day = 1; day <= 31; day += 1) {
          const anchor_on = addDays('2027-01-01', offset)
          const before = { anchor_on, anchor_period: 0, billing_interval, period }
          const { starts_on, ...anchor } = movedAnchor(before, day)
          const after = { ...before, ...anchor }
          const check = (isFine: boolean, what: string) =>
            isFine || problems.push(`${what}: ${anchor_on} ${period} ${day}`)
          const gap = lengthOf(startsOn(before, period + 1), starts_on)
          check(startsOn(after, period + 1) === starts_on, 'the next period begins elsewhere')
          check(gap >= 0 && gap <= 30, `a gap of ${gap} days`)
          check(lengthOf(anchor_on, after.anchor_on) > -31 && after.anchor_on <= starts_on, 'the anchor')
          for (let n = period + 1; n < period + 4; n++) {
            const start = startsOn(after, n)
            const length = lengthOf(start, startsOn(after, n + 1))
            check(length >= shortest && length <= longest, `${length} days`)
            check(
              Number(start.slice(8)) === day || addDays(start, 1).endsWith('-01') || start.endsWith('-02-28'),
              `day ${start}`,
            )
          }
        }
    expect(problems).toEqual([])
  },
)
