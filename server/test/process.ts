import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../scripts/port.mjs'
import { fastSettings, generousLimits } from './generous-settings.ts'

const { PATH = '', HOME = '' } = process.env

/** Killed at exit, also after a failed test. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Test processes are short-lived: skip optimizing compilation and reuse compiled code. */
const startFlags = ['--liftoff-only']
const NODE_COMPILE_CACHE = join(tmpdir(), 'foyer-compiled')

/** Runs one of our programs as a child process and collects its output. */
export function runProgram(script: string, args: string[], env: Record<string, string>) {
  const child: ChildProcess = spawn(process.execPath, [...startFlags, script, ...args], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => (output += bytes))
  const ended = once(child, 'exit').then(([code, signal]) => {
    running.delete(child)
    return { code, signal }
  })
  return { child, ended, output: () => output }
}

/** Starts the real server on a free port. */
export async function startServer(env: Record<string, string>) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const server = runProgram('server/main.mjs', [], {
    ...generousLimits,
    ...fastSettings,
    PORT: String(port),
    PUBLIC_URL: url,
    ...env,
  })
  await waitUntilReady(server, `${url}/readyz`)
  return { ...server, url }
}

type Program = { child: ChildProcess; output: () => string }
const START_TIMEOUT_MS = 180_000

/** Waits until a program responds with 200. */
export async function waitUntilReady({ child, output }: Program, url: string, pauseMs = 50): Promise<void> {
  for (const deadline = performance.now() + START_TIMEOUT_MS; performance.now() < deadline; await sleep(pauseMs)) {
    if (child.exitCode !== null || child.signalCode !== null) {
      await sleep(100) // wait for its last output
      throw new Error(`The program exited during startup:\n${output()}`)
    }
    if (await respondsOk(url)) return
  }
  throw new Error(`The program did not become ready in time:\n${output()}`)
}

const respondsOk = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = request(url, { agent: false, timeout: 5000 }, (reply) => {
      reply.resume()
      reply.once('end', () => resolve(reply.statusCode === 200))
    })
    probe.on('timeout', () => probe.destroy())
    probe.on('error', () => resolve(false))
    probe.end()
  })
