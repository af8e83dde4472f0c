import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findPostgres } from '../../scripts/postgres.mjs'
import type { Noted } from './noting.ts'

const run = promisify(execFile)

/** Somebody else's numbers in place of the second, third … visitor's own: twelve digits are random. */
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const DIGITS = 12

/**
 * The statements of one visitor as a script of pgbench. A second visitor's statements tell which values are everybody's;
 * the others become random ones of the same length, the same within one run of the script.
 */
export function scriptOf(one: Noted[], other: Noted[], mode: Mode): string {
  if (shapeOf(one) !== shapeOf(other)) throw new Error('Two enrollments ran different statements.')
  const values = one.flatMap(({ values }, at) =>
    values.map((value, place) => ({ value: String(value), again: String(other[at]?.values[place]) })),
  )
  const own = values.filter(({ value, again }) => value !== again && !TIME.test(value) && !value.startsWith('{'))
  const inside = values.flatMap(({ value, again }) => (value.match(UUID) ?? []).filter((id) => !again.includes(id)))
  const words = [...new Set([...own.map(({ value }) => value), ...inside])].sort((a, b) => b.length - a.length)
  const standIns = new Map(words.map((word, index) => [word, standIn(word, `own${index}`)]))
  const filledIn = (value: unknown, again: unknown) => {
    if (value === null || value === undefined) return 'null'
    if (TIME.test(String(value))) return timeOf(String(value), value === again ? undefined : one[0]?.at)
    let text = String(value)
      .replaceAll("'", "''")
      .replaceAll(/:(?=\w)/g, ': ') // a colon begins a variable
    for (const [word, other] of standIns) text = text.replaceAll(word, other)
    return mode === 'prepared' ? expressionOf(text) : `'${text}'`
  }
  const statements = one.map(({ text, values }, at) => {
    const line = text.replaceAll(/--.*/g, '').replaceAll(/\s+/g, ' ')
    return `${line.replaceAll(/\$(\d+)/g, (_, place) => filledIn(values[place - 1], other[at]?.values[place - 1]))};`
  })
  const random = words.map((_, index) => `\\set own${index} random(1${'0'.repeat(DIGITS - 1)}, ${'9'.repeat(DIGITS)})`)
  return [...random, ...statements].join('\n')
}

/** The statements without their values. */
export const shapeOf = (noted: Noted[]): string => noted.map(({ text }) => text).join('\n')

/** What counts from the moment of the visit does so for everybody. Without colons: 093005 is a time as well. */
const timeOf = (time: string, visited: number | undefined) =>
  visited === undefined
    ? `'${time.replace('T', ' ').replaceAll(':', '')}'`
    : `(now() + interval '${Date.parse(time) - visited} milliseconds')`

/** As long as the word, with a random end; what must be a UUID still is one. */
const standIn = (word: string, name: string): string =>
  word.match(UUID)?.[0] === word
    ? `${word.slice(0, -DIGITS)}:${name}`
    : `${word.slice(0, Math.max(0, word.length - DIGITS)).replaceAll(/[^a-z0-9]/gi, 'x')}:${name}`

/** Put together where a number of pgbench's own stands in it, which within quotes would not be one. */
function expressionOf(text: string): string {
  const parts = text.split(/(:own\d+)/)
  if (parts.length === 1) return `'${text}'`
  const joined = parts.map((part, place) => (place % 2 ? `cast(${part} as text)` : `'${part}'`)).join(' || ')
  return `cast(${joined} as ${UUID_TO_BE.test(text) ? 'uuid' : /^[{[]/.test(text) ? 'jsonb' : 'text'})`
}
const UUID_TO_BE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-:own\d+$/

/** 'simple' sends each statement as a text that is read and planned anew, as pgbench does unless it is told. */
type Mode = 'simple' | 'prepared'

type Running = {
  script: string
  folder: string
  database: string
  connections: number
  seconds: number
  mode: Mode
}

/** Runs of the script per second. */
export async function pgbench({ script, folder, database, connections, seconds, mode }: Running): Promise<number> {
  const bin = findPostgres()
  if (!bin) throw new Error('There is no pgbench on this machine.')
  const file = join(folder, 'enrollment.sql')
  writeFileSync(file, script)
  const { hostname, port, username, pathname } = new URL(database)
  const to = ['-h', hostname, '-p', port, '-U', username, pathname.slice(1)]
  const how = ['-n', '-M', mode, '-c', String(connections), '-j', '2', '-T', String(seconds), '-f', file]
  const { stdout } = await run(join(bin, 'pgbench'), [...how, ...to]).catch((error: { stderr: string }) => {
    throw new Error(`pgbench broke off: ${error.stderr.slice(0, 500)}`)
  })
  const failed = /number of failed transactions: (\d+)/.exec(stdout)
  const perSecond = /tps = ([\d.]+) \(without initial connection time\)/.exec(stdout)
  if (!perSecond || (failed && failed[1] !== '0')) throw new Error(`pgbench failed:\n${stdout}`)
  return Number(perSecond[1])
}
