import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { freePort } from '../../scripts/port.mjs'
import { type Server, startServer } from './server.ts'

const root = join(import.meta.dirname, '../..')
const home = join(root, 'bench/peers')
const modules = join(home, 'node_modules')

type Peer = {
  /** What is run to build it, and what to serve it. */
  build: string[]
  serve: (port: number) => string[]
}

const next = 'node_modules/next/dist/bin/next'

/** The same first step, written by us in three other ways. */
export const peers = {
  static: { build: ['static/build.js'], serve: (port) => ['serve.js', 'static/dist', String(port)] },
  next: { build: [next, 'build', 'next'], serve: (port) => [next, 'start', 'next', '-p', String(port)] },
  client: {
    build: ['node_modules/vite/bin/vite.js', 'build', 'client'],
    serve: (port) => ['serve.js', 'client/dist', String(port)],
  },
} as const satisfies Record<string, Peer>
export type PeerName = keyof typeof peers

/** Where a program of the peers' packages lies; they are installed as their own lock file says, when they are missing. */
export function installPeers(say: (line: string) => void): string {
  const stamp = join(modules, '.stamp')
  const wanted = hashOf([join(home, 'package-lock.json')])
  if (read(stamp) === wanted) return modules
  say('installing the peers …')
  // Not `npm ci`: it refuses a lock that lacks another platform's builds because a registry did not have them.
  const args = ['install', '--no-save', '--include=dev', '--include=optional', '--loglevel=error', '--no-progress']
  execFileSync('npm', args, { cwd: home, stdio: 'inherit' })
  writeFileSync(stamp, wanted)
  return modules
}

/** Builds what has changed. All of them show the very pictures that Foyer shows. */
export function buildPeers(say: (line: string) => void): void {
  installPeers(say)
  const stamp = join(modules, '.built')
  const wanted = hashOf([...sources(home), ...sources(join(root, 'web/public'))])
  if (read(stamp) === wanted) return
  for (const [name, { build }] of Object.entries(peers)) {
    say(`building the peer '${name}' …`)
    const pictures = join(home, name, 'public')
    rmSync(pictures, { recursive: true, force: true })
    cpSync(join(root, 'web/public'), pictures, { recursive: true })
    execFileSync(process.execPath, build, { cwd: home, env: environment(), stdio: ['ignore', 'ignore', 'inherit'] })
  }
  writeFileSync(stamp, wanted)
}

export async function startPeer(name: PeerName): Promise<Server> {
  const port = await freePort()
  return startServer({ args: peers[name].serve(port), port, path: '/ana', cwd: home, env: quiet })
}

const quiet = { NEXT_TELEMETRY_DISABLED: '1' }

const environment = () => {
  const { PATH = '', HOME = '' } = process.env
  return { PATH: [dirname(process.execPath), PATH].join(delimiter), HOME, NODE_ENV: 'production' as const, ...quiet }
}

const notWritten = ['node_modules', 'dist', 'public', '.next']

/** Every file below, apart from what is installed, built or copied. */
const sources = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !notWritten.includes(name))
    .flatMap((entry) => (entry.isDirectory() ? sources(join(folder, entry.name)) : [join(folder, entry.name)]))
    .sort()

const hashOf = (files: string[]) => {
  const sum = createHash('sha256')
  for (const file of files)
    sum
      .update(`${file.slice(root.length)}\0`)
      .update(readFileSync(file))
      .update('\0')
  return sum.digest('hex')
}

const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '')
