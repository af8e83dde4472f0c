import { expect, test } from 'vitest'
import { cardDigits, groupCard } from '#contract/card.ts'
import { regroup } from './caret.ts'

const card = { group: groupCard, bare: cardDigits }

/** '4242|4' → the text, and where the caret stands in it. */
const typed = (marked: string) => ({ text: marked.replace('|', ''), caret: marked.indexOf('|') })
const marked = ({ value, caret }: { value: string; caret: number }) => `${value.slice(0, caret)}|${value.slice(caret)}`

test.each([
  ['the first digits stand as they are', '424|', '424|'],
  ['a fifth digit opens a group', '42424|', '4242 4|'],
  ['dashes and spaces are ours to set', '4242-4242 42|', '4242 4242 42|'],
  ['a digit in the middle keeps the caret behind it', '4242 94|242 4', '4242 94|24 24'],
  ['a digit before a gap does not jump over it', '4249|2 424', '4249| 2424'],
  ['Backspace on a gap stops before it', '4242|4242', '4242| 4242'],
  ['American Express is 4-6-5', '378282246310005|', '3782 822463 10005|'],
  ['a changed brand regroups around the caret', '3|782 8224 6310', '3|782 822463 10'],
  ['letters are left for the rule to speak about', '42a2|', '42a2|'],
  ['nothing is nothing', '|', '|'],
])('%s', (_, before, after) => {
  const { text, caret } = typed(before)
  expect(marked(regroup(text, caret, card))).toBe(after)
})

test('Delete on a gap gets past it', () => {
  expect(marked(regroup('42424242', 4, card, true))).toBe('4242 |4242')
})
