import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { findCommand } from '../../scripts/find.mjs'

const START_SECONDS = 20

/** Stopped at the end of the drill. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGTERM')
})

/** Starts a program and waits until it accepts connections on its port. */
export async function startProgram(
  name: string,
  args: string[],
  port: number,
  env: Record<string, string> = {},
  onLine: (line: string) => void = () => undefined,
) {
  const { PATH = '' } = process.env
  const child = spawn(commandPath(name), args, { env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  let output = ''
  createInterface(child.stdout).on('line', onLine)
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => {
      output = `${output}${bytes}`.slice(-4000)
    })
  const ended = once(child, 'exit').then(() => running.delete(child))
  const end = performance.now() + START_SECONDS * 1000
  while (!(await acceptsConnections(port))) {
    if (!running.has(child) || performance.now() > end) throw new Error(`${name} did not start:\n${output}`)
    await sleep(40)
  }
  const stop = (signal: 'SIGTERM' | 'SIGKILL') => async () => {
    child.kill(signal)
    await ended
  }
  return { stop: stop('SIGTERM'), kill: stop('SIGKILL') }
}

/** Debian installs daemons in a folder that is not on every PATH. */
export const commandPath = (name: string): string => findCommand(name) ?? `/usr/sbin/${name}`

const acceptsConnections = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' })
    const finish = (result: boolean) => () => {
      socket.destroy()
      resolve(result)
    }
    socket.once('connect', finish(true)).once('error', finish(false))
  })
