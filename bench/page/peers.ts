import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { freePort } from '../../scripts/port.mjs'
import { type ServerProcess, startServer } from './server-process.ts'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'bench/peers')
const modules = join(folder, 'node_modules')

/** The arguments for Node that build and serve a peer. */
type Peer = {
  build: string[]
  serve: (port: number) => string[]
}

const next = 'node_modules/next/dist/bin/next'

/** The same first step, built in three other ways. */
export const peers = {
  static: { build: ['static/build.js'], serve: (port) => ['serve.js', 'static/dist', String(port)] },
  next: { build: [next, 'build', 'next'], serve: (port) => [next, 'start', 'next', '-p', String(port)] },
  client: {
    build: ['node_modules/vite/bin/vite.js', 'build', 'client'],
    serve: (port) => ['serve.js', 'client/dist', String(port)],
  },
} as const satisfies Record<string, Peer>
export type PeerName = keyof typeof peers

/** Installs the peers' packages from their own lock file if needed, and returns their node_modules folder. */
export function installPeers(log: (line: string) => void): string {
  const stamp = join(modules, '.stamp')
  const hash = hashOf([join(folder, 'package-lock.json')])
  if (read(stamp) === hash) return modules
  log('installing the peers …')
  // Not `npm ci`: it rejects a lock file that lacks the builds of another platform.
  const args = ['install', '--no-save', '--include=dev', '--include=optional', '--loglevel=error', '--no-progress']
  execFileSync('npm', args, { cwd: folder, stdio: 'inherit' })
  writeFileSync(stamp, hash)
  return modules
}

/** Builds the peers if anything changed. They use the same images as Foyer. */
export function buildPeers(log: (line: string) => void): void {
  installPeers(log)
  const stamp = join(modules, '.built')
  const hash = hashOf([...sourceFiles(folder), ...sourceFiles(join(root, 'web/public'))])
  if (read(stamp) === hash) return
  for (const [name, { build }] of Object.entries(peers)) {
    log(`building the peer '${name}' …`)
    const images = join(folder, name, 'public')
    rmSync(images, { recursive: true, force: true })
    cpSync(join(root, 'web/public'), images, { recursive: true })
    execFileSync(process.execPath, build, { cwd: folder, env: buildEnv(), stdio: ['ignore', 'ignore', 'inherit'] })
  }
  writeFileSync(stamp, hash)
}

export async function startPeer(name: PeerName): Promise<ServerProcess> {
  const port = await freePort()
  return startServer({ args: peers[name].serve(port), port, path: '/ana', cwd: folder, env: noTelemetry })
}

const noTelemetry = { NEXT_TELEMETRY_DISABLED: '1' }

const buildEnv = () => {
  const { PATH = '', HOME = '' } = process.env
  return {
    PATH: [dirname(process.execPath), PATH].join(delimiter),
    HOME,
    NODE_ENV: 'production' as const,
    ...noTelemetry,
  }
}

const generated = ['node_modules', 'dist', 'public', '.next']

/** All files in a folder, except those that are installed, built or copied. */
const sourceFiles = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !generated.includes(name))
    .flatMap((entry) => (entry.isDirectory() ? sourceFiles(join(folder, entry.name)) : [join(folder, entry.name)]))
    .sort()

const hashOf = (files: string[]) => {
  const hash = createHash('sha256')
  for (const file of files)
    hash
      .update(`${file.slice(root.length)}\0`)
      .update(readFileSync(file))
      .update('\0')
  return hash.digest('hex')
}

const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '')
