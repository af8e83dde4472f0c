// A PostgreSQL to throw away: fresh, on a free port of this machine, in a folder that goes when it stops.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findCommand } from './find.mjs'
import { freePort } from './port.mjs'

/** The folder of PostgreSQL's programs, the newest that is here. Debian keeps them off the PATH. */
export function findPostgres() {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const folder = versions
    .map((version) => join(debian, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'postgres')))
  return folder ?? (findCommand('postgres') && dirname(findCommand('postgres')))
}

/** Starts one and tells its `url`. It stops with `stop()`, and at the latest when this process ends. */
export async function startPostgres() {
  const bin = findPostgres()
  if (!bin) throw new Error('There is no PostgreSQL on this machine.')
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'foyer-postgres-'))
  const isRoot = process.getuid?.() === 0
  const data = join(folder, 'data')
  const log = join(folder, 'log')
  // PostgreSQL refuses to run as root.
  const command = (name, ...args) => {
    const words = [join(bin, name), ...args]
    if (isRoot) words.unshift('runuser', '-u', 'postgres', '--')
    execFileSync(words[0], words.slice(1), { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  }
  const stop = () => {
    process.off('exit', stop)
    if (existsSync(join(data, 'postmaster.pid'))) command('pg_ctl', 'stop', '-w', '-m', 'immediate', '-D', data)
    rmSync(folder, { recursive: true, force: true })
  }
  process.on('exit', stop)
  try {
    if (isRoot) execFileSync('chown', ['postgres', folder])
    command('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync')
    const settings = ['listen_addresses=127.0.0.1', 'fsync=off', 'max_connections=200']
    const options = [`-p ${port} -k ${folder}`, ...settings.map((setting) => `-c ${setting}`)].join(' ')
    command('pg_ctl', 'start', '-w', '-D', data, '-l', log, '-o', options)
  } catch (cause) {
    const told = existsSync(log) ? readFileSync(log, 'utf8') : String(cause.stderr ?? '')
    stop()
    throw new Error(`PostgreSQL did not start.\n${told}`, { cause })
  }
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop }
}
