import { useEffect, useEffectEvent } from 'react'

/** Runs work after so many milliseconds; never if undefined. */
export function useTimeout(work: () => unknown, milliseconds: number | undefined) {
  const run = useEffectEvent(work)
  useEffect(() => {
    if (milliseconds === undefined) return
    const timer = setTimeout(() => run(), milliseconds)
    return () => clearTimeout(timer)
  }, [milliseconds])
}
