import { useEffect, useEffectEvent } from 'react'

/** Does something so many milliseconds from now; undefined takes it back. */
export function useTimeout(work: () => unknown, wait: number | undefined) {
  const act = useEffectEvent(work)
  useEffect(() => {
    if (wait === undefined) return
    const timer = setTimeout(() => act(), wait)
    return () => clearTimeout(timer)
  }, [wait])
}
