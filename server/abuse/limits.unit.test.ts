import { expect, test } from 'vitest'
import { formatWait } from './limits.ts'

test.each([
  [30, '30 seconds'],
  [60, 'a minute'],
  [61, '2 minutes'],
  [119 * 60, '119 minutes'],
  [119 * 60 + 1, '2 hours'],
  [27 * 3600, '27 hours'],
])('6.4 a wait of %i seconds is told as %s', (seconds, words) => expect(formatWait(seconds)).toBe(words))
