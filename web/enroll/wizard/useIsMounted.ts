import { useEffect, useRef } from 'react'

/** Whether the step is still on the screen: an answer that comes later is nobody's business there. */
export function useHere() {
  const here = useRef(true)
  useEffect(() => {
    here.current = true
    return () => {
      here.current = false
    }
  }, [])
  return here
}
