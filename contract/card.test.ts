import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  brandOf,
  cardDigits,
  expiryMonths,
  expiryYears,
  groupCard,
  isCardNumber,
  isExpired,
  otherBrandOf,
} from './card.ts'

/** The check digit of ISO/IEC 7812, computed independently of the code under test. */
const checkDigit = (body: string) => {
  let sum = 0
  for (let i = 0; i < body.length; i++) {
    const doubled = i % 2 === 0 ? Number(body[body.length - 1 - i]) * 2 : Number(body[body.length - 1 - i])
    sum += Math.floor(doubled / 10) + (doubled % 10)
  }
  return String((10 - (sum % 10)) % 10)
}

const between = (first: number, last: number) => fc.integer({ min: first, max: last }).map(String)

/** The number ranges of the four brands: prefixes and lengths. */
const ranges = [
  { prefixes: fc.constant('4'), lengths: [13, 16, 19] },
  { prefixes: fc.oneof(between(51, 55), between(2221, 2720)), lengths: [16] },
  { prefixes: fc.constantFrom('34', '37'), lengths: [15] },
  { prefixes: fc.oneof(fc.constantFrom('6011', '65'), between(644, 649), between(622126, 622925)), lengths: [16, 19] },
]

const cardNumber = fc.oneof(
  ...ranges.map(({ prefixes, lengths }) =>
    fc
      .tuple(prefixes, fc.constantFrom(...lengths), fc.stringMatching(/^\d{19}$/))
      .map(([prefix, length, digits]) => (prefix + digits).slice(0, length - 1))
      .map((body) => body + checkDigit(body)),
  ),
)

describe('a card number', () => {
  test.each([
    ['Mastercard', 16, ['51', '55', '2221', '2720'], ['50', '56', '2220', '2721']],
    ['American Express', 15, ['34', '37'], ['33', '35', '36', '38']],
    ['Discover', 16, ['6011', '644', '649', '65', '622126', '622925'], ['6010', '643', '66', '622125', '622926']],
  ] as const)('6.1 the numbers of %s end where the brand says', (_, length, inside, outside) => {
    const isAccepted = (prefix: string) => {
      const body = prefix.padEnd(length - 1, '0')
      return isCardNumber(body + checkDigit(body))
    }
    expect(inside.filter(isAccepted)).toEqual(inside)
    expect(outside.filter(isAccepted)).toEqual([])
  })

  test.each([
    '4242424242424242',
    '4111111111111111',
    '5555555555554444',
    '2223003122003222',
    '378282246310005',
    '6011111111111117',
    '4000000000000002',
    '4000000000009995',
    '4000000000000127',
    '4000000000000069',
    '4000000000000119',
    '4007000000027',
    '4012888818888',
  ])('6.1 the test number %s is one of the four brands', (number) => expect(isCardNumber(number)).toBe(true))

  test.each([
    ['4242424242424241', 'a wrong check digit'],
    ['424242424242424', 'a missing digit'],
    ['42424242424242424', 'seventeen digits'],
    ['30569309025904', 'Diners Club'],
    ['3530111333300000', 'JCB'],
    ['6200000000000005', 'UnionPay outside Discover’s range'],
    ['2220990000000007', 'below Mastercard’s 2-series'],
    ['2721000000000004', 'above Mastercard’s 2-series'],
    ['6221250000000001', 'below Discover’s 622126'],
    ['6229260000000001', 'above Discover’s 622925'],
    ['0000000000000000', 'only zeros'],
    ['', 'empty'],
  ])('6.1 %s is refused: %s', (number) => expect(isCardNumber(number)).toBe(false))

  test('every number in a brand’s range with a valid check digit is accepted', () =>
    fc.assert(fc.property(cardNumber, (number) => isCardNumber(number))))

  test('a single wrong digit is always detected', () =>
    fc.assert(
      fc.property(cardNumber, fc.nat(), fc.integer({ min: 1, max: 9 }), (number, position, shift) => {
        const index = position % number.length
        const wrongDigit = String((Number(number[index]) + shift) % 10)
        return !isCardNumber(number.slice(0, index) + wrongDigit + number.slice(index + 1))
      }),
    ))

  test('6.1 spaces and dashes between the digits are ignored', () =>
    fc.assert(
      fc.property(cardNumber, fc.constantFrom(' ', '-', '  ', '\u00a0'), (number, gap) =>
        isCardNumber([...number].join(gap)),
      ),
    ))
})

