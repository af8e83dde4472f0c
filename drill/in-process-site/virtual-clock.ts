type Sleeper = { at: number; wake: () => void }

const START = Date.parse('2026-11-15T12:00:00Z')

export type TurnedClock = ReturnType<typeof turnedClock>

/**
 * A clock that stands still while anybody is busy, and jumps to the next moment for which somebody waits when nobody is.
 * Hours pass in the time that the work takes, in an order that is the same every time.
 */
export function turnedClock() {
  let time = START
  let busy = 0
  let sleepers: Sleeper[] = []
  let everybodyWaits = () => {}

  const rest = () => {
    busy -= 1
    if (!busy) everybodyWaits()
  }
  const turn = () => {
    const next = Math.min(...sleepers.map(({ at }) => at))
    const due = sleepers.filter(({ at }) => at === next)
    sleepers = sleepers.filter(({ at }) => at !== next)
    time = next
    busy += due.length
    for (const { wake } of due) wake()
  }

  return {
    now: () => new Date(time),
    /** Seconds since it was started. */
    passed: () => (time - START) / 1000,
    /** Only for lives that `live` has begun. In whole seconds, so that people meet. */
    sleep: (seconds: number): Promise<void> =>
      new Promise((wake) => {
        sleepers.push({ at: time + Math.max(Math.ceil(seconds), 1) * 1000, wake })
        rest()
      }),
    /** Lets all of them live to their end. */
    async live(lives: (() => Promise<void>)[]): Promise<void> {
      busy += lives.length
      const lived = lives.map((life) => life().finally(rest))
      const ended = Promise.all(lived)
      ended.catch(() => undefined)
      while (busy || sleepers.length) {
        if (busy)
          await new Promise<void>((resolve) => {
            everybodyWaits = resolve
          })
        if (sleepers.length) turn()
      }
      await ended
    },
  }
}
