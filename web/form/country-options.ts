import { type Country, regionValue, unitedStates } from '#contract/countries.ts'

/** `name` is the full name, even where `text` is only the short code. */
export type PlaceOption = { value: string; text: string; name: string }

/** Which options a selector has, and how it shows them. The lists hold short codes, or names of regions without one. */
export type OptionFilter = {
  whiteList?: readonly string[] | undefined
  blackList?: readonly string[] | undefined
  shortCodeDropdown?: boolean | undefined
  topCountry?: string | undefined
}

/** The countries that the lists allow. The top country comes first, whatever the lists say. */
export function countryOptions(countries: readonly Country[], filter: OptionFilter = {}): PlaceOption[] {
  const all = countries.map(({ countryName, countryShortCode }) => toOption(countryShortCode, countryName, filter))
  const isTop = ({ value }: PlaceOption) => value === filter.topCountry
  return [...all.filter(isTop), ...applyLists(all, filter).filter((option) => !isTop(option))]
}

/** The regions of a country. Without a country: those of the United States. For an unknown country: none. */
export function regionOptions(
  countries: readonly Country[],
  country: string | undefined,
  filter: OptionFilter = {},
): PlaceOption[] {
  const code = country || unitedStates.countryShortCode
  const match = countries.find(({ countryShortCode }) => countryShortCode === code)
  const all = match?.regions.map((region) => toOption(regionValue(region), region.name, filter)) ?? []
  return applyLists(all, filter)
}

const toOption = (value: string, name: string, { shortCodeDropdown }: OptionFilter): PlaceOption => ({
  value,
  name,
  text: shortCodeDropdown ? value : name,
})

const applyLists = (options: PlaceOption[], { whiteList, blackList = [] }: OptionFilter) =>
  options.filter(({ value }) => (whiteList?.includes(value) ?? true) && !blackList.includes(value))

/** Whether the list of all countries is not needed. */
export const areUnitedStates = (codes: readonly (string | undefined)[]): boolean =>
  codes.every((code) => !code || code === unitedStates.countryShortCode)

const { compare } = new Intl.Collator('en', { sensitivity: 'base' })

/**
 * Finds the option for a restored or autofilled value. Browsers may fill in a state's full name, in any case and without
 * accents. '' if nothing matches.
 */
export function matchOption(options: readonly PlaceOption[], input: string): string {
  const text = input.trim()
  if (!text) return ''
  const exact = options.find(({ value }) => value === text)
  const byValue = () => options.find(({ value }) => compare(value, text) === 0)
  const byText = () => options.find((option) => [option.text, option.name].some((label) => compare(label, text) === 0))
  return (exact ?? byValue() ?? byText())?.value ?? ''
}

/** What the parent passes to a selector: its value, and the country that a region belongs to. */
export type ExternalValue = { value: string; country?: string | undefined }

/** The selection after the parent has passed something else. A changed country clears the region. */
export function selectionAfter(selection: string, before: ExternalValue, now: ExternalValue): string {
  if (now.value !== before.value) return now.value
  return now.country === before.country ? selection : ''
}
