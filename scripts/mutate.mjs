/**
 * Takes one behavior away at a time, in a copy of this folder, and expects the test of its requirement to fail.
 * `npm run mutate` tries all, `npm run mutate -- S4.20 S5` those of a requirement or a section.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mutations } from './mutations.mjs'

const wanted = process.argv.slice(2)
const isWanted = (id) => wanted.some((start) => id === start || id.startsWith(`${start}.`))
const chosen = mutations.filter(({ ids }) => !wanted.length || ids.some(isWanted))
const root = join(import.meta.dirname, '..')

/** The files that git knows or would take, as they are now; installed packages are linked. */
function copyOfTree() {
  const copy = mkdtempSync(join(tmpdir(), 'foyer-mutate-'))
  const list = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  for (const file of list.stdout.toString().split('\0').filter(Boolean))
    if (existsSync(join(root, file))) cpSync(join(root, file), join(copy, file), { recursive: true })
  for (const linked of ['node_modules', 'dist']) link(copy, linked)
  return copy
}

function link(copy, name) {
  rmSync(join(copy, name), { recursive: true, force: true })
  if (existsSync(join(root, name))) symlinkSync(join(root, name), join(copy, name))
}

const vitest = (project) => (results, test, only) => [
  ...['node_modules/vitest/vitest.mjs', 'run', `--project=${project}`, test, '--reporter=json'],
  ...[`--outputFile=${results}`, ...(only ? ['-t', only] : [])],
]

/** Server tests run on the embedded database unless DATABASE_URL_TEST names a server. */
const commands = {
  unit: vitest('unit'),
  server: vitest(process.env.DATABASE_URL_TEST ? 'postgres' : 'embedded'),
  journey: (_, test, only) => [
    ...['node_modules/@playwright/test/cli.js', 'test', test, '--project=phone', '--reporter=json', '-g', only],
  ],
}

/** A mutation can make a test run forever. */
const TEST_MS = 600_000

const specsOf = ({ specs = [], suites = [] }) => [...specs, ...suites.flatMap(specsOf)]

/** The titles of the tests that failed. A file that can't be read has none: what it says is thrown. */
function failedTests(copy, { project, test, only }) {
  const results = join(copy, 'results.json')
  rmSync(results, { force: true })
  const env = { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: results }
  const run = spawnSync(process.execPath, commands[project](results, test, only), { cwd: copy, env, timeout: TEST_MS })
  if (!existsSync(results)) throw new Error(run.error ? 'the test did not end in time' : `no result: ${run.stderr}`)
  const report = JSON.parse(readFileSync(results, 'utf8'))
  const tests = report.testResults?.flatMap(({ assertionResults }) => assertionResults) ?? specsOf(report)
  const failed = tests.filter(({ status, ok }) => status === 'failed' || ok === false).map(({ title }) => title)
  if (!failed.length && run.status)
    throw new Error((report.testResults ?? report.errors).map((r) => r.message).join('\n'))
  return failed
}

/** A journey needs the pages with the mutation in them. */
function buildPages(copy) {
  rmSync(join(copy, 'dist'), { recursive: true, force: true })
  const build = "const { buildWeb } = await import('./scripts/prepare.mjs'); await buildWeb({ node: process.execPath })"
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', build], { cwd: copy })
  if (status) throw new Error(`the pages can’t be built: ${stderr}`)
}

/** What became of a mutation: the first test that failed, or why none did. */
function tryMutation(copy, mutation) {
  const path = join(copy, mutation.file)
  const text = readFileSync(path, 'utf8')
  if (text.split(mutation.text).length !== 2) return { problem: `${mutation.file} doesn’t have this text once` }
  writeFileSync(
    path,
    text.replace(mutation.text, () => mutation.by),
  )
  try {
    if (mutation.project === 'journey') buildPages(copy)
    const [first] = failedTests(copy, mutation)
    return first ? { first } : { problem: `${mutation.test} stays green` }
  } catch (error) {
    return { problem: error.message.split('\n')[0] }
  } finally {
    writeFileSync(path, text)
    if (mutation.project === 'journey') link(copy, 'dist')
  }
}

const copy = copyOfTree()
let problems = 0
try {
  console.log('| Requirement | Taken away | Test that failed |\n|---|---|---|')
  for (const mutation of chosen) {
    const { first, problem } = tryMutation(copy, mutation)
    if (problem) problems++
    console.log(`| ${mutation.ids.join(' ')} | ${mutation.takenAway} | ${problem ? `**none: ${problem}**` : first} |`)
  }
} finally {
  rmSync(copy, { recursive: true })
}
console.log(`\n${chosen.length - problems} of ${chosen.length} mutations were noticed.`)
process.exitCode = problems || !chosen.length ? 1 : 0
