import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromiumFlags, findChromium } from '../../scripts/find.mjs'

/** The path of the installed Chromium; a full build, not the headless shell. */
export function requireChromium(): string {
  const path = findChromium()
  if (!path) throw new Error('Chromium is not installed.')
  return path
}

type Json = Record<string, unknown>
/** A message of the Chrome DevTools Protocol: the reply to a command, or an event. */
type Message = {
  id?: number
  method?: string
  params?: Json
  result?: Json
  error?: { message: string }
  sessionId?: string
}

/** The DevTools connection to one page. */
export type Session = {
  send: <Result = Json>(method: string, params?: Json) => Promise<Result>
  on: (method: string, listener: (params: never) => void) => void
}
export type Browser = Awaited<ReturnType<typeof openChromium>>

/**
 * Starts Chromium and talks to it directly. Test drivers watch for errors, which makes the browser parse the page's
 * scripts once more: a tenth of a second on a slow processor that no visitor waits for.
 */
export async function openChromium() {
  const folder = mkdtempSync(join(tmpdir(), 'foyer-chromium-'))
  const args = [
    '--headless=new',
    '--remote-debugging-port=0',
    `--user-data-dir=${folder}`,
    ...chromiumFlags,
    'about:blank',
  ]
  const child = spawn(requireChromium(), args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const exited = once(child, 'exit')
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const socket = new WebSocket(await devToolsUrl(child.stderr))
  await once(socket, 'open')

  let lastId = 0
  const pending = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>()
  const listeners = new Map<string, (params: never) => void>()
  socket.onmessage = ({ data }) => {
    const { id, method, params, result, error, sessionId = '' }: Message = JSON.parse(String(data))
    if (id === undefined) return listeners.get(`${sessionId} ${method}`)?.(params as never)
    const command = pending.get(id)
    pending.delete(id)
    if (error) command?.reject(new Error(`Chromium: ${error.message}`))
    else command?.resolve(result as never)
  }
  const createSession = (sessionId?: string): Session => ({
    send: (method, params = {}) =>
      new Promise((resolve, reject) => {
        pending.set(++lastId, { resolve, reject })
        socket.send(JSON.stringify({ id: lastId, method, params, sessionId }))
      }),
    on: (method, listener) => listeners.set(`${sessionId} ${method}`, listener),
  })
  const browserSession = createSession()

  return {
    /**
     * Runs `work` with a page in a fresh profile, and removes both. The page shows another site first, as before a click
     * on a sponsor's link, so that the measured page gets a fresh process whatever headers its server sends.
     */
    async withPage<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
      const context = await browserSession.send<{ browserContextId: string }>('Target.createBrowserContext')
      const target = await browserSession.send<{ targetId: string }>('Target.createTarget', {
        url: 'data:text/html,Hello',
        ...context,
      })
      const { sessionId } = await browserSession.send<{ sessionId: string }>('Target.attachToTarget', {
        ...target,
        flatten: true,
      })
      try {
        return await work(createSession(sessionId))
      } finally {
        await browserSession.send('Target.disposeBrowserContext', context)
      }
    },
    async close() {
      process.off('exit', kill)
      await browserSession.send('Browser.close')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Chromium prints the address on which it listens. */
async function devToolsUrl(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(output)) {
    const [, url] = /^DevTools listening on (ws:.*)$/.exec(line) ?? []
    if (url) {
      output.resume()
      return url
    }
  }
  throw new Error('Chromium ended before it listened.')
}
