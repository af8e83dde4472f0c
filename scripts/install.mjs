// Installs the packages of package-lock.json, except in production, where a command must not change what a site runs on.
// This file runs on the machine's Node (20 or newer) before any package is installed, so it uses built-ins only.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { run } from './child.mjs'

const isWindows = process.platform === 'win32'
// Not `npm ci`: it rejects a lock file that lacks another platform's optional builds.
// The build needs dev packages even with NODE_ENV=production.
const npmInstall = ['install', '--no-save', '--include=dev', '--include=optional']
export const INSTALL_AND_BUILD = `npm ${npmInstall.join(' ')} && node_modules/.bin/node web/build.ts && npm prune --omit=dev`

/** Returns a sentence if packages are missing that may not be installed. `forDevelopment`: the command needs all packages. */
export async function install(modules, { forDevelopment = false } = {}) {
  const isPruned = existsSync(join(modules, '.package-lock.json')) && !existsSync(join(modules, 'vite'))
  if (isPruned || process.env.NODE_ENV === 'production') return whatIsMissing(modules, { forDevelopment, isPruned })

  const stamp = join(modules, '.foyer-stamp')
  const machine = `${process.platform}-${process.arch}`
  const expected = `${machine} ${createHash('sha256').update(readFileSync('package-lock.json')).digest('hex')}`
  const installed = read(stamp)
  if (installed === expected) return
  if (!installed && findNode(modules) && !missingPackages(modules, { forDevelopment: true }).length)
    return writeFileSync(stamp, expected)

  console.log('Installing the packages (once, under a minute) …')
  // Packages of another machine, or of an interrupted install, are replaced rather than repaired.
  if (installed.startsWith(machine)) writeFileSync(stamp, 'unfinished')
  else rmSync(modules, { recursive: true, force: true })
  const code = await runNpm(modules)
  if (code > 128) process.exit(code)
  if (code) {
    rmSync(stamp, { force: true })
    return 'The packages could not be installed. See npm’s message above.'
  }
  writeFileSync(stamp, expected)
}

function whatIsMissing(modules, { forDevelopment, isPruned }) {
  if (forDevelopment && isPruned)
    return `This command needs the development packages, which production leaves out. To install them: npm ${npmInstall.join(' ')}`
  const [first, ...others] = missingPackages(modules, { forDevelopment })
  const count = others.length ? ` and ${others.length} more` : ''
  return (
    first &&
    `node_modules lacks ${first}${count}, and no command installs packages in production. Run: ${INSTALL_AND_BUILD}`
  )
}

/** What the lock file lists and npm has not installed. npm writes its own list, .package-lock.json, last. */
function missingPackages(modules, { forDevelopment }) {
  const packages = (file) => JSON.parse(read(file) || '{}').packages ?? {}
  const installed = packages(join(modules, '.package-lock.json'))
  return Object.entries(packages('package-lock.json'))
    .filter(([path, { dev, optional }]) => path && (path in installed || (!optional && (forDevelopment || !dev))))
    .filter(([path, { version }]) => installed[path]?.version !== version)
    .map(([path, { version }]) => `${path.replace('node_modules/', '')} ${version}`)
}

function runNpm(modules) {
  // npm may replace the Node in node_modules, so it must not run on it.
  const path = process.env.PATH.split(delimiter).filter((folder) => !folder.startsWith(modules))
  const startedAt = Date.now()
  const progress = setInterval(() => console.log(`  … ${Math.round((Date.now() - startedAt) / 1000)} s`), 5000)
  // Warnings would only be about the machine's older Node.
  const args = [...npmInstall, '--loglevel=error', '--no-progress']
  // On SIGTERM npm would finish first. SIGKILL leaves a partial install, which the next run replaces.
  const options = { env: { PATH: path.join(delimiter) }, shell: isWindows, stopBy: 'SIGKILL' }
  return run('npm', args, options).finally(() => clearInterval(progress))
}

export function findNode(modules) {
  const system = isWindows ? 'win' : process.platform
  const bundledNode = join(modules, `node-${system}-${process.arch}`, 'bin', isWindows ? 'node.exe' : 'node')
  if (existsSync(bundledNode) && spawnSync(bundledNode, ['--version']).status === 0) return bundledNode
  if (Number.parseInt(process.versions.node, 10) >= 24) return process.execPath
}

const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')
