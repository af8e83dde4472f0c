import { areUnitedStates, countryOptions } from './country-options.ts'
import { LocationSelect, type LocationSelectProps } from './LocationSelect.tsx'
import { useCountries } from './useCountries.ts'

/** A country by its short code. `region` has no effect here. */
export function CountrySelect(props: LocationSelectProps) {
  const { country, region, whiteList, blackList, shortCodeDropdown, topCountry, defaultValue = '', ...field } = props
  const { countries, ...rest } = field
  const source = useCountries(countries, whiteList !== undefined && areUnitedStates([...whiteList, topCountry]))
  return (
    <LocationSelect
      placeholder="Select Country"
      canClear
      {...rest}
      options={countryOptions(source.countries, { whiteList, blackList, shortCodeDropdown, topCountry })}
      external={{ value: country ?? defaultValue }}
      source={source}
    />
  )
}
