import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../scripts/port.mjs'

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
  const settings = {
    PORT: String(port),
    PUBLIC_URL: url,
    LOG_LEVEL: 'warn',
    CAPTCHA_COST: '1',
    CAPTCHA_COUNTER: '2',
    MINIMUM_SECONDS: '0',
    LIMIT_ENROLLMENTS: '100000/3600',
  }
  const server = runProgram('server/main.ts', [], {
    ...settings,
    LIMIT_CHALLENGES: '100000/3600',
    LIMIT_LOOKUPS: '100000/3600',
    ...env,
  })
  const gone = server.ended.then(() => Promise.reject(new Error(`The server ended:\n${server.said()}`)))
  gone.catch(() => undefined)
  const ready = async () => {
    while (
      !(await fetch(`${url}/readyz`).then(
        (reply) => reply.ok,
        () => false,
      ))
    )
      await sleep(50)
  }
  await Promise.race([ready(), gone])
  return { ...server, url }
}
