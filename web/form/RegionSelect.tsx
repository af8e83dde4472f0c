import { areUnitedStates, regionOptions } from './country-options.ts'
import { LocationSelect, type LocationSelectProps } from './LocationSelect.tsx'
import { useCountries } from './useCountries.ts'

/** A region by its short code, or by its name if it has none. `topCountry` has no effect here. */
export function RegionSelect(props: LocationSelectProps) {
  const { country, region, whiteList, blackList, shortCodeDropdown, topCountry, defaultValue = '', ...field } = props
  const { countries, ...rest } = field
  const source = useCountries(countries, areUnitedStates([country]))
  return (
    <LocationSelect
      placeholder="Select Region"
      {...rest}
      options={regionOptions(source.countries, country, { whiteList, blackList, shortCodeDropdown })}
      external={{ value: region ?? defaultValue, country }}
      source={source}
    />
  )
}
