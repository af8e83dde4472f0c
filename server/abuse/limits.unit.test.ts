import { expect, test } from 'vitest'
import { formatWait, whenToRetry } from './limits.ts'

const HOUR = 3600

test.each([
  [1, '1 second', 'in 1 second'],
  [2, '2 seconds', 'in 2 seconds'],
  [59, '59 seconds', 'in 59 seconds'],
  [60, 'a minute', 'in a minute'],
  [300, 'a few minutes', 'in a few minutes'],
  [900, 'about 15 minutes', 'in about 15 minutes'],
  [1800, 'about 30 minutes', 'in about 30 minutes'],
  [HOUR, 'about an hour', 'in about an hour'],
  [2 * HOUR, 'about 2 hours', 'in about 2 hours'],
  [12 * HOUR, 'about 12 hours', 'in about 12 hours'],
  [13 * HOUR, 'about 13 hours', 'tomorrow'],
  [24 * HOUR, 'a day', 'tomorrow'],
  [30 * HOUR, 'a day', 'in a day'],
  [48 * HOUR, '2 days', 'in 2 days'],
])('6.4 a wait of %i seconds reads "%s", and ends "%s"', (seconds, wait, end) => {
  expect([formatWait(seconds), whenToRetry(seconds)]).toEqual([wait, end])
})
