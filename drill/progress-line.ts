const isTerminal = process.stdout.isTTY
const INTERVAL_MS = 10_000
let lastPrintTime = Number.NEGATIVE_INFINITY
let hasProgressLine = false

const progressOf = new Map<string, string>()

/** Updates one progress line for all databases. Without a terminal it prints a line every ten seconds. */
export function showProgress(database: string, text: string): void {
  progressOf.set(database, text)
  const line = [...progressOf].map(([name, progress]) => `${name} ${progress}`).join(' │ ')
  if (isTerminal) {
    process.stdout.write(`\r\u001b[K${line.slice(0, process.stdout.columns - 1)}`)
    hasProgressLine = true
  } else if (performance.now() - lastPrintTime > INTERVAL_MS) {
    lastPrintTime = performance.now()
    console.log(line)
  }
}

/** Prints a permanent line. */
export function print(line: string): void {
  if (hasProgressLine) process.stdout.write('\r\u001b[K')
  hasProgressLine = false
  console.log(line)
}
