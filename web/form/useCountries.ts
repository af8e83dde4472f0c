import { allCountries, type Country, unitedStates } from '#contract/countries.ts'
import { type Fetch, useFetched } from '#web/useFetched.ts'

let allLoaded: readonly Country[] | undefined

const loadAll = async () => {
  allLoaded ??= await allCountries()
}

/** Until all countries are loaded, `countries` is only the United States. */
export type Countries = { countries: readonly Country[] } & Pick<Fetch<unknown>, 'state' | 'fetchAgain'>

/** The countries to choose from. Loads the list of all countries only if it is needed. */
export function useCountries(fixedList: readonly Country[] | undefined, onlyUnitedStates: boolean): Countries {
  const available = fixedList ?? (onlyUnitedStates ? [unitedStates] : allLoaded)
  const { state, fetchAgain } = useFetched('countries', loadAll, !available)
  return { countries: available ?? [unitedStates], state: available ? 'loaded' : state, fetchAgain }
}
