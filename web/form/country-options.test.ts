import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allCountries, type Country, regionValue, unitedStates } from '#contract/countries.ts'
import {
  areUnitedStates,
  chosenAfter,
  countryOptions,
  matchOption,
  type Offer,
  regionOptions,
} from './country-options.ts'

const few: Country[] = [
  { countryName: 'Brazil', countryShortCode: 'BR', regions: [{ name: 'Alagoas', shortCode: 'AL' }] },
  {
    countryName: 'Canada',
    countryShortCode: 'CA',
    regions: [{ name: 'Ontario', shortCode: 'ON' }, { name: 'Québec', shortCode: 'QC' }, { name: 'Nowhere yet' }],
  },
  { countryName: 'Nauru', countryShortCode: 'NR', regions: [] },
  unitedStates,
]
const values = (options: { value: string }[]) => options.map(({ value }) => value)
const texts = (options: { text: string }[]) => options.map(({ text }) => text)

describe('the countries offered', () => {
  test.each<[string, Offer, string[]]>([
    ['all, in their order', {}, ['BR', 'CA', 'NR', 'US']],
    ['those on the white list, in their order', { whiteList: ['US', 'CA'] }, ['CA', 'US']],
    ['those not on the black list', { blackList: ['NR', 'BR'] }, ['CA', 'US']],
    ['the white list first, then without the black one', { whiteList: ['US', 'CA'], blackList: ['CA'] }, ['US']],
    ['none of an empty white list', { whiteList: [] }, []],
    ['all with an empty black list', { blackList: [] }, ['BR', 'CA', 'NR', 'US']],
    ['the top country once, and first', { topCountry: 'NR' }, ['NR', 'BR', 'CA', 'US']],
    ['the top country that the white list lacks', { topCountry: 'NR', whiteList: ['US'] }, ['NR', 'US']],
    ['the top country that the black list names', { topCountry: 'NR', blackList: ['NR', 'CA'] }, ['NR', 'BR', 'US']],
    ['no top country that nobody knows', { topCountry: 'ZZ' }, ['BR', 'CA', 'NR', 'US']],
    ['nothing for codes that nobody knows', { whiteList: ['ZZ', '', 'toString'], blackList: ['??'] }, []],
  ])('%s', (_, offer, codes) => expect(values(countryOptions(few, offer))).toEqual(codes))

  test('short codes change the text and nothing else', () => {
    const names = countryOptions(few, { topCountry: 'US' })
    const codes = countryOptions(few, { topCountry: 'US', shortCodeDropdown: true })
    expect(texts(names)).toEqual(['United States', 'Brazil', 'Canada', 'Nauru'])
    expect(texts(codes)).toEqual(['US', 'BR', 'CA', 'NR'])
    expect(values(codes)).toEqual(values(names))
  })
})

describe('the regions offered', () => {
  test.each<[string, string | undefined, Offer, string[]]>([
    ['those of the country', 'BR', {}, ['AL']],
    ['by name where there is no code', 'CA', {}, ['ON', 'QC', 'Nowhere yet']],
    ['those on the white list', 'CA', { whiteList: ['Nowhere yet', 'ON'] }, ['ON', 'Nowhere yet']],
    ['those not on the black list', 'CA', { blackList: ['Nowhere yet'] }, ['ON', 'QC']],
    ['the white list first, then without the black one', 'CA', { whiteList: ['ON', 'QC'], blackList: ['QC'] }, ['ON']],
    ['the same with a top country', 'BR', { topCountry: 'CA' }, ['AL']],
    ['none where there are none', 'NR', {}, []],
    ['none of a country that nobody knows', 'ZZ', {}, []],
    ['none of a country that is no code', 'constructor', {}, []],
  ])('%s', (_, country, offer, codes) => expect(values(regionOptions(few, country, offer))).toEqual(codes))

  test.each([undefined, ''])('are those of the United States when the country is %j', (country) =>
    expect(values(regionOptions(few, country))).toEqual(unitedStates.regions.map(regionValue)),
  )

  test('short codes change the text and nothing else', () => {
    const names = regionOptions(few, 'CA')
    const codes = regionOptions(few, 'CA', { shortCodeDropdown: true })
    expect(texts(names)).toEqual(['Ontario', 'Québec', 'Nowhere yet'])
    expect(texts(codes)).toEqual(['ON', 'QC', 'Nowhere yet'])
    expect(values(codes)).toEqual(values(names))
  })
})

