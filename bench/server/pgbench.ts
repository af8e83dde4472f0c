import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findPostgres } from '../../scripts/postgres.mjs'
import type { RecordedStatement } from './preload/record-statements.ts'

const execute = promisify(execFile)

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
/** How many digits of a visitor's own value are random. */
const DIGITS = 12

/** 'simple' is the default of pgbench: it sends each statement as text, which is parsed and planned every time. */
type Mode = 'simple' | 'prepared'

/**
 * Turns the statements of one enrollment into a pgbench script. Values that differ in a second enrollment are the
 * visitor's own. They become random values of the same length, which stay the same within one run of the script.
 */
export function createScript(first: RecordedStatement[], second: RecordedStatement[], mode: Mode): string {
  if (textOf(first) !== textOf(second)) throw new Error('Two enrollments ran different statements.')
  const pairs = first.flatMap(({ values }, index) =>
    values.map((value, position) => ({ value: String(value), other: String(second[index]?.values[position]) })),
  )
  const ownValues = pairs.filter(({ value, other }) => value !== other && !TIME.test(value) && !value.startsWith('{'))
  const ownIds = pairs.flatMap(({ value, other }) => (value.match(UUID) ?? []).filter((id) => !other.includes(id)))
  const own = [...new Set([...ownValues.map(({ value }) => value), ...ownIds])].sort((a, b) => b.length - a.length)
  const replacements = own.map((value, index) => [value, randomized(value, `own${index}`)] as const)
  const toSql = (value: unknown, other: unknown) => {
    if (value === null || value === undefined) return 'null'
    if (TIME.test(String(value))) return timeToSql(String(value), value === other ? undefined : first[0]?.at)
    let text = String(value)
      .replaceAll("'", "''")
      .replaceAll(/:(?=\w)/g, ': ') // pgbench would take `:name` for a variable
    for (const [from, to] of replacements) text = text.replaceAll(from, to)
    return mode === 'prepared' ? toExpression(text) : `'${text}'`
  }
  const statements = first.map(({ text, values }, index) => {
    const line = text.replaceAll(/--.*/g, '').replaceAll(/\s+/g, ' ')
    const others = second[index]?.values
    return `${line.replaceAll(/\$(\d+)/g, (_, number) => toSql(values[number - 1], others?.[number - 1]))};`
  })
  const variables = own.map((_, index) => `\\set own${index} random(1${'0'.repeat(DIGITS - 1)}, ${'9'.repeat(DIGITS)})`)
  return [...variables, ...statements].join('\n')
}

/** The statements without their values. */
export const textOf = (statements: RecordedStatement[]): string => statements.map(({ text }) => text).join('\n')

/** A time that depends on the visit becomes relative to now(). Written without colons, as in 093005, because of pgbench. */
const timeToSql = (time: string, visitedAt: number | undefined) =>
  visitedAt === undefined
    ? `'${time.replace('T', ' ').replaceAll(':', '')}'`
    : `(now() + interval '${Date.parse(time) - visitedAt} milliseconds')`

/** A value of the same length that ends in a pgbench variable. A UUID stays a UUID. */
const randomized = (value: string, variable: string): string =>
  value.match(UUID)?.[0] === value
    ? `${value.slice(0, -DIGITS)}:${variable}`
    : `${value.slice(0, Math.max(0, value.length - DIGITS)).replaceAll(/[^a-z0-9]/gi, 'x')}:${variable}`

/** With prepared statements, pgbench does not replace variables inside quotes, so they are concatenated. */
function toExpression(text: string): string {
  const parts = text.split(/(:own\d+)/)
  if (parts.length === 1) return `'${text}'`
  const joined = parts.map((part, index) => (index % 2 ? `cast(${part} as text)` : `'${part}'`)).join(' || ')
  return `cast(${joined} as ${RANDOMIZED_UUID.test(text) ? 'uuid' : /^[{[]/.test(text) ? 'jsonb' : 'text'})`
}
const RANDOMIZED_UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-:own\d+$/

type Options = {
  script: string
  mode: Mode
  /** Where the script is written. */
  folder: string
  database: string
  connections: number
  seconds: number
}

/** Returns how often per second the script ran. */
export async function runPgbench({ script, mode, folder, database, connections, seconds }: Options): Promise<number> {
  const bin = findPostgres()
  if (!bin) throw new Error('pgbench is not installed.')
  const file = join(folder, 'enrollment.sql')
  writeFileSync(file, script)
  const { hostname, port, username, pathname } = new URL(database)
  const options = ['-n', '-M', mode, '-c', String(connections), '-j', '2', '-T', String(seconds), '-f', file]
  const target = ['-h', hostname, '-p', port, '-U', username, pathname.slice(1)]
  const { stdout } = await execute(join(bin, 'pgbench'), [...options, ...target]).catch((error: { stderr: string }) => {
    throw new Error(`pgbench failed: ${error.stderr.slice(0, 500)}`)
  })
  const failed = /number of failed transactions: (\d+)/.exec(stdout)
  const rate = /tps = ([\d.]+) \(without initial connection time\)/.exec(stdout)
  if (!rate || (failed && failed[1] !== '0')) throw new Error(`pgbench failed:\n${stdout}`)
  return Number(rate[1])
}
