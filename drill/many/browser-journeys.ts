import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { allStepsSettings, testSettings } from '../../e2e/start-sites.ts'
import { freePort } from '../../scripts/port.mjs'
import type { Drill, ReportRow } from '../drill.ts'
import type { Backend } from '../site/backends.ts'
import { startSandbox } from '../site/processes.ts'
import type { Workspace } from '../site/workspace.ts'
import { type Cluster, PROCESSES, startCluster } from './process-cluster.ts'

const migrations = new URL('../../server/db/migrations/', import.meta.url)

/** Starts four processes at the same time on an empty database, twice, and runs the browser journeys on both clusters. */
export const browserJourneys: Drill = async (run, backend) => {
  run.showProgress(backend.name, 'many · starting on an empty database')
  const standard = await openEmpty(backend, {})
  const withAllSteps = await openEmpty(backend, allStepsSettings)
  const startRow = await checkStart([standard.cluster, withAllSteps.cluster])
  run.showProgress(backend.name, 'many · journeys')
  const journeys = await runJourneys(standard.workspace, {
    BASE_URL: standard.cluster.url,
    BASE_URL_ALL_STEPS: withAllSteps.cluster.url,
  })
  for (const line of journeys.notes) run.print(`  ${line}`)
  await Promise.all([standard.close(), withAllSteps.close()])
  return [
    startRow,
    {
      action: 'browser journeys in Chromium, with a phone screen, on both clusters',
      expected: 'all pass',
      result: `${journeys.passed} passed${journeys.flaky ? `, ${journeys.flaky} of them on the second try` : ''}, ${journeys.failed} failed`,
      passed: journeys.passed > 0 && journeys.failed === 0,
    },
  ]
}

async function openEmpty(backend: Backend, settings: Record<string, string>) {
  const workspace = await backend.createWorkspace()
  const database = await workspace.open()
  await sql`drop schema public cascade`.execute(database.db)
  await sql`create schema public`.execute(database.db)
  await database.close()
  const sandbox = await startSandbox(workspace)
  const options = { workspace, sandbox, port: await freePort(), settings: testSettings }
  const cluster = await startCluster(options, { settings: { NODE_ENV: 'development', ...settings } })
  const close = async () => {
    await cluster.kill()
    await sandbox.kill()
    await workspace.remove()
  }
  return { workspace, cluster, close }
}

/** In each cluster one process migrates, one loads the sample data, and all use the same signing key. */
async function checkStart(clusters: Cluster[]): Promise<ReportRow> {
  const files = (await readdir(migrations)).filter((name) => name.endsWith('.sql')).length
  const countLines = (cluster: Cluster, pattern: RegExp) => cluster.output().match(pattern)?.length ?? 0
  const migrationCounts = clusters.map((cluster) => countLines(cluster, /applied \S+\.sql/g))
  const sampleCounts = clusters.map((cluster) => countLines(cluster, /loaded the sample/g))
  const keyCounts = await Promise.all(
    clusters.map(async (cluster) => {
      const sets = await Promise.all(cluster.processes().map(({ url }) => fetch(`${url}/.well-known/jwks.json`)))
      return new Set(await Promise.all(sets.map((reply) => reply.text()))).size
    }),
  )
  return {
    action: `${clusters.length} × ${PROCESSES} processes start at the same time on an empty database, through PgBouncer`,
    expected: `all become ready; ${files} migrations applied once, sample data loaded once, one key`,
    result: `all ready; migrations applied: ${migrationCounts.join(' and ')}, sample data loaded: ${sampleCounts.join(' and ')}, keys: ${keyCounts.join(' and ')}`,
    passed:
      migrationCounts.every((count) => count === files) &&
      [...sampleCounts, ...keyCounts].every((count) => count === 1),
  }
}

/** Needs a third site with another captcha, which does not depend on the number of processes. */
const EXCLUDED = '5.7 a vendor'

type Spec = { title: string; ok: boolean; tests: { status: string }[] }
type Suite = { specs?: Spec[]; suites?: Suite[] }
type Report = { stats: { expected: number; flaky: number; unexpected: number }; suites: Suite[] }

async function runJourneys(workspace: Workspace, sites: Record<string, string>) {
  const report = join(workspace.folder, 'journeys.json')
  const cli = 'node_modules/@playwright/test/cli.js'
  const args = ['test', '--project=phone', `--grep-invert=${EXCLUDED}`, '--reporter=json']
  const env = { ...process.env, ...sites, PLAYWRIGHT_JSON_OUTPUT_FILE: report }
  await once(spawn(process.execPath, [cli, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] }), 'exit')
  if (!existsSync(report)) return { passed: 0, flaky: 0, failed: 0, notes: ['the journeys wrote no report'] }
  const { stats, suites }: Report = JSON.parse(readFileSync(report, 'utf8'))
  const flakySpecs = specsOf(suites).filter(({ tests }) => tests.some(({ status }) => status === 'flaky'))
  const failedSpecs = specsOf(suites).filter(({ ok }) => !ok)
  return {
    passed: stats.expected + stats.flaky,
    flaky: stats.flaky,
    failed: stats.unexpected,
    notes: [
      ...failedSpecs.map(({ title }) => `failed: ${title}`),
      ...flakySpecs.map(({ title }) => `passed only on the second try: ${title}`),
    ],
  }
}

const specsOf = (suites: Suite[] = []): Spec[] =>
  suites.flatMap(({ specs = [], suites: inner }) => [...specs, ...specsOf(inner)])
