import { type Country, regionValue, unitedStates } from '#contract/countries.ts'

/** `name` is what it is called in full, also where `text` shows only its short code. */
export type Option = { value: string; text: string; name: string }

/** What a selector offers and how it shows it. Lists hold values: short codes, or the name of a region that has none. */
export type Offer = {
  whiteList?: readonly string[] | undefined
  blackList?: readonly string[] | undefined
  shortCodeDropdown?: boolean | undefined
  topCountry?: string | undefined
}

/** The countries on the white list that are not on the black one; the top country first, whatever the lists say. */
export function countryOptions(countries: readonly Country[], offer: Offer = {}): Option[] {
  const all = countries.map(({ countryName, countryShortCode }) => toOption(countryShortCode, countryName, offer))
  const isTop = ({ value }: Option) => value === offer.topCountry
  return [...all.filter(isTop), ...listed(all, offer).filter((option) => !isTop(option))]
}

/** The regions of a country, of the United States when none is given, of nowhere when it is unknown. */
export function regionOptions(countries: readonly Country[], country: string | undefined, offer: Offer = {}): Option[] {
  const code = country || unitedStates.countryShortCode
  const found = countries.find(({ countryShortCode }) => countryShortCode === code)
  const all = found?.regions.map((region) => toOption(regionValue(region), region.name, offer)) ?? []
  return listed(all, offer)
}

const toOption = (value: string, name: string, { shortCodeDropdown }: Offer): Option => ({
  value,
  name,
  text: shortCodeDropdown ? value : name,
})

const listed = (options: Option[], { whiteList, blackList = [] }: Offer) =>
  options.filter(({ value }) => (whiteList?.includes(value) ?? true) && !blackList.includes(value))

/** Whether these can be offered without fetching the others. */
export const areUnitedStates = (codes: readonly (string | undefined)[]): boolean =>
  codes.every((code) => !code || code === unitedStates.countryShortCode)

const { compare } = new Intl.Collator('en', { sensitivity: 'base' })

/**
 * The value that was meant by a restored or filled one: a browser may know a state by its full name, in any case and
 * without its accents. '' when nothing fits.
 */
export function matchOption(options: readonly Option[], filled: string): string {
  const wanted = filled.trim()
  if (!wanted) return ''
  const exact = options.find(({ value }) => value === wanted)
  const byValue = () => options.find(({ value }) => compare(value, wanted) === 0)
  const byText = () => options.find(({ text, name }) => [text, name].some((word) => compare(word, wanted) === 0))
  return (exact ?? byValue() ?? byText())?.value ?? ''
}

/** What a selector was handed: the value to stand in it, and the country that this belongs to. */
export type Handed = { value: string; country?: string | undefined }

/** What stands in a selector after it was handed something else. A changed country clears the region. */
export function chosenAfter(chosen: string, before: Handed, now: Handed): string {
  if (now.value !== before.value) return now.value
  return now.country === before.country ? chosen : ''
}
