// What every command needs first: installed packages, the project's own Node, the built pages.
// This file runs on the machine's Node (20 or newer) before any package is installed, so it uses built-ins only.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { run } from './child.mjs'
import { findNode, INSTALL_AND_BUILD, install } from './install.mjs'

const root = join(import.meta.dirname, '..')
const modules = join(root, 'node_modules')

/** Installs what the lock file says. `node` is the path of a Node that runs TypeScript. */
export async function prepare({ forDevelopment = false } = {}) {
  process.chdir(root)
  endWithNpm()
  const problem = await install(modules, { forDevelopment })
  if (problem) stop(problem)
  const node = findNode(modules)
  if (!node) {
    stop(`Foyer needs Node 24. This is ${process.version}, and npm has none for ${process.platform}-${process.arch}.`)
  }
  process.env.NODE_COMPILE_CACHE ??= join(modules, '.cache', 'foyer-compiled') // halves the time a command takes to start
  process.env.PATH = [dirname(node), join(modules, '.bin'), process.env.PATH].join(delimiter)
  return { node }
}

/** When npm is stopped, it ends its shell and itself but sends us no signal. We notice because our parent changes. */
function endWithNpm() {
  if (!process.env.npm_lifecycle_event) return
  const parent = process.ppid
  const check = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(check)
    process.kill(process.pid, 'SIGTERM')
  }, 500).unref()
}

/** Builds dist/ from web/ and contract/ unless it is up to date. Returns the exit code. */
export async function buildWeb({ node }) {
  const stamp = join('dist', '.stamp')
  const sources = [...filesIn('web'), ...filesIn('contract'), 'vite.config.ts', 'package-lock.json']
  const expected = hash(sources.filter(existsSync))
  if (read(stamp) === expected) return 0
  if (!existsSync(join(modules, 'vite'))) return checkBuilt(stamp)

  console.log('Building the pages …')
  rmSync(stamp, { force: true })
  const code = await run(node, ['web/build.ts'])
  if (code) return code
  mkdirSync('dist', { recursive: true })
  writeFileSync(stamp, expected)
  return 0
}

/** Without the packages to build them, pages that were built with `node web/build.ts` are fine. */
function checkBuilt(stamp) {
  if (existsSync('dist') && !existsSync(stamp)) return 0
  stop(
    `dist/ lacks the pages of this version, and the packages that build them were left out. Run: ${INSTALL_AND_BUILD}`,
  )
}

function filesIn(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

function hash(files) {
  const sum = createHash('sha256')
  for (const file of files) sum.update(`${file}\0`).update(readFileSync(file)).update('\0')
  return sum.digest('hex')
}

const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')

function stop(sentence) {
  console.error(sentence)
  process.exit(1)
}
