import { useEffect, useEffectEvent, useState } from 'react'
import { allCountries, type Country, unitedStates } from '#contract/countries.ts'
import { log } from '#web/log.ts'

let fetched: readonly Country[] | undefined

/** While the others are not here, the United States are. */
export type Countries = {
  countries: readonly Country[]
  state: 'here' | 'loading' | 'failed'
  fetchAgain: () => void
}

/** The countries to choose from: those given, the United States where these are enough, or all, once they are fetched. */
export function useCountries(given: readonly Country[] | undefined, homeIsEnough: boolean): Countries {
  const [all, setAll] = useState(fetched)
  const [failed, setFailed] = useState(false)
  const here = given ?? (homeIsEnough ? [unitedStates] : all)
  const missing = !here

  const load = async () => {
    setFailed(false)
    try {
      fetched ??= await allCountries()
      setAll(fetched)
    } catch (cause) {
      log('The countries could not be fetched.', cause)
      setFailed(true)
    }
  }
  const loadFirst = useEffectEvent(load)
  useEffect(() => {
    if (missing) loadFirst()
  }, [missing])

  const state = here ? 'here' : failed ? 'failed' : 'loading'
  return { countries: here ?? [unitedStates], state, fetchAgain: load }
}
