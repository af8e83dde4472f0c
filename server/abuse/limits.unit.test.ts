import { expect, test } from 'vitest'
import { formatWait } from './limits.ts'

test.each([
  [1, '1 second'],
  [30, '30 seconds'],
  [60, '1 minute'],
  [61, '2 minutes'],
  [59 * 60, '59 minutes'],
  [59 * 60 + 1, 'about an hour'],
  [75 * 60, 'about an hour'],
  [2 * 3600, 'about 2 hours'],
  [23 * 3600, 'about 23 hours'],
  [27 * 3600, 'about a day'],
  [48 * 3600, 'about 2 days'],
])('6.4 a wait of %i seconds reads "%s"', (seconds, text) => expect(formatWait(seconds)).toBe(text))
