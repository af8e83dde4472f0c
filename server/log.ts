import type { FastifyBaseLogger } from 'fastify'
import { type Logger, pino } from 'pino'
import { isCardNumber } from '#contract/card.ts'
import { KEY_PREFIX } from '#contract/connect/keys.ts'

export type Log = FastifyBaseLogger

/** Request bodies and headers are never logged. As a second line of defense, card numbers and API keys are removed from every line. */
export const createLog = (level: string, sink: NodeJS.WritableStream = process.stdout): Logger =>
  pino(
    { level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: summarize } },
    scrubbingStream(sink),
  )

/** Lines that could not be written, for /metrics. */
export const lostLines = { count: 0 }

/** Writes once per event loop turn. Lines are lost if the disk is full or the pipe is closed. */
function scrubbingStream(sink: NodeJS.WritableStream) {
  let lines: string[] = []
  let isLosing = false
  if (!sink.listeners('error').includes(ignoreError)) sink.on('error', ignoreError)
  const flush = () => {
    const { length } = lines
    const separator = isLosing ? '\n' : '' // the last write may have ended within a line
    if (length) sink.write(separator + lines.join(''), (error) => trackLoss(length, error))
    lines = []
  }
  const trackLoss = (length: number, error?: Error | null) => {
    if (error) lostLines.count += length
    if (error && !isLosing) console.error(`Foyer: cannot write the log, lines are lost: ${error.message}`)
    isLosing = Boolean(error)
  }
  return {
    write(line: string) {
      if (lines.push(scrub(line)) === 1) setImmediate(flush)
    },
    flush,
  }
}

/** Each write reports its own error. */
const ignoreError = () => undefined

/** Only these properties, because a database error also has the query and its parameters. */
const summarize = (error: unknown) =>
  error instanceof Error
    ? { type: error.name, message: error.message, code: 'code' in error ? error.code : undefined, stack: error.stack }
    : { message: String(error) }

/** Digits with few characters in between. Also matches UUIDs, so that their digits are skipped. */
const DIGITS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d(?:(?:[\s._+/\u2010-\u2015-]|%20|%2D){0,3}\d){12,}/gi
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const LENGTHS = [19, 16, 15, 13]
const REMOVED = '[card number]'

/** Replaces card numbers and API keys. A line of JSON stays valid JSON. */
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

/** An API key, or a part of one, however it got there. */
const API_KEY = new RegExp(`${KEY_PREFIX.replaceAll('_', '(?:_|%5F)')}[0-9A-Za-z]+`, 'gi')

const scrubText = (text: string): string =>
  text.replace(API_KEY, '[API key]').replace(DIGITS, (run) => {
    if (UUID.test(run) || /^\d+\.\d+$/.test(run)) return run
    const digits = run.replace(/%20|%2D/gi, '').replace(/\D/g, '')
    for (let from = 0; from < digits.length; from++)
      if (LENGTHS.some((length) => isCardNumber(digits.slice(from, from + length)))) return REMOVED
    return run
  })
