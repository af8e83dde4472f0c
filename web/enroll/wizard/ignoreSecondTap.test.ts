import { expect, test } from 'vitest'
import { isSecondTap } from './ignoreSecondTap.ts'

test.each([
  ['a second tap', { detail: 1, pointerType: 'touch' }, 250, true],
  ['a second tap that was heard only after the step had come', { detail: 1, pointerType: 'touch' }, -20, true],
  ['a second tap in a browser that does not tell a finger from a mouse', { detail: 1 }, 250, true],
  ['a tap by somebody who has looked', { detail: 1, pointerType: 'touch' }, 450, false],
  ['the rest of a double click', { detail: 2, pointerType: 'mouse' }, 450, true],
  ['a box that is clicked twice later', { detail: 2, pointerType: 'mouse' }, 750, false],
  ['a single click', { detail: 1, pointerType: 'mouse' }, 10, false],
  ['a key', { detail: 0, pointerType: '' }, 10, false],
])('12.12 %s', (_, press, since, overlooked) => {
  const movedAt = 5000
  expect(isSecondTap({ pointerType: '', ...press, timeStamp: movedAt + since }, movedAt)).toBe(overlooked)
})
