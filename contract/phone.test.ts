import fc from 'fast-check'
import { isPossiblePhoneNumber } from 'libphonenumber-js/max'
import { describe, expect, test } from 'vitest'
import { fields } from './fields.ts'
import { hasPossibleLength, joinPhone, phoneDigits } from './phone.ts'

const separator = fc.constantFrom('', ' ', '-', '.', '/', ' (', ') ', '\u00a0', '–')
const digits = fc.stringMatching(/^[1-9]\d{6,14}$/)
const withSeparators = (number: string) =>
  fc.array(separator, { minLength: number.length, maxLength: number.length }).map((separators) => {
    return [...number]
      .map((digit, index) => separators[index] + digit)
      .join('')
      .replaceAll('(0)', '0')
  })
const dialCode = fc.constantFrom('1', '7', '44', '49', '352', '1684')

describe('12.5 joining the dial code and the typed number', () => {
  test.each([
    ['1', '202 555 0123', '+12025550123'],
    ['1', '(202) 555-0123', '+12025550123'],
    ['1', '+1 202 555 0123', '+12025550123'],
    ['1', '+44 7700 900123', '+447700900123'],
    ['1', '0044 7700 900123', '+447700900123'],
    ['44', ' 7700.900/123 ', '+447700900123'],
    ['44', '(0)7700 900123', '+447700900123'],
    ['1', '+44 (0)7700 900123', '+447700900123'],
    ['1', '1 202 555 0123', '+12025550123'],
    ['1', '\u202a++1 202 555 0123\u202c', '+12025550123'],
    ['49', '30–1234567', '+49301234567'],
    ['1', '555 0123', '+15550123'],
    ['1', '1234567890123456789', '+11234567890123456789'],
    ['1', '12345678901234567890', '12345678901234567890'], // no room for the dial code
    ['1', '', ''],
    ['1', ' ( ) - ', ''],
  ])('+%s and %j → %s', (code, typed, number) => expect(joinPhone(code, typed)).toBe(number))

  test.each(['123456', '1 2 3', '123456789012345678901', '12345ab'])(
    '5.9 what was typed must be long enough itself, so %s stays as it is',
    (typed) => expect(fields.mobile_phone.safeParse(joinPhone('1', typed)).success).toBe(false),
  )

  test('never doubles the plus and never loses a digit', () =>
    fc.assert(
      fc.property(
        dialCode,
        digits.chain((number) => fc.tuple(fc.constant(number), withSeparators(number))),
        (code, [number, typed]) => {
          const hasCode = code === '1' && /^1\d{10}$/.test(number)
          expect(joinPhone(code, typed)).toBe(`+${hasCode ? '' : code}${number}`)
          expect(joinPhone(code, `+${typed}`)).toBe(`+${number}`)
          expect(joinPhone(code, `00${typed}`)).toBe(`+${number}`)
        },
      ),
    ))

  test('changes nothing when it is applied twice', () =>
    fc.assert(
      fc.property(dialCode, digits, (code, number) => {
        const once = joinPhone(code, number)
        return joinPhone(code, once) === once
      }),
    ))
})

test('letters in a number are not dropped silently', () => expect(phoneDigits('1-800-FOYER')).toBe('1800FOYER'))

test('5.9 libphonenumber agrees about the length of every number under +1', () =>
  fc.assert(
    fc.property(
      fc.stringMatching(/^\+11?[2-9]\d{7,18}$/), // libphonenumber also accepts a few of seven digits
      (number) => hasPossibleLength(number) === isPossiblePhoneNumber(number),
    ),
  ))

test.each([
  ['tel:+1-202-555-0123', '+12025550123'],
  ['TEL:(202) 555-0123', '2025550123'],
])('12.5 a copied link %s is read as %s', (typed, digits) => expect(phoneDigits(typed)).toBe(digits))
