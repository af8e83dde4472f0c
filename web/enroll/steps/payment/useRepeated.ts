import { useEffect, useEffectEvent } from 'react'

/** Repeats `work` while `isOn`, with a pause before each run. */
export function useRepeated(isOn: boolean, work: () => Promise<unknown>, pauseMs: number, firstPauseMs = pauseMs) {
  const run = useEffectEvent(work)
  useEffect(() => {
    if (!isOn) return
    let timer: ReturnType<typeof setTimeout>
    let isOver = false
    const runAgain = async () => {
      await run()
      if (!isOver) timer = setTimeout(runAgain, pauseMs)
    }
    timer = setTimeout(runAgain, firstPauseMs)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [isOn, pauseMs, firstPauseMs])
}
