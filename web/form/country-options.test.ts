import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allCountries, type Country, regionValue, unitedStates } from '#contract/countries.ts'
import {
  areUnitedStates,
  countryOptions,
  matchOption,
  type OptionFilter,
  regionOptions,
  selectionAfter,
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

describe('25.8 the country options are', () => {
  test.each<[string, OptionFilter, string[]]>([
    ['all, in the given order', {}, ['BR', 'CA', 'NR', 'US']],
    ['those on the white list, in the given order', { whiteList: ['US', 'CA'] }, ['CA', 'US']],
    ['those not on the black list', { blackList: ['NR', 'BR'] }, ['CA', 'US']],
    ['those on the white list and not on the black list', { whiteList: ['US', 'CA'], blackList: ['CA'] }, ['US']],
    ['none for an empty white list', { whiteList: [] }, []],
    ['all for an empty black list', { blackList: [] }, ['BR', 'CA', 'NR', 'US']],
    ['the top country first, and only once', { topCountry: 'NR' }, ['NR', 'BR', 'CA', 'US']],
    ['the top country even if the white list lacks it', { topCountry: 'NR', whiteList: ['US'] }, ['NR', 'US']],
    [
      'the top country even if the black list has it',
      { topCountry: 'NR', blackList: ['NR', 'CA'] },
      ['NR', 'BR', 'US'],
    ],
    ['without an unknown top country', { topCountry: 'ZZ' }, ['BR', 'CA', 'NR', 'US']],
    ['none for unknown codes', { whiteList: ['ZZ', '', 'toString'], blackList: ['??'] }, []],
  ])('%s', (_, filter, codes) => expect(values(countryOptions(few, filter))).toEqual(codes))

  test('the same with short codes, except for their text', () => {
    const names = countryOptions(few, { topCountry: 'US' })
    const codes = countryOptions(few, { topCountry: 'US', shortCodeDropdown: true })
    expect(texts(names)).toEqual(['United States', 'Brazil', 'Canada', 'Nauru'])
    expect(texts(codes)).toEqual(['US', 'BR', 'CA', 'NR'])
    expect(values(codes)).toEqual(values(names))
  })
})

describe('25.8 the region options are', () => {
  test.each<[string, string | undefined, OptionFilter, string[]]>([
    ['those of the country', 'BR', {}, ['AL']],
    ['identified by name if they have no code', 'CA', {}, ['ON', 'QC', 'Nowhere yet']],
    ['those on the white list', 'CA', { whiteList: ['Nowhere yet', 'ON'] }, ['ON', 'Nowhere yet']],
    ['those not on the black list', 'CA', { blackList: ['Nowhere yet'] }, ['ON', 'QC']],
    ['those on the white list and not on the black list', 'CA', { whiteList: ['ON', 'QC'], blackList: ['QC'] }, ['ON']],
    ['not affected by a top country', 'BR', { topCountry: 'CA' }, ['AL']],
    ['none for a country without regions', 'NR', {}, []],
    ['none for an unknown country', 'ZZ', {}, []],
    ['none for a country that is not a code', 'constructor', {}, []],
  ])('%s', (_, country, filter, codes) => expect(values(regionOptions(few, country, filter))).toEqual(codes))

  test.each([undefined, ''])('those of the United States when the country is %j', (country) =>
    expect(values(regionOptions(few, country))).toEqual(unitedStates.regions.map(regionValue)),
  )

  test('the same with short codes, except for their text', () => {
    const names = regionOptions(few, 'CA')
    const codes = regionOptions(few, 'CA', { shortCodeDropdown: true })
    expect(texts(names)).toEqual(['Ontario', 'Québec', 'Nowhere yet'])
    expect(texts(codes)).toEqual(['ON', 'QC', 'Nowhere yet'])
    expect(values(codes)).toEqual(values(names))
  })
})

describe('a restored or autofilled value', () => {
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
  ])('%j means the state %j', (input, value) => expect(matchOption(states, input)).toBe(value))

  test.each([
    ['QC', 'QC'],
    ['Québec', 'QC'],
    ['quebec', 'QC'],
    ['nowhere yet', 'Nowhere yet'],
  ])('%j means the province %j, even if only codes are shown', (input, value) =>
    expect(matchOption(canadian, input)).toBe(value),
  )

  test('a value wins over a name: ID is Idaho, not the region called ID', () => {
    const options = [
      { value: 'XX', text: 'ID', name: 'ID' },
      { value: 'ID', text: 'Idaho', name: 'Idaho' },
    ]
    expect(matchOption(options, 'ID')).toBe('ID')
  })

  test('every region in the world is found by its value and by its name', async () => {
    const countries = await allCountries()
    const regions = countries.flatMap(({ countryShortCode }) => {
      const options = regionOptions(countries, countryShortCode)
      return options.map((option) => ({ ...option, options }))
    })
    const isFound = ({ value, name, options }: (typeof regions)[number]) => {
      const byName = matchOption(options, ` ${name} `)
      return matchOption(options, value) === value && options.find((each) => each.value === byName)?.name === name
    }
    expect(regions.length).toBeGreaterThan(3000)
    expect(regions.filter((region) => !isFound(region)).map(({ name }) => name)).toEqual([])
  })
})

describe('10.10 when the parent passes a different country or region', () => {
  test.each([
    ['nothing changed: the selection stays', 'NV', { value: '', country: 'US' }, { value: '', country: 'US' }, 'NV'],
    ['another country: cleared', 'AL', { value: '', country: 'US' }, { value: '', country: 'BR' }, ''],
    [
      'another country with the same region: cleared',
      'AL',
      { value: 'AL', country: 'US' },
      { value: 'AL', country: 'BR' },
      '',
    ],
    ['a country instead of none: cleared', 'AL', { value: '', country: '' }, { value: '', country: 'BR' }, ''],
    [
      'another country with its region: selected',
      'NV',
      { value: '', country: 'US' },
      { value: 'ON', country: 'CA' },
      'ON',
    ],
    ['another region: selected', 'NV', { value: '', country: 'US' }, { value: 'CA', country: 'US' }, 'CA'],
    ['the region removed: cleared', 'NV', { value: 'NV', country: 'US' }, { value: '', country: 'US' }, ''],
  ])('%s', (_, selection, before, now, after) => expect(selectionAfter(selection, before, now)).toBe(after))
})

test.each([
  [['US'], true],
  [['US', undefined], true],
  [[undefined], true],
  [[''], true],
  [['US', 'CA'], false],
  [['us'], false],
])('%j needs only the United States: %s', (codes, isEnough) => expect(areUnitedStates(codes)).toBe(isEnough))

test('no input makes a selector throw', () => {
  const codes = fc.array(fc.oneof(fc.string(), fc.constantFrom('US', 'CA', 'NV', '__proto__')))
  const filters = fc.record(
    { whiteList: codes, blackList: codes, shortCodeDropdown: fc.boolean(), topCountry: fc.string() },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(filters, fc.string(), (filter, code) => {
      const options = [...countryOptions(few, filter), ...regionOptions(few, code, filter)]
      expect(options.every(({ value, text }) => value && text)).toBe(true)
      matchOption(options, code)
    }),
  )
})
