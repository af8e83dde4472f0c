import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type coverage, openLedger } from '../scripts/proofs.mjs'
import { abuse } from './abuse/abuse.ts'
import { commission } from './commission/commission.ts'
import { type Drill, type DrillRun, type ReportRow, runDrill } from './drill.ts'
import { failover } from './failover/failover.ts'
import { feed } from './feed/feed.ts'
import { importing } from './import/import.ts'
import { leakSearch } from './leak-search/leak-search.ts'
import { many } from './many/many.ts'
import { office } from './office/office.ts'
import { paymentDrills } from './payments/payments.ts'
import { print, showProgress } from './progress-line.ts'
import { provider } from './provider/provider.ts'
import { renewals } from './renewals/renewals.ts'
import { type Column, table } from './report-table.ts'
import { type Backend, embeddedBackend, postgresBackend } from './site/backends.ts'

/** What runs without a name on the command line, in this order. */
const defaultDrills = { ...paymentDrills, search: leakSearch }
/** Long drills, which run only by name. */
const namedDrills = { renewals, abuse, office, many, provider, feed, import: importing, commission, failover }
const backends = { postgres: postgresBackend, embedded: embeddedBackend }
const allDrills: Record<keyof typeof coverage.drill, Drill> = { ...defaultDrills, ...namedDrills }
const names = Object.keys(allDrills)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean' },
    keep: { type: 'boolean' },
    only: { type: 'string' },
    json: { type: 'string' },
    seed: { type: 'string' },
    members: { type: 'string' },
  },
})
const { short = false, keep = false, only, json } = values
const seed = Number(values.seed ?? randomInt(1_000_000))
const members = values.members === undefined ? {} : { members: Number(values.members) }
if (positionals.some((name) => !(name in allDrills)) || (only !== undefined && !(only in backends))) {
  console.error(
    `npm run drill -- [${names.join(' | ')}] [--short] [--only postgres|embedded] [--seed N] [--members N] [--keep] [--json FILE]`,
  )
  process.exit(2)
}

const home = mkdtempSync(join(tmpdir(), 'foyer-drill-'))
process.once('exit', () => (keep ? console.log(`Kept: ${home}`) : rmSync(home, { recursive: true, force: true })))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

type NamedRow = ReportRow & { drill: string; database: string }

const columns: Column<NamedRow>[] = [
  { head: 'drill', maxWidth: 12, format: ({ drill }) => drill },
  { head: 'database', maxWidth: 12, format: ({ database }) => database },
  { head: 'action', maxWidth: 64, format: ({ action }) => action },
  { head: 'expected', maxWidth: 64, format: ({ expected }) => expected },
  { head: 'result', maxWidth: 64, format: ({ result }) => result },
  { head: '', maxWidth: 4, format: ({ passed }) => (passed ? 'pass' : 'FAIL') },
]

const run: DrillRun = { short, seed, ...members, showProgress, print }
const selection = Object.entries(allDrills).filter(([name]) =>
  positionals.length ? positionals.includes(name) : name in defaultDrills,
)
const rows: NamedRow[] = []
const isWhole = !short && !only && values.members === undefined
const ledger = openLedger()
const finished: { name: string; seconds: number }[] = []

/** The drills of one backend run one after another; the backends run side by side, because drills mostly wait. */
async function runAll(backend: Backend) {
  for (const [name, drill] of selection) await runNamed(name, drill, backend)
}

async function runNamed(name: string, drill: Drill, backend: Backend) {
  const startTime = performance.now()
  const newRows = await runDrill(drill, run, backend)
  const seconds = Math.round((performance.now() - startTime) / 1000)
  const database = backend.name
  for (const row of newRows) {
    rows.push({ drill: name, database, ...row })
    print(`${row.passed ? 'pass' : 'FAIL'} ${name} · ${database}: ${row.action}: ${row.result}`)
  }
  print(`${name} · ${database}: ${seconds} s`)
  finished.push({ name, seconds })
  if (isWhole) recordProof(name)
}

/** Once all databases are through. */
function recordProof(name: string) {
  const runs = finished.filter((run) => run.name === name)
  if (runs.length < preparedBackends.length) return
  const results = rows.filter(({ drill }) => drill === name)
  const passed = results.filter((row) => row.passed).length
  const seconds = Math.max(...runs.map((run) => run.seconds))
  const problem = ledger.record(`drill ${name}`, { passed, failed: results.length - passed, seconds })
  print(problem ? `${name} is not recorded in proofs.json: ${problem}` : `${name} is recorded in proofs.json`)
}

const startTime = performance.now()
if (isWhole && ledger.problem) print(`Nothing will be recorded in proofs.json: ${ledger.problem}`)
print('preparing the databases …')
const selectedBackends = Object.entries(backends).filter(([name]) => !only || only === name)
const preparedBackends: Backend[] = []
for (const [, prepare] of selectedBackends) preparedBackends.push(await prepare({ home, keep }))
await Promise.all(preparedBackends.map(runAll))

print('')
rows.sort((a, b) => names.indexOf(a.drill) - names.indexOf(b.drill))
for (const line of table(columns, rows)) print(line)
if (json) writeFileSync(json, JSON.stringify(rows, null, 2))
const failed = rows.filter(({ passed }) => !passed).length
print(
  `\n${rows.length - failed} passed, ${failed} failed, ${((performance.now() - startTime) / 60_000).toFixed(1)} min`,
)
process.exit(failed ? 1 : 0)
