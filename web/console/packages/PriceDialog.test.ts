import { expect, it } from 'vitest'
import { submitLabelOf } from './PriceDialog.tsx'

const group = { pays: '99.00', members: 40, change: 'after_notice' as const }

it.each([
  [[group, { ...group, pays: '89.00', members: 28 }], true, 'Change price and email 68 members'],
  [[{ ...group, members: 1 }], true, 'Change price and email one member'],
  [[{ pays: '99.00', members: 5 }], true, 'Change price, no emails'],
  [[group], false, 'Change price and email members'],
])('19.53 the button says how many members get an email: %#', (groups, isComplete, text) => {
  expect(submitLabelOf({ groups, isComplete })).toBe(text)
})
