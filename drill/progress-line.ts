const isTerminal = process.stdout.isTTY
const BEAT_MS = 10_000
let lastBeat = Number.NEGATIVE_INFINITY
let isDirty = false

const now = new Map<string, string>()

/** One line for all databases that is overwritten; where lines cannot be, one every ten seconds. */
export function progress(database: string, words: string): void {
  now.set(database, words)
  const line = [...now].map(([name, doing]) => `${name} ${doing}`).join(' │ ')
  if (isTerminal) {
    process.stdout.write(`\r\u001b[K${line.slice(0, process.stdout.columns - 1)}`)
    isDirty = true
  } else if (performance.now() - lastBeat > BEAT_MS) {
    lastBeat = performance.now()
    console.log(line)
  }
}

/** A line that stays. */
export function say(line: string): void {
  if (isDirty) process.stdout.write('\r\u001b[K')
  isDirty = false
  console.log(line)
}
