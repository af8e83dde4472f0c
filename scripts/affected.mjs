// What a change can affect, for `npm test -- --changed`.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'

/** What everything stands on. */
const FOUNDATION = /^(?:[^/]+\.(?:json|ts)|scripts\/(?!.*\.test\.mjs$)[^/]+\.mjs|\.npmrc|\.node-version)$/
/** They read the whole repository, and are quick. */
const REPOSITORY_TEST = /^scripts\/.*\.test\.mjs$/
/** What the pages in a browser are made of. A change of the server alone is the business of its own tests. */
const PAGES = /^(?:web|contract)\//

/** Files that changed since `revision`, including those that git does not know yet. */
export function changedFiles(revision = 'HEAD') {
  const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)
  return [...git('diff', '--name-only', '--no-renames', revision), ...git('ls-files', '--others', '--exclude-standard')]
}

/**
 * The test files that a change can affect, and whether the drills are among it. `graph` has the imports of every source file
 * (imports.mjs); `textOf` reads a file.
 */
export function affectedBy(changed, graph, textOf = (file) => readFileSync(file, 'utf8')) {
  const files = [...graph.keys()]
  const isEverything = changed.some((file) => FOUNDATION.test(file))
  const changedSources = new Set(changed.flatMap((file) => (graph.has(file) ? [file] : neighborsOf(file, files))))
  const reaches = (file, follow = () => true) => isEverything || reachesAny(graph, file, changedSources, follow)
  const names = (file) => changed.some((path) => !graph.has(path) && textOf(file).includes(posix.basename(path)))

  const tests = (pattern) => files.filter((file) => pattern.test(file))
  const journeys = (pattern, setUp) => {
    const all = tests(pattern)
    const inE2e = (file) => file.startsWith('e2e/')
    if (changed.some((file) => PAGES.test(file)) || reaches(setUp, inE2e)) return all
    return all.filter((file) => reaches(file, inE2e))
  }
  const isServerSetUp = reaches('server/test/prepare.ts') || reaches('server/test/quick-argon2.ts') // named in vitest.config.ts
  return {
    unit: tests(UNIT_TEST).filter(
      (file) => !SERVER_TEST.test(file) && (REPOSITORY_TEST.test(file) || reaches(file) || names(file)),
    ),
    server: tests(SERVER_TEST).filter((file) => isServerSetUp || reaches(file) || names(file)),
    engines: journeys(/^e2e\/engines\/.*\.test\.ts$/, 'e2e/engines/sites.ts'),
    journeys: journeys(/^e2e\/(?!screens\.).*\.spec\.ts$/, 'e2e/start-sites.ts'), // npm run screens takes the screenshots
    drills: reaches('drill/main.ts'),
  }
}

// As in vitest.config.ts.
const SERVER_TEST = /^(?:server\/(?!.*\.unit\.test\.ts$)|demo\/|drill\/fault-injection\/).*\.test\.ts$/
const UNIT_TEST = /^(?!e2e\/|bench\/).*\.test\.(?:tsx?|mjs)$/

/** The sources beside a file that is none itself, such as a migration, or was deleted. Documents have none. */
function neighborsOf(path, files) {
  for (let folder = posix.dirname(path); folder !== '.'; folder = posix.dirname(folder)) {
    const beside = files.filter((file) => posix.dirname(file) === folder)
    if (beside.length) return beside
  }
  return []
}

function reachesAny(graph, start, targets, follow) {
  const seen = new Set([start])
  for (const file of seen) {
    if (targets.has(file)) return true
    for (const imported of graph.get(file) ?? []) if (follow(imported)) seen.add(imported)
  }
  return false
}
