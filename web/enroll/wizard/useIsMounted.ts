import { useEffect, useRef } from 'react'

/** Whether the step is still on screen. A late answer must not act on a step that was left. */
export function useIsMounted() {
  const isMounted = useRef(true)
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])
  return isMounted
}
