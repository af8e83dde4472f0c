import { getCountries, getCountryCallingCode } from 'libphonenumber-js'
import { expect, test } from 'vitest'
import { countriesByName, countryOf, dialCodeOf, isDialCountry } from './dial-codes.ts'

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

test('countries have a name and a dial code, and are sorted by name', () => {
  const labels = countriesByName().map(({ label }) => label)
  expect(labels).toContain('United States (+1)')
  expect(labels[0]).toBe('Afghanistan (+93)')
})
