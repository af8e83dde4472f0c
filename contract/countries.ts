import { US } from 'country-region-data'

type Region = { name: string; shortCode?: string }
export type Country = { countryName: string; countryShortCode: string; regions: Region[] }

const [countryName, countryShortCode, regions] = US
export const unitedStates: Country = {
  countryName,
  countryShortCode,
  regions: regions.map(([name, shortCode]) => ({ name, shortCode })),
}

/** Only the United States is offered for billing. */
export const billingCountries: readonly Country[] = [unitedStates]

/** Every country with its regions. The data is large, so it is loaded on demand. */
export const allCountries = async (): Promise<Country[]> =>
  (await import('country-region-data/data.json', { with: { type: 'json' } })).default.toSorted((a, b) =>
    a.countryName.localeCompare(b.countryName, 'en'),
  )

/** The short code of a region, or its name if it has none. */
export const regionValue = (region: Region): string => region.shortCode || region.name

const stateCodes: ReadonlySet<string> = new Set(unitedStates.regions.map(regionValue))
export const isState = (code: string): boolean => stateCodes.has(code)
