import fc from 'fast-check'
import { expect, test } from 'vitest'
import { showAmount, showPrice, toAmount, toCents } from './money.ts'

test.each([
  [0, '0.00'],
  [5, '0.05'],
  [99, '0.99'],
  [100, '1.00'],
  [9900, '99.00'],
  [123456789, '1234567.89'],
])('2.2 %i cents are %s in the API', (cents, amount) => expect(toAmount(cents)).toBe(amount))

test('2.2 converting an amount to text and back loses nothing', () =>
  fc.assert(fc.property(fc.integer({ min: 0, max: 999_999_999 }), (cents) => toCents(toAmount(cents)) === cents)))

test.each(['', '99', '99.0', '99.000', '$99.00', '-1.00', '1,000.00', '1e3.00', ' 99.00', '.99', '12345678.00'])(
  '2.2 %j is not an amount',
  (text) => expect(toCents(text)).toBeUndefined(),
)

test.each([
  ['99.00', '$99.00'],
  ['99', '$99.00'],
  ['99.5', '$99.50'],
  ['0.00', '$0.00'],
  ['', '$0.00'],
  [undefined, '$0.00'],
])('2.2 the amount %j is shown as %s', (amount, shown) => expect(showAmount(amount)).toBe(shown))

test('2.1 a recurring package says what it costs a month', () => {
  expect(showPrice({ price: '19.00', is_recurring: true })).toBe('$19.00 a month')
  expect(showPrice({ price: '49.00', is_recurring: false })).toBe('$49.00')
})
