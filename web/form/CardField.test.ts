import { expect, test } from 'vitest'
import { groupDigits } from './CardField.tsx'

/** '4242|4' → the text and the position of the caret. */
const parse = (marked: string) => ({ text: marked.replace('|', ''), caret: marked.indexOf('|') })
const format = ({ value, caret }: { value: string; caret: number }) => `${value.slice(0, caret)}|${value.slice(caret)}`

test.each([
  ['the first digits are not changed', '424|', '424|'],
  ['a fifth digit starts a new group', '42424|', '4242 4|'],
  ['dashes and spaces are replaced', '4242-4242 42|', '4242 4242 42|'],
  ['the caret stays after a digit typed in the middle', '4242 94|242 4', '4242 94|24 24'],
  ['the caret stays before a gap', '4249|2 424', '4249| 2424'],
  ['Backspace at a gap stops before it', '4242|4242', '4242| 4242'],
  ['American Express is 4-6-5', '378282246310005|', '3782 822463 10005|'],
  ['a changed brand regroups around the caret', '3|782 8224 6310', '3|782 822463 10'],
  ['letters stay, so that the rule can report them', '42a2|', '42a2|'],
  ['an empty field stays empty', '|', '|'],
])('%s', (_, before, after) => {
  const { text, caret } = parse(before)
  expect(format(groupDigits(text, caret))).toBe(after)
})

test('Delete at a gap moves past it', () => {
  expect(format(groupDigits('42424242', 4, true))).toBe('4242 |4242')
})
