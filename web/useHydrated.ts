import { useSyncExternalStore } from 'react'

const never = () => () => undefined

/** False on the server and while hydrating: what depends on the browser is shown after that. */
export const useHydrated = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
