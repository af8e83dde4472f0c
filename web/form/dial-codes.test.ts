import { getCountries, getCountryCallingCode } from 'libphonenumber-js'
import { expect, test } from 'vitest'
import { countriesByName, countryOf, dialCodeOf, isDialCountry, readPhone } from './dial-codes.ts'

test('the table agrees with libphonenumber about every country', () => {
  const theirs = getCountries().map((country) => [country, getCountryCallingCode(country)])
  expect(theirs.map(([country = '']) => [country, isDialCountry(country) && dialCodeOf(country)])).toEqual(theirs)
})

test.each([
  ['+12025550123', 'US', 'US'],
  ['+14165550123', 'CA', 'CA'],
  ['+12025550123', 'DE', 'US'],
  ['+12425550123', 'US', 'BS'],
  ['+447911123456', 'US', 'GB'],
  ['+441534123456', 'GB', 'JE'],
  ['+77011234567', 'US', 'KZ'],
  ['+79161234567', 'KZ', 'RU'],
  ['+4', 'US', undefined],
  ['+', 'US', undefined],
])('%s, with %s chosen, belongs to %s', (number, chosen, country) => {
  expect(countryOf(number, chosen)).toBe(country)
})

test.each([
  ['2025550123', 'US', 'US', '(202) 555-0123'],
  ['202.555.0123', 'US', 'US', '(202) 555-0123'],
  ['1 202 555 0123', 'US', 'US', '(202) 555-0123'],
  ['+1 202-555-0123', 'DE', 'US', '(202) 555-0123'],
  ['tel:+1-202-555-0123', 'US', 'US', '(202) 555-0123'],
  ['7875550123', 'US', 'US', '(787) 555-0123'],
  ['+52 55 1234 5678', 'US', 'MX', '5512345678'],
  ['0052 55 1234 5678', 'US', 'MX', '5512345678'],
  ['+52', 'US', 'MX', '+52'],
  ['+4917212', 'US', 'DE', '+4917212'],
  ['030 1234567', 'DE', 'DE', '030 1234567'],
  ['+99920255501', 'US', 'US', '+99920255501'],
  ['555 0123', 'US', 'US', '555 0123'],
  ['+', 'US', 'US', '+'],
  ['12345', 'US', 'US', '12345'],
  ['not a number', 'US', 'US', 'not a number'],
])('12.5 %s, with %s chosen, belongs to %s and is shown as %s', (typed, chosen, country, shown) => {
  expect(readPhone(typed, chosen)).toEqual({ country, shown })
})

test('countries have a name and a dial code, and are sorted by name', () => {
  const labels = countriesByName().map(({ label }) => label)
  expect(labels).toContain('United States (+1)')
  expect(labels[0]).toBe('Afghanistan (+93)')
})
