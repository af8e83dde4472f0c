import { describe, expect, test } from 'vitest'
import { allCountries, billingCountries, isState, regionValue, unitedStates } from './countries.ts'

describe('the United States', () => {
  test('25.7 6.1 is the only billing country', () =>
    expect(billingCountries.map(({ countryShortCode }) => countryShortCode)).toEqual(['US']))

  test('25.9 has fifty states, the district and the territories', () => {
    const states =
      'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY'
    const others = 'DC AS FM GU MH MP PR PW VI'
    expect(states.split(' ')).toHaveLength(50)
    expect(`${states} ${others}`.split(' ').filter((code) => !isState(code))).toEqual([])
    expect(unitedStates.regions).toHaveLength(62)
  })

  test('25.9 lists the three regions of the armed forces last', () =>
    expect(unitedStates.regions.slice(-3).map(regionValue)).toEqual(['AA', 'AE', 'AP']))

  test.each(['', 'ca', 'California', 'ZZ', 'toString'])('%j is not a state', (code) =>
    expect(isState(code)).toBe(false),
  )
})

const countries = await allCountries()
const regions = countries.flatMap((country) => country.regions)
const countryByCode = (code: string) => countries.find(({ countryShortCode }) => countryShortCode === code)

describe('25.9 all countries', () => {
  test('each has a name, a short code and regions', () => {
    expect(countries).toHaveLength(249) // as ISO 3166 has, with Kosovo, and Svalbard as a part of Norway
    for (const { countryName, countryShortCode, regions } of countries) {
      expect(countryName).toBeTruthy()
      expect(countryShortCode).toMatch(/^[A-Z]{2}$/)
      expect(
        regions.every(({ name }) => name),
        countryName,
      ).toBe(true)
    }
    expect(new Set(countries.map(({ countryShortCode }) => countryShortCode)).size).toBe(countries.length)
  })

  test('are in alphabetical order', () => {
    const names = countries.map(({ countryName }) => countryName)
    expect(names).toEqual(names.toSorted(new Intl.Collator('en').compare))
  })

  test('UK counties and Canadian provinces are among the regions', () => {
    const counties = countryByCode('GB')?.regions.map(({ name }) => name)
    expect(counties).toHaveLength(217)
    expect(counties).toContain('Cornwall')
    const provinces = countryByCode('CA')?.regions.map(regionValue).sort().join(' ')
    expect(provinces).toBe('AB BC MB NB NL NS NT NU ON PE QC SK YT')
    expect(countryByCode('US')).toEqual(unitedStates)
  })

  test('a region without a code uses its name as value', () => {
    expect(regions.some(({ shortCode }) => shortCode === undefined)).toBe(true)
    expect(regionValue({ name: 'Somewhere' })).toBe('Somewhere')
    expect(regionValue({ name: 'Nevada', shortCode: 'NV' })).toBe('NV')
  })

  test('no two regions of a country share a value', () => {
    for (const { countryName, regions } of countries)
      expect(new Set(regions.map(regionValue)).size, countryName).toBe(regions.length)
  })

  test('every region has a value', () => expect(regions.filter((region) => !regionValue(region))).toEqual([]))
})
