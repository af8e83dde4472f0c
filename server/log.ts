import type { FastifyBaseLogger } from 'fastify'
import { type Logger, pino } from 'pino'
import { isCardNumber } from '#contract/card.ts'

export type Log = FastifyBaseLogger

/** The log. Bodies are never handed to it; whatever still looks like a card is taken out where the bytes leave us. */
export const createLog = (level: string, sink: NodeJS.WritableStream = process.stdout): Logger =>
  pino(
    { level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: briefly } },
    scrubbed(sink),
  )

/** How many lines of this process nobody can read, for /metrics. */
export const lostLines = { count: 0 }

/** Lines go out together, once in each turn of the loop. Those that cannot, on a full disk or into a closed pipe, are lost. */
function scrubbed(sink: NodeJS.WritableStream) {
  let lines: string[] = []
  let isLosing = false
  sink.on('error', () => undefined) // each write hears of its own
  const flush = () => {
    const { length } = lines
    const torn = isLosing ? '\n' : '' // half a line may stand at the end
    if (length) sink.write(torn + lines.join(''), (error) => note(length, error))
    lines = []
  }
  const note = (length: number, error?: Error | null) => {
    if (error) lostLines.count += length
    if (error && !isLosing) console.error(`Foyer: the log cannot be written, so lines are lost: ${error.message}`)
    isLosing = Boolean(error)
  }
  return {
    write(line: string) {
      if (lines.push(scrub(line)) === 1) setImmediate(flush)
    },
    flush,
  }
}

/** Of an error only what helps to find it: a database's error also carries the statement and its values. */
const briefly = (error: unknown) =>
  error instanceof Error
    ? { type: error.name, message: error.message, code: 'code' in error ? error.code : undefined, stack: error.stack }
    : { message: String(error) }

/** Digits with little between them; ids and decimal places are passed over, they only look alike. */
const DIGITS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d(?:(?:[\s._+/\u2010-\u2015-]|%20|%2D){0,3}\d){12,}/gi
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const LENGTHS = [19, 16, 15, 13]
const REMOVED = '[card number]'

/** Replaces every card number of one of the four brands. A line of JSON stays one. */
export function scrub(line: string): string {
  const scrubbed = scrubText(line)
  if (scrubbed === line) return line
  try {
    const parsed = JSON.parse(line, (_key, value: unknown) =>
      typeof value === 'number' && scrubText(String(value)) === REMOVED ? REMOVED : value,
    )
    return `${scrubText(JSON.stringify(parsed))}\n`
  } catch {
    return scrubbed
  }
}

const scrubText = (text: string): string =>
  text.replace(DIGITS, (run) => {
    if (UUID.test(run) || /^\d+\.\d+$/.test(run)) return run
    const digits = run.replace(/%20|%2D/gi, '').replace(/\D/g, '')
    for (let from = 0; from < digits.length; from++)
      if (LENGTHS.some((length) => isCardNumber(digits.slice(from, from + length)))) return REMOVED
    return run
  })
