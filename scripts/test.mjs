// npm test runs everything. `quick` (npm run check) leaves out what needs a browser or PostgreSQL. `--changed [REVISION]` runs
// only what a change since that revision (the last commit) can affect.
// A failed step does not stop the others. The last lines name every failed test; the very last one is the total.
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { affectedBy, changedFiles } from './affected.mjs'
import { run } from './child.mjs'
import { fetchPackages } from './debian.mjs'
import { missingForFailover, testedDrills } from './drills.mjs'
import { findChromium, missingBrowsers, missingEngines } from './find.mjs'
import { importGraph } from './imports.mjs'
import { findPostgres, startPostgres } from './postgres.mjs'
import { buildWeb, prepare } from './prepare.mjs'
import { countDrills, countJourneys, countTests, formatCounts, lastLines } from './results.mjs'

/**
 * Server tests that run on both databases: those of the database itself (schema, migrations, backups, the commands on it), and of
 * what many requests and processes do to the same rows (reservations, leases, refunds, counters). PGlite has one connection, where
 * PostgreSQL has many. A rule that reads and writes its own rows gives the same answers on both, so PostgreSQL is enough.
 * The demo has only the embedded database.
 */
const onBoth = [
  ...['server/db/', 'server/cli/db.test', 'server/cli/load.test', '/jobs.test', '/janitor.test'],
  ...['enrollment/enrollment.test', 'enrollment/reservation.test', 'payments/payments.test', 'payments/refunds.test'],
  ...['abuse/limits.test', 'server/events/', 'demo/'],
]

const [mode, revision] = process.argv.slice(2)
if (![undefined, 'quick', '--changed'].includes(mode)) {
  console.error('npm test [-- --changed [REVISION]]')
  process.exit(2)
}
const quick = mode === 'quick'
const isTerminal = process.stdout.isTTY
const reports = 'node_modules/.cache/foyer-test'
const results = []
let engines

let isInterrupted = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => (isInterrupted = true))

const { node } = await prepare({ forDevelopment: true })
mkdirSync(reports, { recursive: true })
/** The test files to run. Without `--changed`, there is no list, and all of them run. */
const affected = mode === '--changed' ? affectedBy(changedFiles(revision), importGraph()) : {}

await step('format and lint', () =>
  tool('node_modules/@biomejs/biome/bin/biome', 'ci', '.', `--colors=${isTerminal ? 'force' : 'off'}`),
)
await step('types', () => tool('node_modules/typescript/bin/tsc', '--noEmit'))
await step('web build', async () => oneTest('web build', await buildWeb({ node })))
await step('unit tests', () => vitest('unit', { only: affected.unit }))
const mayInstall = !quick && (await installMissing())
// Missing after we could install it: a failure. Missing because we may not install it: skipped.
const without = (what) => (mayInstall ? fail : skip)(`There is no ${what} on this machine.`)
// Firefox and WebKit mostly wait for their drivers, so they run beside the server tests, and print when those have ended.
if (!quick) engines = inEngines().catch((error) => () => fail(error.message))
// PostgreSQL runs every server test. The embedded database then runs only those that depend on the database itself.
await step('server tests, embedded database', () => vitest('embedded', { only: onEmbedded() }))
if (!quick) {
  await step('server tests, PostgreSQL', () => (hasPostgres() ? onPostgres() : without('PostgreSQL')))
  await step('journeys in Firefox and WebKit', async () => (await engines)())
  await step('journeys in Chromium', () => (findChromium() ? playwright() : without('Chromium')))
  await step('drills, short form', () =>
    findPostgres() && findChromium() ? drill() : without('local PostgreSQL, or no Chromium,'),
  )
  if (missingForFailover().length) await step('drill of a failover', () => without(missingForFailover().join(', no ')))
}

console.log(`\n${lastLines(results).join('\n')}`)
process.exit(results.some(({ failures }) => failures?.length) ? 1 : 0)

async function step(name, work) {
  console.log(`\n── ${name} ──`)
  const startedAt = Date.now()
  const result = await work().catch((error) => fail(error.message))
  if (isInterrupted) {
    await engines // they also clean up
    process.exit(130)
  }
  results.push({ name, ...result })
  console.log(`── ${name}: ${formatCounts(result)}, ${((Date.now() - startedAt) / 1000).toFixed(1)} s`)
}

