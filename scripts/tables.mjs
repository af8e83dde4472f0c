/** Writes the tables in documents that copy code or results: `node scripts/tables.mjs`. A test fails when one is out of date. */
import { readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import * as z from 'zod/mini'
import { permissions, roles } from '../contract/console/permissions.ts'
import { eventTypes } from '../contract/events.ts'
import { figures, readProofs } from './proofs.mjs'

const table = (...rows) => rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
const head = (...cells) => [cells, cells.map(() => '---')]

const lowerFirst = (text) => text[0].toLowerCase() + text.slice(1)
const whoMay = ({ roles: names }) => (names.length === roles.length ? 'all' : names.join(', '))
const rolesTable = () =>
  table(
    ...head('Roles', 'May'),
    ...[...Map.groupBy(Object.values(permissions), whoMay)].map(([names, granted]) => [
      names,
      granted.map(({ text }) => lowerFirst(text)).join('; '),
    ]),
  )

/** A table with no rows but its head would say nothing. */
const orNothing = (rows) =>
  rows.length > 2 ? table(...rows) : 'No run of this version is recorded yet: `npm run bench`.'

/** A part with more goals than this is one row. */
const MOST_GOALS = 8
const summarize = (part, rows) =>
  rows.length > MOST_GOALS
    ? [{ goal: `${part}: ${rows.length} goals`, measured: readProofs()[part].result }]
    : mergeEqual(rows)
/** Goals that differ only in their name are one row. */
const mergeEqual = (rows) =>
  [...Map.groupBy(rows, ({ goal: _, ...rest }) => JSON.stringify(rest)).values()].map((equal) => ({
    ...equal[0],
    goal: equal.map(({ goal }) => goal).join(', '),
  }))
const allFigures = () =>
  orNothing([
    ...head('Goal', 'Promise', 'Measured', 'Beside'),
    ...[...Map.groupBy(figures(), ({ part }) => part)]
      .flatMap(([part, rows]) => summarize(part, rows))
      .map(({ goal, promise = '', measured, beside = '' }) => [goal, promise, measured, beside.split(';')[0]]),
  ])

const FIRST_FIGURES = [
  'largest paint',
  'step change, from press to paint',
  'first-load JavaScript, brotli',
  'start until ready',
]
const firstFigures = () =>
  orNothing([
    ...head('Goal', 'Measured', 'Beside'),
    ...figures()
      .filter(({ goal }) => FIRST_FIGURES.includes(goal))
      .map(({ goal, measured, beside }) => [goal, measured, beside ?? '']),
  ])

const eventsTable = () =>
  table(
    ...head('Type', 'What happened', 'Payload'),
    ...Object.entries(eventTypes).map(([type, { meaning, payload }]) => [
      `\`${type}\``,
      meaning,
      fieldsOf(payload).join('<br>'),
    ]),
  )

/** `name`, with the values that it can have. */
const fieldsOf = (payload) =>
  Object.entries(z.toJSONSchema(payload).properties).map(([name, field]) => {
    const values = name === 'state' ? [] : (field.enum ?? [])
    const inside = field.items?.properties ? Object.keys(field.items.properties) : []
    const isNullable = field.anyOf?.some(({ type }) => type === 'null')
    const notes = [...values, ...inside.map((each) => `\`${each}\``), ...(isNullable ? ['may be null'] : [])]
    return `\`${name}\`${notes.length ? `: ${notes.join(', ')}` : ''}`
  })

const asvsTable = (state) => () =>
  table(
    ...head('Number', 'Requirement', 'Foyer'),
    ...parse(readFileSync('docs/guides/asvs.csv'), { columns: true })
      .filter((row) => row.state === state)
      .map(({ numbers, requirement, remark }) => [numbers, requirement, remark]),
  )

const tables = {
  'README.md': { figures: firstFigures },
  'docs/guides/asvs.md': {
    partly: asvsTable('Partly met'),
    operator: asvsTable('Left to you'),
    different: asvsTable('Different on purpose'),
  },
  'docs/guides/console.md': { roles: rolesTable },
  'docs/guides/events.md': { events: eventsTable },
  'docs/guides/speed.md': { figures: allFigures },
}
export const documents = Object.keys(tables)

/** The document with its tables as they should be. */
export const withTables = (file) =>
  Object.entries(tables[file]).reduce(
    (text, [name, make]) => {
      const [start, end] = [`<!-- ${name}: node scripts/tables.mjs -->\n`, `\n<!-- /${name} -->`]
      if (!text.includes(start) || !text.includes(end)) throw new Error(`${file} has no place for ${name}.`)
      return text.replace(new RegExp(`(?<=${start})[^]*?(?=${end})`), () => make())
    },
    readFileSync(file, 'utf8'),
  )

if (import.meta.main) for (const file of documents) writeFileSync(file, withTables(file))
