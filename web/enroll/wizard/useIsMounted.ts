import { useEffect, useRef } from 'react'

/** Whether the step is still on screen. A late response must not act on a step that the visitor has left. */
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
