import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromiumFlags, findChromium } from '../../scripts/find.mjs'

/** The machine's own browser with all that it has, not its headlessShell sibling. */
export function needChromium(): string {
  const found = findChromium()
  if (!found) throw new Error('There is no Chromium on this machine.')
  return found
}

type Words = Record<string, unknown>
type Said = {
  id?: number
  method?: string
  params?: Words
  result?: Words
  error?: { message: string }
  sessionId?: string
}

/** One page of the browser: what it is told, and what it tells. */
export type Session = {
  send: <Answer = Words>(method: string, params?: Words) => Promise<Answer>
  on: (method: string, hear: (params: never) => void) => void
}
export type Browser = Awaited<ReturnType<typeof openChromium>>

/**
 * A Chromium that is spoken to without any library in between. What drives browsers for tests also watches every error
 * that a page makes, for which the browser reads the page's scripts once more: on a slow processor that is a tenth of a second,
 * and no visitor has it.
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
  const child = spawn(needChromium(), args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'exit')
  const endAtOnce = () => child.kill('SIGKILL')
  process.once('exit', endAtOnce)
  const socket = new WebSocket(await addressIn(child.stderr))
  await once(socket, 'open')

  let last = 0
  const asked = new Map<number, { resolve: (answer: never) => void; reject: (error: Error) => void }>()
  const heard = new Map<string, (params: never) => void>()
  socket.onmessage = ({ data }) => {
    const { id, method, params, result, error, sessionId = '' }: Said = JSON.parse(String(data))
    if (id === undefined) return heard.get(`${sessionId} ${method}`)?.(params as never)
    const waiting = asked.get(id)
    asked.delete(id)
    if (error) waiting?.reject(new Error(`Chromium: ${error.message}`))
    else waiting?.resolve(result as never)
  }
  const sessionOf = (sessionId?: string): Session => ({
    send: (method, params = {}) =>
      new Promise((resolve, reject) => {
        asked.set(++last, { resolve, reject })
        socket.send(JSON.stringify({ id: last, method, params, sessionId }))
      }),
    on: (method, hear) => heard.set(`${sessionId} ${method}`, hear),
  })
  const whole = sessionOf()

  return {
    /**
     * A page in a profile of its own, which knows nothing. Both are gone afterwards. It shows something of another place, as a
     * page does in which somebody presses a sponsor's link; what comes next gets a fresh process, whoever serves it.
     */
    async inNewPage<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
      const context = await whole.send<{ browserContextId: string }>('Target.createBrowserContext')
      const target = await whole.send<{ targetId: string }>('Target.createTarget', {
        url: 'data:text/html,Hello',
        ...context,
      })
      const attached = await whole.send<{ sessionId: string }>('Target.attachToTarget', { ...target, flatten: true })
      try {
        return await work(sessionOf(attached.sessionId))
      } finally {
        await whole.send('Target.disposeBrowserContext', context)
      }
    },
    async close() {
      process.off('exit', endAtOnce)
      await whole.send('Browser.close')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The address at which it listens: the one line of its chatter that matters. */
async function addressIn(chatter: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(chatter)) {
    const [, address] = /^DevTools listening on (ws:.*)$/.exec(line) ?? []
    if (address) {
      chatter.resume()
      return address
    }
  }
  throw new Error('Chromium ended before it listened.')
}
