// npm test runs everything. `quick` (npm run check) leaves out what needs a browser or PostgreSQL.
// A failed step does not stop the others. The last line is the total.
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { fetchPackages } from './debian.mjs'
import { testedDrills } from './drills.mjs'
import { findChromium, missingBrowsers, missingEngines } from './find.mjs'
import { findPostgres, startPostgres } from './postgres.mjs'
import { buildWeb, prepare, run } from './prepare.mjs'

/** Tests of the database itself: schema, transactions, leases, conflicts, counters. */
const onBoth = ['server/db', 'server/enrollment', 'server/payments', 'server/worker', 'server/cli', 'server/abuse']

const quick = process.argv[2] === 'quick'
const isTerminal = process.stdout.isTTY
const reports = 'node_modules/.cache/foyer-test'
const total = { passed: 0, failed: 0, skipped: 0 }
const failedSteps = []
let engines

let isInterrupted = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => (isInterrupted = true))

const { node } = await prepare()
mkdirSync(reports, { recursive: true })

await step('format and lint', () =>
  tool('node_modules/@biomejs/biome/bin/biome', 'ci', '.', `--colors=${isTerminal ? 'force' : 'off'}`),
)
await step('types', () => tool('node_modules/typescript/bin/tsc', '--noEmit'))
await step('web build', async () => oneTest(await buildWeb({ node })))
await step('unit tests', () => vitest('unit'))
const mayInstall = !quick && (await installMissing())
// Missing after we could install it: a failure. Missing because we may not install it: skipped.
const without = (what) => (mayInstall ? fail : skip)(`There is no ${what} on this machine.`)
// Firefox and WebKit mostly wait for their drivers, so they run beside the server tests, and print when those have ended.
if (!quick) engines = inEngines().catch((error) => () => fail(error.message))
// PostgreSQL runs every server test. The embedded database then runs only those that depend on the database itself.
await step('server tests, embedded database', () => vitest('embedded', { only: quick || !hasPostgres() ? [] : onBoth }))
if (!quick) {
  await step('server tests, PostgreSQL', () => (hasPostgres() ? onPostgres() : without('PostgreSQL')))
  await step('journeys in Firefox and WebKit', async () => (await engines)())
  await step('journeys in Chromium', () => (findChromium() ? playwright() : without('Chromium')))
  await step('drills, short form', () =>
    findPostgres() && findChromium() ? drill() : without('local PostgreSQL, or no Chromium,'),
  )
}

if (failedSteps.length) console.log(`\nFailed: ${failedSteps.join(' · ')}`)
console.log(`\n${formatCounts(total)}`)
process.exit(total.failed ? 1 : 0)

async function step(name, work) {
  console.log(`\n── ${name} ──`)
  const startedAt = Date.now()
  const result = await work().catch((error) => fail(error.message))
  if (isInterrupted) {
    await engines // they also clean up
    process.exit(130)
  }
  for (const key of Object.keys(total)) total[key] += result[key] ?? 0
  if (result.failed) failedSteps.push(name)
  console.log(`── ${name}: ${formatCounts(result)}, ${((Date.now() - startedAt) / 1000).toFixed(1)} s`)
}

function formatCounts({ passed = 0, failed = 0, skipped = 0 }) {
  return `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`
}

function oneTest(code) {
  return code ? { failed: 1 } : { passed: 1 }
}

async function tool(...args) {
  return oneTest(await run(node, args))
}

async function fail(reason) {
  console.error(`FAILED: ${reason}`)
  return { failed: 1 }
}

async function skip(reason) {
  console.error(`SKIPPED: ${reason}`)
  return { skipped: 1 }
}

async function vitest(project, { env, only = [], stdio } = {}) {
  const report = `${reports}/${project}.json`
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const color = isTerminal ? '--color' : '--no-color'
  const args = ['run', ...only, `--project=${project}`, '--allowOnly=false', color, ...reporters]
  return runAndCount(report, ['node_modules/vitest/vitest.mjs', ...args], { env, stdio }, (results) => ({
    passed: results.numPassedTests,
    failed: results.numFailedTests,
    skipped: results.numPendingTests + results.numTodoTests,
  }))
}

/** Runs in the background. Returns a function that prints the output and returns the result. */
async function inEngines() {
  if (missingEngines().length) return () => without('Firefox, or no WebKitGTK with its driver and Xvfb,')
  const log = `${reports}/engines.log`
  const output = openSync(log, 'w')
  const result = await vitest('engines', { stdio: ['ignore', output, output] })
  closeSync(output)
  return async () => {
    process.stdout.write(readFileSync(log))
    return result
  }
}

async function onPostgres() {
  if (process.env.DATABASE_URL_TEST) return vitest('postgres')
  const postgres = await startPostgres({ onlyForTests: true })
  const result = await vitest('postgres', { env: { DATABASE_URL_TEST: postgres.url } })
  postgres.stop()
  return result
}

async function playwright() {
  const report = `${reports}/journeys.json`
  const env = { PLAYWRIGHT_JSON_OUTPUT_FILE: report }
  const args = ['node_modules/@playwright/test/cli.js', 'test', '--forbid-only', '--reporter=list,json']
  return runAndCount(report, args, { env }, ({ stats, suites }) => {
    for (const title of flaky(suites)) console.log(`FLAKY, passed only on its second try: ${title}`)
    return { passed: stats.expected + stats.flaky, failed: stats.unexpected, skipped: stats.skipped }
  })
}

function flaky(suites = []) {
  return suites.flatMap(({ specs = [], suites }) => [
    ...specs.filter(({ tests }) => tests.some(({ status }) => status === 'flaky')).map(({ title }) => title),
    ...flaky(suites),
  ])
}

async function drill() {
  const report = `${reports}/drills.json`
  const args = ['drill/main.ts', ...testedDrills, '--short', '--json', report]
  return runAndCount(report, args, {}, (rows) => ({
    passed: rows.filter(({ passed }) => passed).length,
    failed: rows.filter(({ passed }) => !passed).length,
  }))
}

/** A run that exits with an error but names no failed test, or leaves no report, counts as one failed test. */
async function runAndCount(report, args, { env, stdio }, count) {
  rmSync(report, { force: true })
  // Both runners clean up after SIGINT, whichever signal we got.
  const code = await run(node, args, { env, stdio, stopBy: 'SIGINT' })
  const result = existsSync(report) ? count(JSON.parse(readFileSync(report, 'utf8'))) : { failed: 1 }
  return code && !result.failed ? { ...result, failed: 1 } : result
}

/** Installs what the whole test needs. Returns whether it was allowed to. */
function installMissing() {
  return fetchPackages([...(hasPostgres() ? [] : ['postgresql']), ...missingBrowsers(), ...missingEngines()])
}

function hasPostgres() {
  return process.env.DATABASE_URL_TEST || findPostgres()
}
