import { expect, it } from 'vitest'
import { seededRandom } from '../seeded-random.ts'
import { median, probabilitySlower } from './rank-statistics.ts'

it.each([
  [[4, 5, 6], [1, 2, 3], 1],
  [[1, 2, 3], [4, 5, 6], 0],
  [[1, 2], [1, 2], 0.5],
  [[1, 1, 1], [1, 1], 0.5],
  [[1, 3], [2, 4], 0.25],
  [[2, 2, 9], [1, 2], 5 / 6],
])('%j is slower than %j with a probability of %d', (group, others, expected) => {
  expect(probabilitySlower([{ group, others }]).probability).toBeCloseTo(expected)
})

it('samples of different periods are not compared', () => {
  const quiet = { group: [2, 4], others: [1, 3] }
  const busy = { group: [102, 104], others: [101, 103] }
  expect(probabilitySlower([quiet, busy]).probability).toBe(probabilitySlower([quiet]).probability)
})

it.each([1, 4])('random samples differ from 0.5 as often as the standard error says, in %d periods', (count) => {
  const random = seededRandom(1, 1)
  const times = (total: number, offset: number) =>
    Array.from({ length: total / count }, () => random.below(1_000) + offset)
  const periods = () =>
    Array.from({ length: count }, (_, n) => ({ group: times(60, n * 1_000), others: times(40, n * 1_000) }))
  const deviations = Array.from({ length: 2_000 }, () => probabilitySlower(periods())).map(
    ({ probability, standardError }) => (probability - 0.5) / standardError,
  )
  const share = (limit: number) =>
    deviations.filter((deviation) => Math.abs(deviation) < limit).length / deviations.length
  expect(share(1)).toBeCloseTo(0.683, 1)
  expect(share(2)).toBeCloseTo(0.954, 1)
  expect(share(4)).toBeGreaterThan(0.998)
})

it.each([
  [[3, 1, 2], 2],
  [[4, 1, 2, 3], 2.5],
  [[7], 7],
])('the median of %j is %d', (times, expected) => expect(median(times)).toBe(expected))
