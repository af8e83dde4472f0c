import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findFirefox } from '../../scripts/find.mjs'
import type { Driver, Engine, WindowOptions } from './driver.ts'

type Prefs = Record<string, boolean | number | string>

/** Keeps Firefox from calling home, and from opening pages of its own. */
const quietPrefs: Prefs = {
  'app.normandy.enabled': false,
  'app.update.auto': false,
  'browser.aboutwelcome.enabled': false,
  'browser.safebrowsing.downloads.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'dom.disable_beforeunload': true,
  'extensions.update.enabled': false,
  'layout.frame_rate': 20, // without a graphics card, painting is most of the work
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.server': '',
  'ui.useOverlayScrollbars': 1, // as on a phone
}

/** "Block all cookies" of the settings, which also blocks storage: reading `sessionStorage` throws. */
const blockedStorage: Prefs = { 'network.cookie.cookieBehavior': 2 }

/** Firefox, driven through WebDriver BiDi. Windows of one process have separate cookies and storage. */
export async function startFirefox(): Promise<Engine> {
  const firefox = await launch(quietPrefs)
  const processes = [firefox]
  return {
    async openWindow({ blockStorage }: WindowOptions = {}) {
      if (!blockStorage) return openTab(firefox)
      const blocked = await launch({ ...quietPrefs, ...blockedStorage })
      processes.push(blocked)
      return openTab(blocked)
    },
    async close() {
      for (const { stop } of processes) await stop()
    },
  }
}

type Firefox = Awaited<ReturnType<typeof launch>>

async function launch(prefs: Prefs) {
  const profile = mkdtempSync(join(tmpdir(), 'foyer-firefox-'))
  const lines = Object.entries(prefs).map(
    ([name, value]) => `user_pref(${JSON.stringify([name, value]).slice(1, -1)});`,
  )
  writeFileSync(join(profile, 'user.js'), lines.join('\n'))
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0']
  const child = spawn(findFirefox() ?? 'firefox', args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, HOME: profile },
  })
  const exit = once(child, 'exit')
  const socket = new WebSocket(`${await findAddress(child)}/session`)
  await once(socket, 'open')
  const send = createSender(socket)
  await send('session.new', { capabilities: {} })
  return {
    send,
    async stop() {
      child.kill()
      await exit
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function findAddress({ stderr }: ChildProcess): Promise<string> {
  if (!stderr) throw new Error('Firefox has no output.')
  for await (const line of createInterface({ input: stderr })) {
    const [, address] = /^WebDriver BiDi listening on (ws:\S+)/.exec(line) ?? []
    if (address) {
      stderr.resume() // a full pipe would stop Firefox
      return address
    }
  }
  throw new Error('Firefox ended before it could be driven.')
}

type Reply = { id?: number; type: 'success' | 'error' | 'event'; result?: unknown; error?: string; message?: string }

/** Sends a command, and resolves with its result. */
function createSender(socket: WebSocket) {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  socket.addEventListener('message', ({ data }) => {
    const { id = 0, type, result, error, message }: Reply = JSON.parse(data)
    const command = waiting.get(id)
    waiting.delete(id)
    if (type === 'error') command?.reject(new Error(`${error}: ${message}`))
    else command?.resolve(result)
  })
  let lastId = 0
  return <Result = unknown>(method: string, params: object): Promise<Result> => {
    const command = Promise.withResolvers<unknown>()
    waiting.set(++lastId, command)
    socket.send(JSON.stringify({ id: lastId, method, params }))
    return command.promise as Promise<Result>
  }
}

async function openTab({ send }: Firefox): Promise<Driver> {
  const { userContext } = await send<{ userContext: string }>('browser.createUserContext', {})
  const { context } = await send<{ context: string }>('browsingContext.create', { type: 'tab', userContext })
  return {
    navigate: async (url) => void (await send('browsingContext.navigate', { context, url, wait: 'none' })),
    reload: async () => void (await send('browsingContext.reload', { context, wait: 'none' })),
    traverse: async (delta) => void (await send('browsingContext.traverseHistory', { context, delta })),
    async evaluate(expression) {
      type Evaluation = { result: { value: string }; exceptionDetails?: { text: string } }
      const params = { expression, target: { context }, awaitPromise: false }
      const { result, exceptionDetails } = await send<Evaluation>('script.evaluate', params)
      if (exceptionDetails) throw new Error(exceptionDetails.text)
      return result.value
    },
    perform: async (actions) => void (await send('input.performActions', { context, actions })),
    resize: async (width, height) =>
      void (await send('browsingContext.setViewport', { context, viewport: { width, height } })),
    screenshot: async () => (await send<{ data: string }>('browsingContext.captureScreenshot', { context })).data,
    close: async () => void (await send('browser.removeUserContext', { userContext })),
  }
}
