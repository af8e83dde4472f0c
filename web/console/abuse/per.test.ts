import { expect, it } from 'vitest'
import { per } from './AbuseScreen.tsx'

it.each([
  [86_400, 'a day'],
  [604_800, 'in 7 days'],
  [3600, 'an hour'],
  [7200, 'in 2 hours'],
  [600, 'in 10 minutes'],
  [60, 'a minute'],
  [90, 'in 90 seconds'],
])('19.66 a limit of %d seconds is said in the largest unit that fits', (seconds, text) => {
  expect(per(seconds)).toBe(text)
})
