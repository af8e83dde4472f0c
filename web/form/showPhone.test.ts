import { expect, test } from 'vitest'
import { showPhone } from './showPhone.ts'

test.each([
  ['+12025550123', '+1 (202) 555-0123'],
  ['+18765550123', '+1 (876) 555-0123'],
  ['+447700900123', '+44 7700900123'],
  ['+35312345678', '+353 12345678'],
  ['+1', '+1'],
  ['2025550123', '2025550123'],
  ['', ''],
])('%s is shown as %s', (number, shown) => {
  expect(showPhone(number)).toBe(shown)
})
