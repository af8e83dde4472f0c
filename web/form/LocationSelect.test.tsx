import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { billingCountries } from '#contract/countries.ts'
import { fields } from '#contract/fields.ts'
import { CountrySelect } from './CountrySelect.tsx'
import type { LocationSelectProps } from './LocationSelect.tsx'
import { RegionSelect } from './RegionSelect.tsx'

const country = (props: Partial<LocationSelectProps>) =>
  renderToStaticMarkup(<CountrySelect name="country" label="Country" {...props} />)
const region = (props: Partial<LocationSelectProps>) =>
  renderToStaticMarkup(<RegionSelect name="state" label="State" {...props} />)
const selected = (html: string) => /<option [^>]*value="([^"]*)"[^>]* selected=""/.exec(html)?.[1]
const optionTexts = (html: string) => [...html.matchAll(/<option[^>]*>([^<]*)/g)].map(([, text]) => text)

describe('a country or region selector, rendered on the server', () => {
  test('6.1 25.8 has a placeholder; that of a country can be chosen, and is then reported', () => {
    expect(region({})).toMatch(/<option value="" disabled="" hidden=""[^>]*>Select Region</)
    expect(country({ countries: billingCountries })).toMatch(/<option value=""(?! disabled)[^>]*>Select Country</)
    expect(fields.country.safeParse('').error?.issues[0]?.message).toBe('Please select a country.')
    expect(region({ placeholder: 'Choose a state' })).toContain('>Choose a state<')
    expect(selected(region({}))).toBe('')
  })

  test('10.17 an optional region can be cleared with its placeholder', () => {
    expect(region({ optional: true })).toMatch(/<option value=""(?! disabled)[^>]*>Select Region</)
  })

  test('25.8 has the US states at once, with the restored one selected', () => {
    expect(optionTexts(region({}))).toHaveLength(63)
    expect(selected(region({ region: 'NV' }))).toBe('NV')
    expect(selected(region({ defaultValue: 'Nevada' }))).toBe('NV')
    expect(selected(region({ region: '', defaultValue: 'NV' }))).toBe('')
  })

  test('25.7 25.8 offers only the United States for billing, without loading the other countries', () => {
    for (const html of [
      country({ countries: billingCountries, country: 'US' }),
      country({ whiteList: ['US'], country: 'US' }),
    ]) {
      expect(optionTexts(html)).toEqual(['Select Country', 'United States'])
      expect(selected(html)).toBe('US')
      expect(html).not.toContain('aria-busy')
    }
  })

  test('keeps its value while the countries are loading', () => {
    const html = country({ country: 'DE' })
    expect(html).toMatch(/<select class="control" aria-busy="true"/)
    expect(html).toContain('>Loading…<')
    expect(selected(html)).toBe('DE')
    expect(region({ country: 'DE', region: 'BY' })).toContain('aria-busy')
  })

  test('shows the placeholder for unknown codes', () => {
    expect(selected(region({ region: '??' }))).toBe('')
    expect(selected(country({ countries: billingCountries, country: 'ZZ', topCountry: '!' }))).toBe('')
    expect(optionTexts(region({ countries: billingCountries, country: 'ZZ' }))).toEqual(['Select Region'])
  })

  test('has a label, a hint and an error like every other field', () => {
    const html = region({
      error: 'Please select a state.',
      hint: 'Where you live.',
      autoComplete: 'billing address-level1',
    })
    expect(html).toContain('<label for="state">State')
    expect(html).toContain('autoComplete="billing address-level1"')
    expect(html).toContain('aria-describedby="state-hint state-error" aria-invalid="true"')
  })
})
