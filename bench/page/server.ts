import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { waitUntilReady } from '#server/test/process.ts'

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
  await waitUntilReady({ child, said: () => args.join(' ') }, `${url}${path}`)
  return { url, stop }
}
