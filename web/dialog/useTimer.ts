import { useEffect, useEffectEvent, useRef } from 'react'

/**
 * A bar that runs out, and what happens then. The bar's animation is the clock: held, it stands still, and in a tab that
 * nobody looks at it does not run.
 */
export function useTimer(timer: number | undefined, held: boolean, onEnd: () => void) {
  const bar = useRef<HTMLDivElement>(null)
  const clock = useRef<Animation>(undefined)
  const end = useEffectEvent(onEnd)

  useEffect(() => {
    if (!timer || !bar.current) return
    const running = bar.current.animate({ scale: ['1 1', '0 1'] }, { duration: timer, fill: 'forwards' })
    running.onfinish = () => end()
    clock.current = running
    return () => running.cancel()
  }, [timer])

  useEffect(() => {
    if (held) clock.current?.pause()
    else if (clock.current?.playState === 'paused') clock.current.play()
  }, [held])

  return bar
}
