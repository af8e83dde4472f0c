import { Writable } from 'node:stream'
import type { FastifyBaseLogger } from 'fastify'
import { pino } from 'pino'
import { isCardNumber } from '#contract/card.ts'

export type Log = FastifyBaseLogger

/** The log. Bodies are never handed to it; whatever still looks like a card is taken out where the bytes leave us. */
export const createLog = (level: string, sink: NodeJS.WritableStream = process.stdout): Log =>
  pino(
    { level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime },
    new Writable({
      decodeStrings: false,
      write(line, _encoding, done) {
        sink.write(scrub(String(line)), () => done())
      },
    }),
  )

const SEPARATED_DIGITS = /\d(?:(?:[ ._+-]|%20)?\d){12,}/g
const LENGTHS = [19, 16, 15, 13]

/** Replaces every run of digits that is a card number of one of the four brands. */
export const scrub = (text: string): string =>
  text.replace(SEPARATED_DIGITS, (run) => {
    const digits = run.replaceAll('%20', '').replace(/\D/g, '')
    for (let from = 0; from < digits.length; from++)
      if (LENGTHS.some((length) => isCardNumber(digits.slice(from, from + length)))) return '[card number]'
    return run
  })