describe('a restored or filled value', () => {
  const states = regionOptions(few, 'US')
  const canadian = regionOptions(few, 'CA', { shortCodeDropdown: true })
  test.each([
    ['CA', 'CA'],
    ['ca', 'CA'],
    [' CA ', 'CA'],
    ['California', 'CA'],
    ['CALIFORNIA', 'CA'],
    ['new  york', ''],
    ['New York', 'NY'],
    ['Armed Forces Pacific', 'AP'],
    ['', ''],
    ['  ', ''],
    ['Ontario', ''],
    ['__proto__', ''],
  ])('%j means the state %j', (filled, value) => expect(matchOption(states, filled)).toBe(value))

  test.each([
    ['QC', 'QC'],
    ['Québec', 'QC'],
    ['quebec', 'QC'],
    ['nowhere yet', 'Nowhere yet'],
  ])('%j means the province %j, also where only codes are shown', (filled, value) =>
    expect(matchOption(canadian, filled)).toBe(value),
  )

  test('a value is meant before a text: Idaho before the region that is called so', () => {
    const options = [
      { value: 'XX', text: 'ID', name: 'ID' },
      { value: 'ID', text: 'Idaho', name: 'Idaho' },
    ]
    expect(matchOption(options, 'ID')).toBe('ID')
  })

  test('every region of the world is found by its value and by its name', async () => {
    const countries = await allCountries()
    for (const { countryShortCode } of countries) {
      const options = regionOptions(countries, countryShortCode)
      for (const { value, name } of options) {
        expect(matchOption(options, value)).toBe(value)
        expect(options.find((option) => option.value === matchOption(options, ` ${name} `))?.name).toBe(name)
      }
    }
  })
})

describe('after another country or region was handed in', () => {
  test.each([
    ['nothing changed: the choice stays', 'NV', { value: '', country: 'US' }, { value: '', country: 'US' }, 'NV'],
    ['another country: cleared', 'AL', { value: '', country: 'US' }, { value: '', country: 'BR' }, ''],
    [
      'another country, the same old region handed: cleared',
      'AL',
      { value: 'AL', country: 'US' },
      { value: 'AL', country: 'BR' },
      '',
    ],
    ['from no country to one: cleared', 'AL', { value: '', country: '' }, { value: '', country: 'BR' }, ''],
    ['a country with its region: put in', 'NV', { value: '', country: 'US' }, { value: 'ON', country: 'CA' }, 'ON'],
    ['another region: put in', 'NV', { value: '', country: 'US' }, { value: 'CA', country: 'US' }, 'CA'],
    ['the region taken away: cleared', 'NV', { value: 'NV', country: 'US' }, { value: '', country: 'US' }, ''],
  ])('%s', (_, chosen, before, now, after) => expect(chosenAfter(chosen, before, now)).toBe(after))
})

test.each([
  [['US'], true],
  [['US', undefined], true],
  [[undefined], true],
  [[''], true],
  [['US', 'CA'], false],
  [['us'], false],
])('the United States are enough for %j: %s', (codes, enough) => expect(areUnitedStates(codes)).toBe(enough))

test('nothing that is handed in makes a selector throw', () => {
  const codes = fc.array(fc.oneof(fc.string(), fc.constantFrom('US', 'CA', 'NV', '__proto__')))
  const offers = fc.record(
    { whiteList: codes, blackList: codes, shortCodeDropdown: fc.boolean(), topCountry: fc.string() },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(offers, fc.string(), (offer, code) => {
      const options = [...countryOptions(few, offer), ...regionOptions(few, code, offer)]
      expect(options.every(({ value, text }) => value && text)).toBe(true)
      matchOption(options, code)
    }),
  )
})
