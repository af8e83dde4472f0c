import { useEffect, useEffectEvent, useState } from 'react'
import { log } from './log.ts'

export type Fetch<Data> = { data?: Data; state: 'loading' | 'loaded' | 'failed'; fetchAgain: () => void }

/** Data that is fetched once it is needed, and again on request. Earlier data stays if that fails. */
export function useFetched<Data>(name: string, fetchData: () => Promise<Data>, isNeeded = true): Fetch<Data> {
  const [fetched, setFetched] = useState<Omit<Fetch<Data>, 'fetchAgain'>>({ state: 'loading' })

  const load = async () => {
    setFetched((last) => ({ ...last, state: 'loading' }))
    try {
      setFetched({ data: await fetchData(), state: 'loaded' })
    } catch (cause) {
      log(`The ${name} could not be fetched.`, cause)
      setFetched((last) => ({ ...last, state: 'failed' }))
    }
  }
  const loadFirst = useEffectEvent(load)
  useEffect(() => {
    if (isNeeded) loadFirst()
  }, [isNeeded])

  return { ...fetched, fetchAgain: load }
}
