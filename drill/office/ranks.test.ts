import { expect, it } from 'vitest'
import { chance } from '../abuse/chance.ts'
import { chanceOfLonger, median } from './ranks.ts'

it.each([
  [[4, 5, 6], [1, 2, 3], 1],
  [[1, 2, 3], [4, 5, 6], 0],
  [[1, 2], [1, 2], 0.5],
  [[1, 1, 1], [1, 1], 0.5],
  [[1, 3], [2, 4], 0.25],
  [[2, 2, 9], [1, 2], 5 / 6],
])('%j against %j: %d', (these, those, asked) => {
  const pairs = these.flatMap((one) => those.map((other) => (one > other ? 1 : one === other ? 0.5 : 0)))
  expect(pairs.reduce<number>((sum, each) => sum + each, 0) / pairs.length).toBeCloseTo(asked)
  expect(chanceOfLonger(these, those).chance).toBeCloseTo(asked)
})

it('strays from a half as often as its error says', () => {
  const dice = chance(1, 1)
  const times = (count: number) => Array.from({ length: count }, () => dice.below(1_000_000))
  const far = Array.from({ length: 2_000 }, () => chanceOfLonger(times(60), times(40))).map(
    ({ chance, error }) => (chance - 0.5) / error,
  )
  const share = (most: number) => far.filter((each) => Math.abs(each) < most).length / far.length
  expect(share(1)).toBeCloseTo(0.683, 1)
  expect(share(2)).toBeCloseTo(0.954, 1)
  expect(share(4)).toBe(1)
})

it.each([
  [[3, 1, 2], 2],
  [[4, 1, 2, 3], 2.5],
  [[7], 7],
])('the median of %j is %d', (times, asked) => expect(median(times)).toBe(asked))
