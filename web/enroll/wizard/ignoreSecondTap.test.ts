import { expect, test } from 'vitest'
import { isSecondTap } from './ignoreSecondTap.ts'

test.each([
  ['a second tap', { detail: 1, pointerType: 'touch' }, 250, true],
  ['a second tap that was made before the step was shown', { detail: 1, pointerType: 'touch' }, -20, true],
  ['a second tap in a browser that does not report the pointer type', { detail: 1 }, 250, true],
  ['a tap after a look at the step', { detail: 1, pointerType: 'touch' }, 450, false],
  ['the rest of a double click', { detail: 2, pointerType: 'mouse' }, 450, true],
  ['a double click later', { detail: 2, pointerType: 'mouse' }, 750, false],
  ['a single click', { detail: 1, pointerType: 'mouse' }, 10, false],
  ['a key', { detail: 0, pointerType: '' }, 10, false],
])('12.12 %s', (_, press, elapsed, isIgnored) => {
  const movedAt = 5000
  expect(isSecondTap({ pointerType: '', ...press, timeStamp: movedAt + elapsed }, movedAt)).toBe(isIgnored)
})
