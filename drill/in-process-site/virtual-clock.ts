type Sleeper = { at: number; wake: () => void }

const START = Date.parse('2026-11-15T12:00:00Z')

export type VirtualClock = ReturnType<typeof createVirtualClock>

/**
 * A clock that stops while any task works. When all tasks sleep, it jumps to the next wake-up time, so hours pass as
 * fast as the work allows and in the same order every time.
 */
export function createVirtualClock() {
  let time = START
  let busyCount = 0
  let sleepers: Sleeper[] = []
  let onIdle = () => {}

  const markIdle = () => {
    busyCount -= 1
    if (!busyCount) onIdle()
  }
  const advance = () => {
    const next = Math.min(...sleepers.map(({ at }) => at))
    const due = sleepers.filter(({ at }) => at === next)
    sleepers = sleepers.filter(({ at }) => at !== next)
    time = next
    busyCount += due.length
    for (const { wake } of due) wake()
  }

  return {
    now: () => new Date(time),
    elapsedSeconds: () => (time - START) / 1000,
    /** Only inside a task of `runAll`. In whole seconds, so that tasks wake up together. */
    sleep: (seconds: number): Promise<void> =>
      new Promise((wake) => {
        sleepers.push({ at: time + Math.max(Math.ceil(seconds), 1) * 1000, wake })
        markIdle()
      }),
    /** Runs all tasks to their end. */
    async runAll(tasks: (() => Promise<void>)[]): Promise<void> {
      busyCount += tasks.length
      const end = Promise.all(tasks.map((task) => task().finally(markIdle)))
      end.catch(() => undefined)
      while (busyCount || sleepers.length) {
        if (busyCount)
          await new Promise<void>((resolve) => {
            onIdle = resolve
          })
        if (sleepers.length) advance()
      }
      await end
    },
  }
}
