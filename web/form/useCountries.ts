import { allCountries, type Country, unitedStates } from '#contract/countries.ts'
import { type Fetch, useFetched } from '#web/useFetched.ts'

let all: readonly Country[] | undefined

const fetchAll = async () => {
  all ??= await allCountries()
}

/** While the others are not here, the United States are. */
export type Countries = { countries: readonly Country[] } & Pick<Fetch<unknown>, 'state' | 'fetchAgain'>

/** The countries to choose from: those given, the United States where these are enough, or all, once they are fetched. */
export function useCountries(given: readonly Country[] | undefined, homeIsEnough: boolean): Countries {
  const here = given ?? (homeIsEnough ? [unitedStates] : all)
  const { state, fetchAgain } = useFetched('countries', fetchAll, !here)
  return { countries: here ?? [unitedStates], state: here ? 'here' : state, fetchAgain }
}
