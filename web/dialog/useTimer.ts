import { useEffect, useEffectEvent, useRef } from 'react'

/** A shrinking bar that calls `onEnd`. Its animation is the clock, so it can be paused and stops in a background tab. */
export function useTimer(duration: number | undefined, isPaused: boolean, onEnd: () => void) {
  const bar = useRef<HTMLDivElement>(null)
  const animation = useRef<Animation>(undefined)
  const end = useEffectEvent(onEnd)

  useEffect(() => {
    if (!duration || !bar.current) return
    const running = bar.current.animate({ scale: ['1 1', '0 1'] }, { duration, fill: 'forwards' })
    running.onfinish = () => end()
    animation.current = running
    return () => running.cancel()
  }, [duration])

  useEffect(() => {
    if (isPaused) animation.current?.pause()
    else if (animation.current?.playState === 'paused') animation.current.play()
  }, [isPaused])

  return bar
}
