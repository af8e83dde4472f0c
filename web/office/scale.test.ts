import { expect, test } from 'vitest'
import { topOf } from './scale.ts'

test.each([
  [0, 4],
  [1, 4],
  [4, 4],
  [5, 6],
  [9, 10],
  [11, 12],
  [14, 16],
  [81, 100],
  [100, 100],
  [101, 120],
  [999, 1000],
  [12_345, 16_000],
])('15.3 %i visits in a week are drawn against %i', (most, top) => {
  expect(topOf(most)).toBe(top)
})
