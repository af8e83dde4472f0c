import { areUnitedStates, regionOptions } from './country-options.ts'
import { type PlaceProps, PlaceSelect } from './PlaceSelect.tsx'
import { useCountries } from './useCountries.ts'

/** One of the regions of a country, by its short code or, without one, its name. `topCountry` has no effect here. */
export function RegionSelect(props: PlaceProps) {
  const { country, region, whiteList, blackList, shortCodeDropdown, topCountry, defaultValue = '', ...field } = props
  const { countries, ...rest } = field
  const source = useCountries(countries, areUnitedStates([country]))
  return (
    <PlaceSelect
      placeholder="Select Region"
      {...rest}
      options={regionOptions(source.countries, country, { whiteList, blackList, shortCodeDropdown })}
      handed={{ value: region ?? defaultValue, country }}
      source={source}
    />
  )
}
