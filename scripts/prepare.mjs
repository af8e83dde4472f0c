// What every command needs first: the packages, the project's own Node, the built pages.
// Starts on the Node of the machine (20 or newer), with no packages there yet, so it uses built-ins only.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const modules = join(root, 'node_modules')
const windows = process.platform === 'win32'

/** Packages as the lock file says, and a Node that runs TypeScript: `node` is its path. */
export async function prepare() {
  process.chdir(root)
  endWithNpm()
  await install()
  const node = findNode()
  if (!node) {
    stop(`Foyer needs Node 24. This is ${process.version}, and npm has none for ${process.platform}-${process.arch}.`)
  }
  process.env.PATH = [dirname(node), join(modules, '.bin'), process.env.PATH].join(delimiter)
  return { node }
}

/** Told to end, npm ends its shell and itself, but nobody tells us: we see it by our parent. */
function endWithNpm() {
  if (!process.env.npm_lifecycle_event) return
  const parent = process.ppid
  const look = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(look)
    process.kill(process.pid, 'SIGTERM')
  }, 500).unref()
}

async function install() {
  const stamp = join(modules, '.foyer-stamp')
  const machine = `${process.platform}-${process.arch}`
  const wanted = `${machine} ${hash(['package-lock.json'])}`
  const found = read(stamp)
  if (found === wanted) return
  if (!found && isInstalled()) return writeFileSync(stamp, wanted)

  console.log('Installing the packages (once, under a minute) …')
  // Packages of another machine, or of an install that was broken off, are not repaired but replaced.
  if (found.startsWith(machine)) writeFileSync(stamp, 'unfinished')
  else rmSync(modules, { recursive: true, force: true })
  // npm may replace the Node that lives in node_modules, so it must not run on it.
  const path = process.env.PATH.split(delimiter).filter((folder) => !folder.startsWith(modules))
  // Not `npm ci`: it refuses a lock that lacks another platform's builds because a registry did not have them.
  // The build needs the dev packages even with NODE_ENV=production. Warnings would be about the machine's older Node.
  const npm = ['install', '--no-save', '--include=dev', '--include=optional', '--loglevel=error', '--no-progress']
  const started = Date.now()
  const progress = setInterval(() => console.log(`  … ${Math.round((Date.now() - started) / 1000)} s`), 5000)
  // Told to end, npm would first finish; what it leaves is replaced next time.
  const code = await run('npm', npm, { env: { PATH: path.join(delimiter) }, shell: windows, stopBy: 'SIGKILL' })
  clearInterval(progress)
  if (code > 128) process.exit(code)
  if (code) {
    rmSync(stamp, { force: true })
    stop('The packages could not be installed; npm says why above.')
  }
  writeFileSync(stamp, wanted)
}

/** Whether someone's own `npm install` brought what the lock file says. Writing its list is the last thing npm does. */
function isInstalled() {
  const packages = (file) => JSON.parse(read(file) || '{}').packages ?? {}
  const here = packages(join(modules, '.package-lock.json'))
  const matches = ([path, { version, optional }]) => (path in here ? here[path].version === version : optional || !path)
  return findNode() && Object.entries(packages('package-lock.json')).every(matches)
}

function findNode() {
  const system = windows ? 'win' : process.platform
  const own = join(modules, `node-${system}-${process.arch}`, 'bin', windows ? 'node.exe' : 'node')
  if (existsSync(own) && spawnSync(own, ['--version']).status === 0) return own
  if (Number.parseInt(process.versions.node, 10) >= 24) return process.execPath
}

/** Makes dist/ from web/ and contract/ unless it is up to date. Tells the exit code. */
export async function buildWeb({ node }) {
  const stamp = join('dist', '.stamp')
  const sources = [...filesIn('web'), ...filesIn('contract'), 'vite.config.ts', 'package-lock.json']
  const wanted = hash(sources.filter(existsSync))
  if (read(stamp) === wanted) return 0

  console.log('Building the pages …')
  rmSync(stamp, { force: true })
  const code = await run(node, ['web/build.ts'])
  if (code) return code
  mkdirSync('dist', { recursive: true })
  writeFileSync(stamp, wanted)
  return 0
}

/**
 * Runs a command to its end and tells its exit code. It gets a process group of its own: a Ctrl-C, which both the
 * terminal and npm hand on, then reaches it once through us, and nothing it started outlives it.
 */
export function run(command, args, { env, shell = false, stopBy } = {}) {
  const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...env }, shell, detached: !windows })
  let lastSignal = 0
  const handOn = (signal) => {
    const isEcho = Date.now() - lastSignal < 1000
    lastSignal = Date.now()
    if (!isEcho) child.kill(stopBy ?? (signal === 'SIGHUP' ? 'SIGTERM' : signal))
  }
  const endGroup = () => {
    try {
      process.kill(windows ? child.pid : -child.pid)
    } catch {} // already gone
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, handOn)
  process.on('exit', endGroup)
  return new Promise((resolve) => {
    const end = (code) => {
      for (const signal of signals) process.off(signal, handOn)
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
