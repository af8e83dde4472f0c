import { expect, it } from 'vitest'
import { chance } from '../seeded-random.ts'
import { chanceOfLonger, median } from './rank-statistics.ts'

it.each([
  [[4, 5, 6], [1, 2, 3], 1],
  [[1, 2, 3], [4, 5, 6], 0],
  [[1, 2], [1, 2], 0.5],
  [[1, 1, 1], [1, 1], 0.5],
  [[1, 3], [2, 4], 0.25],
  [[2, 2, 9], [1, 2], 5 / 6],
])('%j against %j: %d', (these, those, asked) => {
  expect(chanceOfLonger([{ these, those }]).chance).toBeCloseTo(asked)
})

it('compares nothing of one stretch with anything of another', () => {
  const quiet = { these: [2, 4], those: [1, 3] }
  const busy = { these: [102, 104], those: [101, 103] }
  expect(chanceOfLonger([quiet, busy]).chance).toBe(chanceOfLonger([quiet]).chance)
})

it.each([1, 4])('strays from a half as often as its error says, in %d stretches', (count) => {
  const dice = chance(1, 1)
  const times = (most: number, busy: number) => Array.from({ length: most / count }, () => dice.below(1_000) + busy)
  const stretches = () =>
    Array.from({ length: count }, (_, n) => ({ these: times(60, n * 1_000), those: times(40, n * 1_000) }))
  const far = Array.from({ length: 2_000 }, () => chanceOfLonger(stretches())).map(
    ({ chance, error }) => (chance - 0.5) / error,
  )
  const share = (most: number) => far.filter((each) => Math.abs(each) < most).length / far.length
  expect(share(1)).toBeCloseTo(0.683, 1)
  expect(share(2)).toBeCloseTo(0.954, 1)
  expect(share(4)).toBeGreaterThan(0.998)
})

it.each([
  [[3, 1, 2], 2],
  [[4, 1, 2, 3], 2.5],
  [[7], 7],
])('the median of %j is %d', (times, asked) => expect(median(times)).toBe(asked))
