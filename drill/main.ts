import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { abuse } from './abuse/abuse.ts'
import { type Ground, type Part, type Row, rowsOf, type Scale } from './drill.ts'
import { search } from './leak-search/leak-search.ts'
import { many } from './many/many.ts'
import { office } from './office/office.ts'
import { crashPoints } from './payments/crashes.ts'
import { duplicates } from './payments/duplicates.ts'
import { gatewayFaults } from './payments/gateway-faults.ts'
import { provenGuards } from './payments/guards.ts'
import { kill } from './payments/kill.ts'
import { race } from './payments/race.ts'
import { progress, say } from './progress-line.ts'
import { type Column, table } from './report-table.ts'
import { embeddedGround, postgresGround } from './site/backends.ts'
import { warmUp } from './site/processes.ts'

/** What can be drilled, in the order in which everything is. */
const parts: Record<string, Part> = {
  duplicates,
  race,
  faults: gatewayFaults,
  guards: provenGuards,
  points: crashPoints,
  kill,
  search,
}
/** Long ones of their own: only when they are asked for. */
const apart: Record<string, Part> = { abuse, office, many }
const grounds = { postgres: postgresGround, embedded: embeddedGround }
const all = { ...parts, ...apart }
const names = Object.keys(all)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean' },
    keep: { type: 'boolean' },
    only: { type: 'string' },
    json: { type: 'string' },
  },
})
const { short = false, keep = false, only, json } = values
if (positionals.some((name) => !(name in all)) || (only !== undefined && !(only in grounds))) {
  console.error(`npm run drill -- [${names.join(' | ')}] [--short] [--only postgres|embedded] [--keep] [--json FILE]`)
  process.exit(2)
}

const home = mkdtempSync(join(tmpdir(), 'foyer-drill-'))
process.once('exit', () => (keep ? console.log(`Kept: ${home}`) : rmSync(home, { recursive: true, force: true })))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

type Line = Row & { part: string; database: string }

const columns: Column<Line>[] = [
  { head: 'part', widest: 12, tell: ({ part }) => part },
  { head: 'database', widest: 12, tell: ({ database }) => database },
  { head: 'done', widest: 64, tell: ({ done }) => done },
  { head: 'asked for', widest: 64, tell: ({ asked }) => asked },
  { head: 'found', widest: 64, tell: ({ found }) => found },
  { head: '', widest: 4, tell: ({ passed }) => (passed ? 'pass' : 'FAIL') },
]

const drill: Scale = { short, progress, say }
const chosen = Object.entries(all).filter(([name]) => (positionals.length ? positionals.includes(name) : name in parts))
const rows: Line[] = []

async function drillPart(name: string, part: Part, ground: Ground) {
  const started = performance.now()
  const found = await rowsOf(part, drill, ground)
  const seconds = Math.round((performance.now() - started) / 1000)
  const database = ground.name
  for (const row of found) {
    rows.push({ part: name, database, ...row })
    say(`${row.passed ? 'pass' : 'FAIL'} ${name} · ${database}: ${row.done}: ${row.found}`)
  }
  say(`${name} · ${database}: ${seconds} s`)
}

/** The databases side by side, since a drill waits more than it works; the parts one after another. */
async function drillGround(ground: Ground) {
  for (const [name, part] of chosen) await drillPart(name, part, ground)
}

const started = performance.now()
say('preparing the databases …')
const wanted = Object.entries(grounds).filter(([name]) => !only || only === name)
const ready = await Promise.all(wanted.map(([, make]) => make({ home, keep })))
if (ready[0]) await warmUp(ready[0])
await Promise.all(ready.map(drillGround))

say('')
rows.sort((a, b) => names.indexOf(a.part) - names.indexOf(b.part))
for (const line of table(columns, rows)) say(line)
if (json) writeFileSync(json, JSON.stringify(rows, null, 2))
const failed = rows.filter(({ passed }) => !passed).length
say(`\n${rows.length - failed} passed, ${failed} failed, ${((performance.now() - started) / 60_000).toFixed(1)} min`)
process.exit(failed ? 1 : 0)