function oneTest(name, code) {
  return code ? { failures: [name] } : { passed: 1 }
}

async function tool(program, ...args) {
  return oneTest(program.split('/').at(-1), await run(node, [program, ...args]))
}

async function fail(reason) {
  console.error(`FAILED: ${reason}`)
  return { failures: [reason] }
}

async function skip(reason) {
  console.error(`SKIPPED: ${reason}`)
  return { skipped: 1 }
}

/** Nothing to run is not the same as no list, which means everything. */
function isNothing(only) {
  return only?.length === 0
}

async function nothing() {
  console.log('The change affects nothing here.')
  return {}
}

async function vitest(project, { env, only, stdio } = {}) {
  if (isNothing(only)) return nothing()
  const report = `${reports}/${project}.json`
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const color = isTerminal ? '--color' : '--no-color'
  const args = ['run', ...(only ?? []), `--project=${project}`, '--allowOnly=false', color, ...reporters]
  return runAndCount(report, ['node_modules/vitest/vitest.mjs', ...args], { env, stdio }, countTests)
}

function onEmbedded() {
  const whole = quick || !hasPostgres()
  if (!affected.server) return whole ? undefined : onBoth
  return affected.server.filter((file) => whole || onBoth.some((part) => file.includes(part)))
}

/** Runs in the background. Returns a function that prints the output and returns the result. */
async function inEngines() {
  if (isNothing(affected.engines)) return nothing
  if (missingEngines().length) return () => without('Firefox, or no WebKitGTK with its driver and Xvfb,')
  const log = `${reports}/engines.log`
  const output = openSync(log, 'w')
  const result = await vitest('engines', { only: affected.engines, stdio: ['ignore', output, output] })
  closeSync(output)
  return async () => {
    process.stdout.write(readFileSync(log))
    return result
  }
}

async function onPostgres() {
  const only = affected.server
  if (isNothing(only)) return nothing()
  if (process.env.DATABASE_URL_TEST) return vitest('postgres', { only })
  const postgres = await startPostgres({ onlyForTests: true })
  const result = await vitest('postgres', { only, env: { DATABASE_URL_TEST: postgres.url } })
  postgres.stop()
  return result
}

async function playwright() {
  if (isNothing(affected.journeys)) return nothing()
  const report = `${reports}/journeys.json`
  const env = { PLAYWRIGHT_JSON_OUTPUT_FILE: report, PW_DISABLE_TS_ESM: '1' } // Node strips types in a third of the time
  const args = ['test', ...(affected.journeys ?? []), '--forbid-only', '--reporter=list,json']
  return runAndCount(report, ['node_modules/@playwright/test/cli.js', ...args], { env }, countJourneys)
}

async function drill() {
  if (affected.drills === false) return nothing()
  const report = `${reports}/drills.json`
  const possible = missingForFailover().length ? testedDrills.filter((name) => name !== 'failover') : testedDrills
  const args = ['drill/main.ts', ...possible, '--short', '--json', report]
  return runAndCount(report, args, {}, countDrills)
}

/** A run that exits with an error but names no failed test, or leaves no report, counts as one failed test. */
async function runAndCount(report, args, { env, stdio }, count) {
  rmSync(report, { force: true })
  // Both runners clean up after SIGINT, whichever signal we got.
  const code = await run(node, ['--liftoff-only', ...args], { env, stdio, stopBy: 'SIGINT' })
  const result = existsSync(report) ? count(JSON.parse(readFileSync(report, 'utf8'))) : { failures: ['no report'] }
  return code && !result.failures.length ? { ...result, failures: [`${args[0]} ended with ${code}`] } : result
}

/** Installs what the whole test needs. Returns whether it was allowed to. */
function installMissing() {
  const database = hasPostgres() ? [] : ['postgresql']
  const packages = [...database, ...missingBrowsers(), ...missingEngines(), ...missingForFailover()]
  return fetchPackages([...new Set(packages)])
}

function hasPostgres() {
  return process.env.DATABASE_URL_TEST || findPostgres()
}
