import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Column, table } from '../drill/report-table.ts'
import { type coverage, openLedger } from '../scripts/proofs.mjs'
import { drawChart } from './chart.ts'
import { lighthouse } from './lighthouse.ts'
import { describeMachine } from './machine.ts'
import { page } from './page/page.ts'
import type { Bench, Part, Row } from './part.ts'
import { cluster } from './server/cluster.ts'
import { consoleLists } from './server/console.ts'
import { enrollment } from './server/enrollment.ts'
import { enrollmentWithoutHash } from './server/enrollment-without-hash.ts'
import { feed } from './server/feed.ts'
import { growth } from './server/growth.ts'
import { idle } from './server/idle.ts'
import { memory } from './server/memory.ts'
import { killPrograms } from './server/programs/programs.ts'
import { provider } from './server/provider.ts'
import { reads } from './server/reads.ts'
import { renewals } from './server/renewals.ts'
import { startup } from './server/startup.ts'

/** In the order in which they run. */
const parts: Record<keyof typeof coverage.bench, Part> = {
  page,
  lighthouse,
  startup,
  idle,
  reads,
  enrollment,
  unhashed: enrollmentWithoutHash,
  growth,
  renewals,
  console: consoleLists,
  provider,
  memory,
  feed,
  cluster,
}

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

type PartRow = Row & { part: string }

const columns: Column<PartRow>[] = [
  { head: 'part', maxWidth: 12, format: ({ part }) => part },
  { head: 'goal', maxWidth: 26, format: ({ goal }) => goal },
  { head: 'promise', maxWidth: 22, format: ({ promise }) => promise },
  { head: 'measured', maxWidth: 24, format: ({ measured }) => measured },
  { head: 'beside it, in the same run', maxWidth: 44, format: ({ beside }) => beside },
  { head: 'spread', maxWidth: 24, format: ({ spread }) => spread },
  { head: '', maxWidth: 4, format: ({ passed }) => (passed ? 'pass' : 'FAIL') },
]

const log = (line: string) => console.log(line)
const figures: Record<string, unknown> = {}
const bench: Bench = {
  short,
  log,
  saveFigures: (part, partFigures) => {
    figures[part] = partFigures
  },
}

const startedAt = new Date()
const machine = describeMachine()
const chosenParts = Object.entries(parts).filter(([name]) => !positionals.length || positionals.includes(name))
const rows: PartRow[] = []
const ledger = openLedger()
if (!short && ledger.problem) log(`Nothing will be recorded in proofs.json: ${ledger.problem}`)
for (const [name, part] of chosenParts) {
  const start = performance.now()
  const results = await run(part)
  const seconds = (performance.now() - start) / 1000
  rows.push(...results.map((row) => ({ part: name, ...row })))
  log(`${name}: ${Math.round(seconds)} s`)
  if (!short) recordProof(name, results, seconds)
}

function recordProof(name: string, results: Row[], seconds: number) {
  const passed = results.filter((row) => row.passed).length
  const figures = Object.fromEntries(
    results.map(({ goal, measured, promise, beside, spread }) => [goal, { measured, promise, beside, spread }]),
  )
  const problem = ledger.record(`bench ${name}`, { passed, failed: results.length - passed, seconds, figures })
  log(problem ? `${name} is not recorded in proofs.json: ${problem}` : `${name} is recorded in proofs.json`)
}

/** A part that throws becomes a failed row, and the others still run. */
async function run(part: Part): Promise<Row[]> {
  try {
    return await part(bench)
  } catch (error) {
    log(error instanceof Error ? String(error.stack) : String(error))
    const empty = { promise: '', beside: '', spread: '', ratio: undefined }
    return [{ ...empty, goal: 'stopped with an error', measured: 'see above', passed: false }]
  } finally {
    await killPrograms()
  }
}

log('')
for (const line of table(columns, rows)) log(line)
const { processor, cores, memory_gb, node, chromium } = machine
log(`\n${processor}, ${cores} cores, ${memory_gb} GB, Node ${node}, Chromium ${chromium}`)
if (short) log('A short run only shows that everything runs; its times mean little.')

const result = { date: startedAt.toISOString(), short, machine, rows, figures }
if (json) writeFileSync(json, format(result))
if (!short && 'page' in figures) writeFileSync(join(import.meta.dirname, 'picture.svg'), drawChart(result))

/** JSON with five digits per number and one line per list of numbers, to keep the file small. */
function format(value: object): string {
  const round = (_: string, item: unknown) => (typeof item === 'number' ? Number(item.toPrecision(5)) : item)
  const text = JSON.stringify(value, round, 2)
  return `${text.replaceAll(/\[[\d\s.,e-]+\]/g, (list) => list.replaceAll(/\s+/g, ' '))}\n`
}

const failed = rows.filter(({ passed }) => !passed).length
log(`${rows.length - failed} passed, ${failed} failed`)
process.exit(failed ? 1 : 0)
