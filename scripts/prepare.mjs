// What every command needs first: installed packages, the project's own Node, the built pages.
// This file runs on the machine's Node (20 or newer) before any package is installed, so it uses built-ins only.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const modules = join(root, 'node_modules')
const isWindows = process.platform === 'win32'

/** Installs what the lock file says. `node` is the path of a Node that runs TypeScript. */
export async function prepare() {
  process.chdir(root)
  endWithNpm()
  await install()
  const node = findNode()
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

async function install() {
  const stamp = join(modules, '.foyer-stamp')
  const machine = `${process.platform}-${process.arch}`
  const expected = `${machine} ${hash(['package-lock.json'])}`
  const installed = read(stamp)
  if (installed === expected) return
  if (!installed && isInstalled()) return writeFileSync(stamp, expected)

  console.log('Installing the packages (once, under a minute) …')
  // Packages of another machine, or of an interrupted install, are replaced rather than repaired.
  if (installed.startsWith(machine)) writeFileSync(stamp, 'unfinished')
  else rmSync(modules, { recursive: true, force: true })
  // npm may replace the Node in node_modules, so it must not run on it.
  const path = process.env.PATH.split(delimiter).filter((folder) => !folder.startsWith(modules))
  // Not `npm ci`: it rejects a lock file that lacks another platform's optional builds.
  // The build needs dev packages even with NODE_ENV=production. Warnings would only be about the machine's older Node.
  const npm = ['install', '--no-save', '--include=dev', '--include=optional', '--loglevel=error', '--no-progress']
  const startedAt = Date.now()
  const progress = setInterval(() => console.log(`  … ${Math.round((Date.now() - startedAt) / 1000)} s`), 5000)
  // On SIGTERM npm would finish first. SIGKILL leaves a partial install, which the next run replaces.
  const code = await run('npm', npm, { env: { PATH: path.join(delimiter) }, shell: isWindows, stopBy: 'SIGKILL' })
  clearInterval(progress)
  if (code > 128) process.exit(code)
  if (code) {
    rmSync(stamp, { force: true })
    stop('The packages could not be installed. See npm’s message above.')
  }
  writeFileSync(stamp, expected)
}

/** Whether a plain `npm install` has already installed the lock file. npm writes .package-lock.json last. */
function isInstalled() {
  const packages = (file) => JSON.parse(read(file) || '{}').packages ?? {}
  const installedPackages = packages(join(modules, '.package-lock.json'))
  const matches = ([path, { version, optional }]) =>
    path in installedPackages ? installedPackages[path].version === version : optional || !path
  return findNode() && Object.entries(packages('package-lock.json')).every(matches)
}

function findNode() {
  const system = isWindows ? 'win' : process.platform
  const bundledNode = join(modules, `node-${system}-${process.arch}`, 'bin', isWindows ? 'node.exe' : 'node')
  if (existsSync(bundledNode) && spawnSync(bundledNode, ['--version']).status === 0) return bundledNode
  if (Number.parseInt(process.versions.node, 10) >= 24) return process.execPath
}

/** Builds dist/ from web/ and contract/ unless it is up to date. Returns the exit code. */
export async function buildWeb({ node }) {
  const stamp = join('dist', '.stamp')
  const sources = [...filesIn('web'), ...filesIn('contract'), 'vite.config.ts', 'package-lock.json']
  const expected = hash(sources.filter(existsSync))
  if (read(stamp) === expected) return 0

  console.log('Building the pages …')
  rmSync(stamp, { force: true })
  const code = await run(node, ['web/build.ts'])
  if (code) return code
  mkdirSync('dist', { recursive: true })
  writeFileSync(stamp, expected)
  return 0
}

/**
 * Runs a command and returns its exit code. It gets its own process group, so that a Ctrl-C, which both the terminal
 * and npm forward, reaches it once, and so that nothing it started outlives it.
 */
export function run(command, args, { env, shell = false, stopBy, stdio = 'inherit' } = {}) {
  const child = spawn(command, args, { stdio, env: { ...process.env, ...env }, shell, detached: !isWindows })
  let lastSignal = 0
  const forward = (signal) => {
    const isEcho = Date.now() - lastSignal < 1000
    lastSignal = Date.now()
    if (!isEcho) child.kill(stopBy ?? (signal === 'SIGHUP' ? 'SIGTERM' : signal))
  }
  const endGroup = () => {
    try {
      process.kill(isWindows ? child.pid : -child.pid)
    } catch {} // already gone
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, forward)
  process.on('exit', endGroup)
  return new Promise((resolve) => {
    const end = (code) => {
      for (const signal of signals) process.off(signal, forward)
      process.off('exit', endGroup)
      resolve(code)
    }
    child.on('error', (error) => {
      console.error(`${command} could not be started: ${error.message}`)
      end(1)
    })
    child.on('exit', (code, signal) => {
      endGroup()
      end(code ?? 128 + constants.signals[signal])
    })
  })
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
