import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Column, table } from '../drill/report-table.ts'
import { lighthouse } from './lighthouse.ts'
import { describeMachine } from './machine.ts'
import { page } from './page/page.ts'
import { picture } from './picture.ts'
import type { Bench, Part, Row } from './row.ts'
import { enrollment } from './server/enrollment.ts'
import { growth } from './server/growth.ts'
import { memory } from './server/memory.ts'
import { reads } from './server/reads.ts'
import { startup } from './server/startup.ts'
import { unhashed } from './server/unhashed-enrollment.ts'

/** What can be measured, in the order in which everything is. */
const parts: Record<string, Part> = { page, lighthouse, startup, reads, enrollment, unhashed, growth, memory }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { short: { type: 'boolean' }, json: { type: 'string' } },
})
const { short = false, json } = values
if (positionals.some((name) => !(name in parts))) {
  console.error(`npm run bench -- [${Object.keys(parts).join(' | ')}] [--short] [--json FILE]`)
  process.exit(2)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

type Line = Row & { part: string }

const columns: Column<Line>[] = [
  { head: 'part', maxWidth: 12, format: ({ part }) => part },
  { head: 'goal', maxWidth: 26, format: ({ goal }) => goal },
  { head: 'promise', maxWidth: 22, format: ({ promise }) => promise },
  { head: 'measured', maxWidth: 24, format: ({ measured }) => measured },
  { head: 'beside it, in the same run', maxWidth: 44, format: ({ beside }) => beside },
  { head: 'spread', maxWidth: 24, format: ({ spread }) => spread },
  { head: '', maxWidth: 4, format: ({ passed }) => (passed ? 'pass' : 'FAIL') },
]

const say = (line: string) => console.log(line)
const figures: Record<string, unknown> = {}
const bench: Bench = {
  short,
  say,
  keep: (part, found) => {
    figures[part] = found
  },
}

const started = new Date()
const machine = describeMachine()
const chosen = Object.entries(parts).filter(([name]) => !positionals.length || positionals.includes(name))
const rows: Line[] = []
for (const [name, part] of chosen) {
  const begun = performance.now()
  rows.push(...(await measured(part)).map((row) => ({ part: name, ...row })))
  say(`${name}: ${Math.round((performance.now() - begun) / 1000)} s`)
}

/** A part that breaks off has kept nothing. */
async function measured(part: Part): Promise<Row[]> {
  try {
    return await part(bench)
  } catch (error) {
    say(error instanceof Error ? String(error.stack) : String(error))
    const nothing = { promise: '', measured: 'see above', beside: '', spread: '', ratio: undefined }
    return [{ goal: 'broke off', ...nothing, passed: false }]
  }
}

say('')
for (const line of table(columns, rows)) say(line)
const { processor, cores, memory_gb, node, chromium } = machine
say(`\n${processor}, ${cores} cores, ${memory_gb} GB, Node ${node}, Chromium ${chromium}`)
if (short) say('A short run shows that everything runs; its times say little.')

const result = { date: started.toISOString(), short, machine, rows, figures }
/** Small enough to keep: a line for each list of numbers, and no more digits than mean something. */
const written = `${JSON.stringify(result, (_, value) => (typeof value === 'number' ? Number(value.toPrecision(5)) : value), 2).replaceAll(/\[[\d\s.,e-]+\]/g, (list) => list.replaceAll(/\s+/g, ' '))}\n`
const results = join(import.meta.dirname, 'results')
if (json) writeFileSync(json, written)
if (!short) {
  mkdirSync(results, { recursive: true })
  const file = join(results, `${result.date.slice(0, 16).replaceAll(':', '')}.json`)
  writeFileSync(file, written)
  say(`Kept in ${file}`)
}
if (!short && 'page' in figures) writeFileSync(join(import.meta.dirname, 'picture.svg'), picture(result))

const failed = rows.filter(({ passed }) => !passed).length
say(`${rows.length - failed} passed, ${failed} failed`)
process.exit(failed ? 1 : 0)
