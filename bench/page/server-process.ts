import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { waitUntilReady } from '#server/test/process.ts'

export type ServerProcess = { url: string; stop: () => Promise<void> }

type StartOptions = { args: string[]; port: number; path: string; cwd?: string; env?: Record<string, string> }

/** Starts a Node server with a clean environment and waits until `path` answers. */
export async function startServer({ args, port, path, cwd = '.', env = {} }: StartOptions): Promise<ServerProcess> {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH, HOME, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const exited = once(child, 'exit')
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const stop = async () => {
    process.off('exit', kill)
    child.kill()
    await exited
  }
  const url = `http://localhost:${port}`
  await waitUntilReady({ child, output: () => args.join(' ') }, `${url}${path}`)
  return { url, stop }
}
