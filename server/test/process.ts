import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../scripts/port.mjs'
import { fastSettings, generousLimits } from './plenty.ts'

const { PATH = '', HOME = '' } = process.env

/** A failed test leaves nothing running. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A program of a test lives for seconds: it should not spend them on compiling what it has compiled before. */
const quickStart = ['--liftoff-only']
const NODE_COMPILE_CACHE = join(tmpdir(), 'foyer-compiled')

/** Runs a program of ours as its own process and collects what it says. */
export function runProgram(script: string, args: string[], env: Record<string, string>) {
  const child: ChildProcess = spawn(process.execPath, [...quickStart, script, ...args], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
  })
  running.add(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => (said += bytes))
  const ended = once(child, 'exit').then(([code, signal]) => {
    running.delete(child)
    return { code, signal }
  })
  return { child, ended, said: () => said }
}

/** The real server, as an operator starts it, on a free port. */
export async function startServer(env: Record<string, string>) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const server = runProgram('server/main.ts', [], {
    ...generousLimits,
    ...fastSettings,
    PORT: String(port),
    PUBLIC_URL: url,
    ...env,
  })
  await answering(server, `${url}/readyz`)
  return { ...server, url }
}

type Program = { child: ChildProcess; said: () => string }
const PATIENCE_MS = 180_000

/** Waits until a program answers with 200. */
export async function answering({ child, said }: Program, url: string, pauseMs = 50): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await sleep(pauseMs)) {
    if (child.exitCode !== null || child.signalCode !== null) {
      await sleep(100) // what it said last may still be on its way
      throw new Error(`A program ended at its start:\n${said()}`)
    }
    if (await isFine(url)) return
  }
  throw new Error(`A program did not become ready:\n${said()}`)
}

const isFine = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const asked = request(url, { agent: false, timeout: 5000 }, (reply) => {
      reply.resume()
      reply.once('end', () => resolve(reply.statusCode === 200))
    })
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve(false))
    asked.end()
  })
