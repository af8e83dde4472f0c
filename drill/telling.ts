import type { Row } from './scale.ts'

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

const WIDEST = 64

/** The rows as a table that a terminal can show, long cells in several lines. */
export function table(rows: Row[]): string[] {
  const heads = ['part', 'database', 'done', 'asked for', 'found', '']
  const body = rows.map(({ part, database, done, asked, found, passed }) =>
    [part, database, done, asked, found, passed ? 'pass' : 'FAIL'].map((text) => wrap(text)),
  )
  const lines = [heads.map((head) => [head]), ...body]
  const widths = heads.map((_, column) =>
    Math.max(...lines.flatMap((cells) => (cells[column] ?? []).map(({ length }) => length))),
  )
  const rule = widths.map((width) => '─'.repeat(width)).join('─┼─')
  const shown = lines.map((cells) => {
    const height = Math.max(...cells.map(({ length }) => length))
    return Array.from({ length: height }, (_, line) =>
      cells
        .map((cell, column) => (cell[line] ?? '').padEnd(widths[column] ?? 0))
        .join(' │ ')
        .trimEnd(),
    )
  })
  return shown.flatMap((one, index) => (index ? [rule, ...one] : one))
}

function wrap(text: string): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line && line.length + word.length >= WIDEST) lines.push(word)
    else lines[lines.length - 1] = line ? `${line} ${word}` : word
  }
  return lines
}
