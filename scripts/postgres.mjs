// A disposable PostgreSQL: new, on a free local port, in a folder that is deleted when it stops.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findCommand } from './find.mjs'
import { freePort } from './port.mjs'

/** The folder with the newest PostgreSQL's programs. Debian keeps them off the PATH. */
export function findPostgres() {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const folder = versions
    .map((version) => join(debian, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'postgres')))
  return folder ?? (findCommand('postgres') && dirname(findCommand('postgres')))
}

/** A server for tests never has to survive a crash, so it writes as little as it can, and where there is no disk. */
const forTests = [
  'full_page_writes=off',
  'synchronous_commit=off',
  'autovacuum=off',
  'wal_level=minimal',
  'max_wal_senders=0',
]
const MEMORY = '/dev/shm'
const ENOUGH_MEMORY = 2 ** 31

function temporaryFolder({ onlyForTests }) {
  const isRoomy = () => existsSync(MEMORY) && statfsSync(MEMORY).bavail * statfsSync(MEMORY).bsize > ENOUGH_MEMORY
  return onlyForTests && isRoomy() ? MEMORY : tmpdir()
}

/**
 * Starts one and returns its `url`. It stops with `stop()`, or when this process ends. `kill()` ends it like a crash;
 * `restart()` lets it recover, unless it is only for tests. With `standbyOf`, it's a standby of the one at that URL, which must
 * not be only for tests.
 */
export async function startPostgres({ onlyForTests = false, standbyOf = '' } = {}) {
  const bin = findPostgres()
  if (!bin) throw new Error('There is no PostgreSQL on this machine.')
  const port = await freePort()
  const folder = mkdtempSync(join(temporaryFolder({ onlyForTests }), 'foyer-postgres-'))
  const isRoot = process.getuid?.() === 0
  const data = join(folder, 'data')
  const log = join(folder, 'log')
  // PostgreSQL refuses to run as root.
  const commandLine = (name, ...args) => [
    ...(isRoot ? ['runuser', '-u', 'postgres', '--'] : []),
    join(bin, name),
    ...args,
  ]
  const command = (...args) => {
    const [program, ...rest] = commandLine(...args)
    execFileSync(program, rest, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  }
  const settings = ['listen_addresses=127.0.0.1', 'fsync=off', 'max_connections=200', ...(onlyForTests ? forTests : [])]
  const options = [`-p ${port} -k ${folder}`, ...settings.map((setting) => `-c ${setting}`)].join(' ')
  const start = ['pg_ctl', 'start', '-w', '-D', data, '-l', log, '-o', options]
  const pidFile = join(data, 'postmaster.pid')
  const stop = () => {
    process.off('exit', stop)
    if (existsSync(pidFile)) command('pg_ctl', 'stop', '-w', '-m', 'immediate', '-D', data)
    rmSync(folder, { recursive: true, force: true })
  }
  process.on('exit', stop)
  try {
    if (isRoot) execFileSync('chown', ['postgres', folder])
    if (standbyOf) command('pg_basebackup', '-D', data, '-d', standbyOf, '-R', '--checkpoint=fast', '--no-sync')
    else command('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync')
    command(...start)
  } catch (cause) {
    const output = existsSync(log) ? readFileSync(log, 'utf8') : String(cause.stderr ?? '')
    stop()
    throw new Error(`PostgreSQL did not start.\n${output}`, { cause })
  }
  const kill = async () => {
    const postmaster = Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
    const family = [postmaster, ...processes().flatMap(({ pid, parent }) => (parent === postmaster ? [pid] : []))]
    for (const pid of family) forceKill(pid)
    while (processes().some(({ pid, isZombie }) => family.includes(pid) && !isZombie)) await sleep(20)
    // These files name a process id that may be a zombie or may soon be reused.
    for (const file of [pidFile, join(folder, `.s.PGSQL.${port}.lock`)]) rmSync(file, { force: true })
  }
  const restart = async () => {
    const [program, ...rest] = commandLine(...start)
    const [code] = await once(spawn(program, rest, { cwd: folder, stdio: 'ignore' }), 'exit')
    if (code) throw new Error(`PostgreSQL did not start again.\n${readFileSync(log, 'utf8').slice(-2000)}`)
  }
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, folder, stop, kill, restart }
}

function processes() {
  const lines = execFileSync('ps', ['-axo', 'pid=,ppid=,stat='], { encoding: 'utf8' }).trim().split('\n')
  return lines.map((line) => {
    const [pid, parent, state] = line.trim().split(/\s+/)
    return { pid: Number(pid), parent: Number(parent), isZombie: state.startsWith('Z') }
  })
}

function forceKill(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {} // already gone
}
