import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { findCommand } from '../../scripts/find.mjs'

const PATIENCE_SECONDS = 20

/** Nothing outlives the drill. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGTERM')
})

/** Somebody else's program, ready once it takes connections at its port. Hands on every line that it says. */
export async function startProgram(
  name: string,
  args: string[],
  port: number,
  env: Record<string, string> = {},
  hear: (line: string) => void = () => undefined,
) {
  const { PATH = '' } = process.env
  const child = spawn(commandCalled(name), args, { env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  let said = ''
  createInterface(child.stdout).on('line', hear)
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => {
      said = `${said}${bytes}`.slice(-4000)
    })
  const ended = once(child, 'exit').then(() => running.delete(child))
  const end = performance.now() + PATIENCE_SECONDS * 1000
  while (!(await takesConnections(port))) {
    if (!running.has(child) || performance.now() > end) throw new Error(`${name} did not start:\n${said}`)
    await sleep(40)
  }
  const stop = (signal: 'SIGTERM' | 'SIGKILL') => async () => {
    child.kill(signal)
    await ended
  }
  return { stop: stop('SIGTERM'), kill: stop('SIGKILL') }
}

/** Debian keeps it where not everybody looks. */
export const commandCalled = (name: string): string => findCommand(name) ?? `/usr/sbin/${name}`

const takesConnections = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' })
    const tell = (answer: boolean) => () => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', tell(true)).once('error', tell(false))
  })
