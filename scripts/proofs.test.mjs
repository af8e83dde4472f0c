// The ledger of long runs, in a git repository of its own.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { figures, listProofs, openLedger, parts, readProofs } from './proofs.mjs'

let root
const git = (...args) =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@mail.example', ...args], {
    cwd: root,
    encoding: 'utf8',
  })
const write = (file, text) => {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}
const commit = (file, text) => {
  write(file, text)
  git('add', '-A')
  git('commit', '-qm', 'Change')
}
const stateOf = (part) => listProofs(root).find((entry) => entry.part === part)
const run = { passed: 14, failed: 0, seconds: 61.4 }

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'foyer-proofs-'))
  git('init', '-q')
  commit('server/payments/payments.ts', '1')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

it('a run on a clean tree is recorded with commit, day, result and seconds', () => {
  expect(openLedger(root).record('drill kill', run)).toBeUndefined()
  expect(readProofs(root)).toEqual({
    'drill kill': {
      commit: git('rev-parse', 'HEAD').trim(),
      day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      result: '14 passed, 0 failed',
      seconds: 61,
    },
  })
  expect(stateOf('drill kill').state).toBe('current')
  expect(stateOf('drill race').state).toBe('never run')
})

it('several parts of one run are recorded, sorted, and only the newest run of each is kept', () => {
  const ledger = openLedger(root)
  const startUp = { measured: '870 ms', promise: '< 900 ms' }
  ledger.record('drill kill', { ...run, failed: 1 })
  ledger.record('bench startup', { ...run, figures: { 'start until ready': startUp } })
  ledger.record('drill kill', run)
  expect(Object.keys(readProofs(root))).toEqual(['bench startup', 'drill kill'])
  expect(readProofs(root)['drill kill'].result).toBe('14 passed, 0 failed')
  const day = readProofs(root)['bench startup'].day
  expect(figures(root)).toEqual([{ part: 'bench startup', goal: 'start until ready', day, ...startUp }])
})

it.each([
  ['before the run', true],
  ['during the run', false],
])('a run is not recorded if a file changes %s', (_, isBefore) => {
  if (isBefore) write('server/payments/payments.ts', '2')
  const ledger = openLedger(root)
  if (!isBefore) write('server/new.ts', '2')
  const file = isBefore ? 'server/payments/payments.ts' : 'server/new.ts'
  expect(ledger.record('drill kill', run)).toBe(`not committed: ${file}`)
  expect(ledger.problem).toBe(isBefore ? `not committed: ${file}` : undefined)
  expect(readProofs(root)).toEqual({})
})

it('a run is not recorded if there is a commit meanwhile, or no git at all', () => {
  const ledger = openLedger(root)
  commit('server/payments/payments.ts', '2')
  expect(ledger.record('drill kill', run)).toBe('there is a new commit')
  rmSync(join(root, '.git'), { recursive: true })
  expect(openLedger(root).record('drill kill', run)).toBe('this is not a git checkout')
})

it('covered code that changes makes a run stale, committed or not', () => {
  openLedger(root).record('drill kill', run)
  openLedger(root).record('bench console', run)
  git('add', '-A')
  git('commit', '-qm', 'Record a run')
  expect(stateOf('drill kill').state).toBe('current')
  write('server/payments/payments.ts', '2')
  expect(stateOf('drill kill')).toMatchObject({ state: 'stale', changed: ['server/payments/payments.ts'] })
  git('commit', '-qam', 'Change')
  expect(stateOf('drill kill').state).toBe('stale')
  expect(stateOf('bench console').state).toBe('stale')
})

it.each([
  'docs/guides/speed.md',
  'server/README.md',
  'server/payments/payments.test.ts',
  'server/console/members/members.ts',
  'proofs.json',
])('a change of %s does not make a money drill stale', (file) => {
  openLedger(root).record('drill kill', run)
  commit(file, file === 'proofs.json' ? readFileSync(join(root, file), 'utf8') : '2')
  expect(stateOf('drill kill').state).toBe('current')
})

it('a failed run and a run of a commit that is gone are not current', () => {
  openLedger(root).record('drill kill', { ...run, failed: 2 })
  expect(stateOf('drill kill').state).toBe('failed')
  const proofs = readProofs(root)
  write('proofs.json', JSON.stringify({ 'drill kill': { ...proofs['drill kill'], commit: '0'.repeat(40) } }))
  expect(stateOf('drill kill').state).toBe('stale')
})

it('the ledger names only parts that exist', () => {
  const names = parts.map(({ part }) => part)
  expect(Object.keys(readProofs()).filter((part) => !names.includes(part))).toEqual([])
})

it('what a part covers exists', () => {
  const paths = new Set(parts.flatMap(({ covers }) => covers).filter((path) => !path.startsWith('!')))
  expect([...paths].filter((path) => !existsSync(path))).toEqual([])
})
