// The ledger of long runs, proofs.json: what each part of the drill and the bench showed, when, and on which commit.
// npm run proofs (scripts/proofs-list.mjs) lists it.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const LEDGER = 'proofs.json'

/** What visitors and members go through. A change in the console or in the tools of an operator does not affect it. */
const site = ['contract', 'server', '!contract/console', '!server/console', '!server/cli']
const packages = ['package-lock.json']
const money = [
  ...site,
  ...packages,
  'drill/fault-injection',
  'drill/payments',
  'drill/site',
  'drill/visitor',
  'web/enroll/steps/payment',
]
const inProcess = [...site, ...packages, 'drill/in-process-site', 'drill/site']
const pages = [...site, ...packages, 'web', '!web/console', 'vite.config.ts']
const withReads = [...site, ...packages, 'bench/server']
const onServer = [...withReads, '!bench/server/reads.ts', '!bench/server/programs/bare-server.ts']
const onMembers = ['contract', 'server', ...packages]
const onConsole = [...onMembers, 'bench/server']

/** The parts, and the code that each one covers: files and folders, without those that begin with an exclamation mark. */
export const coverage = {
  drill: {
    duplicates: money,
    race: money,
    faults: money,
    guards: money,
    points: money,
    kill: money,
    search: [...pages, 'drill/leak-search', 'e2e/visitor.ts'],
    renewals: [...site, ...packages, 'drill/renewals', 'drill/site'],
    abuse: [...inProcess, 'drill/abuse'],
    office: [...inProcess, 'drill/office'],
    provider: [...site, ...packages, 'drill/provider', 'drill/leak-search', 'emulators/provider'],
    feed: [...site, ...packages, 'drill/feed', 'drill/fault-injection', 'drill/site', 'drill/visitor'],
    import: [...site, ...packages, 'server/cli/import.ts', 'drill/import', 'drill/site'],
    commission: [...onMembers, 'drill/commission', 'drill/site'],
    failover: [
      ...[...site, ...packages, 'drill/cluster', 'drill/failover', 'drill/many', 'drill/site', 'drill/visitor'],
      ...['deploy', 'web/enroll/steps/payment'],
    ],
    many: [...pages, 'drill/many', 'drill/payments', 'drill/site', 'drill/visitor', 'deploy'],
  },
  bench: {
    page: [...pages, 'bench/page', 'bench/peers', 'bench/statistics.ts'],
    lighthouse: [...pages, 'bench/lighthouse.ts', 'bench/page'],
    startup: onServer,
    idle: onServer,
    reads: withReads,
    enrollment: onServer,
    unhashed: onServer,
    growth: onServer,
    renewals: onServer,
    console: onConsole,
    provider: [...onServer, 'emulators/provider'],
    memory: onServer,
    feed: onServer,
    cluster: [...onServer, 'drill/cluster', 'deploy/cluster'],
  },
}

/** All parts by their names in the ledger, such as `drill kill`. */
export const parts = Object.entries(coverage).flatMap(([command, ofCommand]) =>
  Object.entries(ofCommand).map(([name, covers]) => ({ part: `${command} ${name}`, covers })),
)

/** Documents and tests prove nothing by themselves, and a run changes the last two. */
const ignored = /\.md$|\.test\.\w+$|^(?:docs\/|proofs\.json$|bench\/picture\.svg$)/

const isCovered = (covers, file) => {
  const isIn = (path) => file === path || file.startsWith(`${path}/`)
  return !ignored.test(file) && covers.some(isIn) && !covers.some((path) => path.startsWith('!') && isIn(path.slice(1)))
}

/** The newest run of each part. */
export function readProofs(root = ROOT) {
  const file = join(root, LEDGER)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}

/** What the bench measured, for documents: every goal with its columns, its part and the day of the run. */
export function figures(root = ROOT) {
  const proofs = readProofs(root)
  return parts.flatMap(({ part }) => {
    const { figures = {}, day } = proofs[part] ?? {}
    return Object.entries(figures).map(([goal, columns]) => ({ part, goal, day, ...columns }))
  })
}

/**
 * Call this before a run. `record` writes a part's result down if the tree had no changes before and has none after it.
 * `problem` says why it will not.
 */
export function openLedger(root = ROOT) {
  const before = inspectTree(root)
  return {
    problem: before.problem,
    /**
     * Returns why it was not recorded, or nothing.
     * @param {string} part
     * @param {{ passed: number, failed: number, seconds: number, figures?: object }} run
     */
    record(part, { passed, failed, seconds, figures }) {
      const after = inspectTree(root)
      const problem =
        before.problem ?? after.problem ?? (before.commit === after.commit ? undefined : 'there is a new commit')
      if (problem) return problem
      const proof = {
        commit: before.commit,
        day: new Date().toISOString().slice(0, 10),
        ...(figures ? { figures } : {}),
        result: `${passed} passed, ${failed} failed`,
        seconds: Math.round(seconds),
      }
      writeFileSync(join(root, LEDGER), format({ ...readProofs(root), [part]: proof }))
    },
  }
}

function inspectTree(root) {
  try {
    const changed = changedFiles(root, 'HEAD').filter((file) => !ignored.test(file))
    const names = changed.slice(0, 3).join(', ')
    const more = changed.length > 3 ? ` and ${changed.length - 3} more` : ''
    return {
      commit: git(root, 'rev-parse', 'HEAD').trim(),
      problem: changed.length ? `not committed: ${names}${more}` : undefined,
    }
  } catch {
    return { problem: 'this is not a git checkout' }
  }
}

const git = (root, ...args) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

/** Files that differ between a commit and the working tree. */
function changedFiles(root, commit) {
  const differing = git(root, 'diff', '--name-only', '--no-renames', '-z', commit)
  const untracked = git(root, 'ls-files', '--others', '--exclude-standard', '-z')
  return `${differing}${untracked}`.split('\0').filter(Boolean)
}

/** Sorted, so that a new run changes only its own lines. */
function format(value) {
  const sort = (_, item) =>
    item && typeof item === 'object' && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item
  return `${JSON.stringify(value, sort, 2)}\n`
}

/** Every part with its newest run and its state: current, stale, failed, or never run. */
export function listProofs(root = ROOT) {
  const proofs = readProofs(root)
  const changedSince = new Map()
  const changesOf = (commit) => {
    if (!changedSince.has(commit)) changedSince.set(commit, tryChangedFiles(root, commit))
    return changedSince.get(commit)
  }
  return parts.map(({ part, covers }) => {
    const proof = proofs[part]
    if (!proof) return { part, covers, state: 'never run', changed: [] }
    const changes = changesOf(proof.commit)
    const changed = changes?.filter((file) => isCovered(covers, file)) ?? []
    const isStale = !changes || changed.length
    return {
      part,
      covers,
      proof,
      changed,
      state: isStale ? 'stale' : / 0 failed$/.test(proof.result) ? 'current' : 'failed',
    }
  })
}

/** Undefined if there is no such commit any more. */
function tryChangedFiles(root, commit) {
  try {
    return changedFiles(root, commit)
  } catch {
    return undefined
  }
}
