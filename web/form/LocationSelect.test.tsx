import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { billingCountries } from '#contract/countries.ts'
import { CountrySelect } from './CountrySelect.tsx'
import type { LocationSelectProps } from './LocationSelect.tsx'
import { RegionSelect } from './RegionSelect.tsx'

const country = (props: Partial<LocationSelectProps>) =>
  renderToStaticMarkup(<CountrySelect name="country" label="Country" {...props} />)
const region = (props: Partial<LocationSelectProps>) =>
  renderToStaticMarkup(<RegionSelect name="state" label="State" {...props} />)
const selected = (html: string) => /<option [^>]*value="([^"]*)"[^>]* selected=""/.exec(html)?.[1]
const offered = (html: string) => [...html.matchAll(/<option[^>]*>([^<]*)/g)].map(([, text]) => text)

describe('rendered ahead', () => {
  test('the owner: the placeholder can be seen but not chosen, and has its own words', () => {
    expect(region({})).toMatch(/<option value="" disabled="" hidden=""[^>]*>Select Region</)
    expect(country({ countries: billingCountries })).toMatch(
      /<option value="" disabled="" hidden=""[^>]*>Select Country</,
    )
    expect(region({ placeholder: 'Choose a state' })).toContain('>Choose a state<')
    expect(selected(region({}))).toBe('')
  })

  test('the states are there at once, and the one restored is chosen', () => {
    expect(offered(region({}))).toHaveLength(63)
    expect(selected(region({ region: 'NV' }))).toBe('NV')
    expect(selected(region({ defaultValue: 'Nevada' }))).toBe('NV')
    expect(selected(region({ region: '', defaultValue: 'NV' }))).toBe('')
  })

  test('the owner: billing offers the United States without fetching the others', () => {
    for (const html of [
      country({ countries: billingCountries, country: 'US' }),
      country({ whiteList: ['US'], country: 'US' }),
    ]) {
      expect(offered(html)).toEqual(['Select Country', 'United States'])
      expect(selected(html)).toBe('US')
      expect(html).not.toContain('aria-busy')
    }
  })

  test('while the others are fetched it has the shape of a select and keeps what it was handed', () => {
    const html = country({ country: 'DE' })
    expect(html).toMatch(/<select class="control" aria-busy="true"/)
    expect(html).toContain('>Loading…<')
    expect(selected(html)).toBe('DE')
    expect(region({ country: 'DE', region: 'BY' })).toContain('aria-busy')
  })

  test('codes that nobody knows leave the placeholder', () => {
    expect(selected(region({ region: '??' }))).toBe('')
    expect(selected(country({ countries: billingCountries, country: 'ZZ', topCountry: '!' }))).toBe('')
    expect(offered(region({ countries: billingCountries, country: 'ZZ' }))).toEqual(['Select Region'])
  })

  test('it is a field like the others', () => {
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
