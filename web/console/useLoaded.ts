import { useEffect, useEffectEvent, useState } from 'react'
import { errorMessage } from '#web/ui/errorMessage.ts'

export type Loaded<Data> = {
  data: Data | undefined
  error: string | undefined
  isLoading: boolean
  setData: (data: Data) => void
  reload: () => void
}

/** Loads what a screen shows, again whenever `key` changes. What was there before stays until the new data is there. */
export function useLoaded<Data>(key: string, load: () => Promise<Data>): Loaded<Data> {
  const [state, setState] = useState<{ key?: string; data?: Data; error?: string }>({})
  const [round, setRound] = useState(0)
  const start = useEffectEvent(load)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round loads the same again
  useEffect(() => {
    let isCurrent = true
    start().then(
      (data) => isCurrent && setState({ key, data }),
      (cause: unknown) => isCurrent && setState((last) => ({ ...last, key, error: errorMessage(cause) })),
    )
    return () => {
      isCurrent = false
    }
  }, [key, round])
  return {
    data: state.data,
    error: state.error,
    isLoading: state.key !== key,
    setData: (data) => setState({ key, data }),
    reload: () => setRound((last) => last + 1),
  }
}
