import { useEffect, useEffectEvent, useState } from 'react'
import { log } from './log.ts'

export type Fetch<Found> = { found?: Found; state: 'loading' | 'here' | 'failed'; fetchAgain: () => void }

/** Something that is fetched as soon as it is missing, and again when it is asked for. What was found before stays. */
export function useFetched<Found>(what: string, bring: () => Promise<Found>, isMissing = true): Fetch<Found> {
  const [fetched, setFetched] = useState<Omit<Fetch<Found>, 'fetchAgain'>>({ state: 'loading' })

  const load = async () => {
    setFetched((before) => ({ ...before, state: 'loading' }))
    try {
      setFetched({ found: await bring(), state: 'here' })
    } catch (cause) {
      log(`The ${what} could not be fetched.`, cause)
      setFetched((before) => ({ ...before, state: 'failed' }))
    }
  }
  const loadFirst = useEffectEvent(load)
  useEffect(() => {
    if (isMissing) loadFirst()
  }, [isMissing])

  return { ...fetched, fetchAgain: load }
}
