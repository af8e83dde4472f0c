import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** A program that answers on a port of this machine until it is stopped. */
export type Server = { url: string; stop: () => Promise<void> }

type Start = { args: string[]; port: number; path: string; cwd?: string; env?: Record<string, string> }

/** Starts a Node program and waits until `path` is answered. It sees none of the settings of whoever runs this. */
export async function startServer({ args, port, path, cwd = '.', env = {} }: Start): Promise<Server> {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH, HOME, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  const stop = async () => {
    process.off('exit', endAtOnce)
    child.kill()
    await ended
  }
  const endAtOnce = () => child.kill('SIGKILL')
  process.once('exit', endAtOnce)
  const url = `http://localhost:${port}`
  await untilAnswered(`${url}${path}`, child)
  return { url, stop }
}

const PATIENCE_MS = 60_000

async function untilAnswered(url: string, child: ChildProcess) {
  const deadline = performance.now() + PATIENCE_MS
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error(`${child.spawnargs.join(' ')} ended before it answered.`)
    if (performance.now() > deadline) throw new Error(`${url} did not answer within ${PATIENCE_MS / 1000} s.`)
    await sleep(100)
  }
}

const answers = (url: string) =>
  fetch(url).then(
    (reply) => reply.ok,
    () => false,
  )
