import { onTestFinished, vi } from 'vitest'

/** As if these seconds had passed since the test began, for what a process has read and keeps for a while. */
export function ageValues(seconds: number) {
  const now = () => Date.now() - performance.timeOrigin + seconds * 1000
  const spy = vi.spyOn(performance, 'now').mockImplementation(now)
  onTestFinished(() => spy.mockRestore())
}
