import { useEffect, useEffectEvent } from 'react'

const MINUTE_MS = 60_000

/** Runs `work` unless it ran too recently. */
export function atMostEvery(ms: number, work: () => void, now = Date.now): () => void {
  let last = now()
  return () => {
    if (now() - last < ms) return
    last = now()
    work()
  }
}

/** Typing counts as activity. Reports it at most once a minute, as precisely as the server tracks it. */
export function useTyping(onTyping: () => void) {
  useEffect(() => {
    const onInput = atMostEvery(MINUTE_MS, onTyping)
    addEventListener('input', onInput)
    return () => removeEventListener('input', onInput)
  }, [onTyping])
}

/** Every minute while the page is in sight, and whenever it comes back into sight. */
export function useRefresh(refresh: () => void) {
  const look = useEffectEvent(() => {
    if (document.visibilityState === 'visible') refresh()
  })
  useEffect(() => {
    const again = () => look()
    const timer = setInterval(again, MINUTE_MS)
    addEventListener('focus', again)
    document.addEventListener('visibilitychange', again)
    return () => {
      clearInterval(timer)
      removeEventListener('focus', again)
      document.removeEventListener('visibilitychange', again)
    }
  }, [])
}
