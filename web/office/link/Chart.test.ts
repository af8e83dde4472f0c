import { expect, test } from 'vitest'
import { axisTop } from './Chart.tsx'

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
])('15.3 a chart whose busiest week has %i visits goes up to %i', (most, top) => {
  expect(axisTop(most)).toBe(top)
})