test.each([
  ['', undefined],
  ['4', 'visa'],
  ['5', undefined],
  ['51', 'mastercard'],
  ['56', undefined],
  ['22', undefined],
  ['2221', 'mastercard'],
  ['23', 'mastercard'],
  ['2720', 'mastercard'],
  ['2721', undefined],
  ['3', undefined],
  ['34', 'amex'],
  ['37', 'amex'],
  ['36', undefined],
  ['6', undefined],
  ['60 11', 'discover'],
  ['644', 'discover'],
  ['643', undefined],
  ['65', 'discover'],
  ['622125', undefined],
  ['622126', 'discover'],
  ['622925', 'discover'],
  ['622926', undefined],
])('the brand is shown as soon as it is certain: %s → %s', (typed, brand) => expect(brandOf(typed)).toBe(brand))

test('the brand never changes while the rest of the number is typed', () =>
  fc.assert(
    fc.property(cardNumber, (number) => {
      const brandsShown = [...number].map((_, index) => brandOf(number.slice(0, index + 1))).filter(Boolean)
      expect(new Set(brandsShown).size).toBe(1)
    }),
  ))

describe('a card number on the screen', () => {
  test.each([
    ['', ''],
    ['4242', '4242'],
    ['42424', '4242 4'],
    ['4242-4242 42424242', '4242 4242 4242 4242'],
    ['4242424242424242428', '4242 4242 4242 4242 428'],
    ['3782', '3782'],
    ['37828', '3782 8'],
    ['37828224631', '3782 822463 1'],
    ['378282246310005', '3782 822463 10005'],
    ['9999999', '9999 999'],
  ])('%s → %s', (typed, grouped) => expect(groupCard(typed)).toBe(grouped))

  test('grouping loses no digit, however many were typed', () =>
    fc.assert(fc.property(fc.stringMatching(/^\d{0,30}$/), (digits) => cardDigits(groupCard(digits)) === digits)))
})

describe('a card', () => {
  test.each([
    ['12', '2026', '2026-12-31T23:59:59.999Z', false],
    ['12', '2026', '2027-01-01T11:59:59.999Z', false],
    ['12', '2026', '2027-01-01T12:00:00.000Z', true],
    ['02', '2028', '2028-03-01T11:59:59.999Z', false],
    ['02', '2028', '2028-03-01T12:00:00.000Z', true],
    ['01', '2030', '2026-11-15T00:00:00.000Z', false],
    ['10', '2026', '2026-11-15T00:00:00.000Z', true],
  ])('is valid until its month has ended in every time zone: %s/%s at %s, expired: %s', (month, year, now, expired) =>
    expect(isExpired(month, year, new Date(now))).toBe(expired),
  )

  test('25.7 can expire this year or in the next nine, in any month', () => {
    const years = ['2026', '2027', '2028', '2029', '2030', '2031', '2032', '2033', '2034', '2035']
    expect(expiryYears(new Date('2026-11-15T00:00:00Z'))).toEqual(years)
    expect(expiryMonths).toEqual(['01', '02', '03', '04', '05', '06', '07', '08', '09', '10', '11', '12'])
  })
})

test.each([
  ['3056 9309 0259 04', 'Diners Club'],
  ['3852 0000 0232 37', 'Diners Club'],
  ['3530 1113', 'JCB'],
  ['6212 3456', 'UnionPay'],
  ['5018 0000', 'Maestro'],
  ['305', undefined],
  ['4242', undefined],
  ['3782', undefined],
  ['6221 2600', undefined],
  ['6011', undefined],
  ['9999', undefined],
])('11.7 a brand that is not accepted is named once it is certain: %s → %s', (typed, name) =>
  expect(otherBrandOf(typed)).toBe(name),
)
