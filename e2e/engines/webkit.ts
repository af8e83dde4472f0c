import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findWebKit } from '../../scripts/find.mjs'
import { freePort } from '../../scripts/port.mjs'
import type { Driver, Engine, WindowOptions } from './driver.ts'

/** GTK's toolbar would keep the window wider than a phone. */
const narrowToolbar = '* { min-width: 0; padding: 0; margin: 0; font-size: 1px; -gtk-icon-size: 1px }'

/** WebKitGTK, driven through WebDriver, on a screen of its own. Every window is a process with its own private session. */
export async function startWebKit(): Promise<Engine> {
  const home = mkdtempSync(join(tmpdir(), 'foyer-webkit-'))
  mkdirSync(join(home, 'gtk-3.0'))
  writeFileSync(join(home, 'gtk-3.0/gtk.css'), narrowToolbar)
  const screen = await startScreen()
  const port = await freePort()
  const webkit = findWebKit()
  const driver = spawn(webkit?.driver ?? '', [`--port=${port}`], {
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      HOME: home,
      XDG_CONFIG_HOME: home,
      DISPLAY: screen.display,
      GDK_BACKEND: 'x11',
      LIBGL_ALWAYS_SOFTWARE: '1',
      NO_AT_BRIDGE: '1', // there is no accessibility bus to wait for
      WEBKIT_DISABLE_COMPOSITING_MODE: '1', // without a graphics card, layers only double the work
    },
  })
  const exit = once(driver, 'exit')
  const call = createCaller(`http://127.0.0.1:${port}`)
  await untilReady(() => call('GET', '/status'))
  return {
    openWindow: (options) => openSession(call, webkit?.browser ?? '', options),
    async close() {
      driver.kill()
      await exit
      await screen.close()
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const screenSize = { width: 1400, height: 1100 }

/** Without a window manager, the window under the pointer has the focus, and the pointer is in the middle of the screen. */
const centered = (width: number, height: number) => ({
  x: Math.round((screenSize.width - width) / 2),
  y: Math.round((screenSize.height - height) / 2),
  width,
  height,
})

/** A virtual screen. Xvfb chooses a free number itself and writes it to file descriptor 3. */
async function startScreen() {
  const xvfb = spawn(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', `${screenSize.width}x${screenSize.height}x24`, '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  )
  const exit = once(xvfb, 'exit')
  const [number] = await once(xvfb.stdio[3] as NodeJS.ReadableStream, 'data')
  return {
    display: `:${String(number).trim()}`,
    async close() {
      xvfb.kill()
      await exit
    },
  }
}

async function untilReady(attempt: () => Promise<unknown>) {
  for (const deadline = Date.now() + 10_000; ; ) {
    try {
      return await attempt()
    } catch (cause) {
      if (Date.now() > deadline) throw cause
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

type Method = 'GET' | 'POST' | 'DELETE'
type Call = <Result = unknown>(method: Method, path: string, body?: object, signal?: AbortSignal) => Promise<Result>

/** An expression in a page that is being replaced may never get an answer. The next try asks again. */
const EVALUATION_MS = 5_000

function createCaller(address: string): Call {
  return async <Result>(method: Method, path: string, body?: object, signal: AbortSignal | null = null) => {
    const reply = await fetch(`${address}${path}`, { method, signal, ...(body && { body: JSON.stringify(body) }) })
    const { value } = (await reply.json()) as { value: Result & { error?: string; message?: string } }
    if (!reply.ok) throw new Error(`${value.error}: ${value.message}`)
    return value
  }
}

async function openSession(call: Call, binary: string, { blockStorage }: WindowOptions = {}): Promise<Driver> {
  const blocking = blockStorage ? ['--cookies-policy=never', '--enable-html5-local-storage=false'] : []
  const browserOptions = { binary, args: ['--automation', ...blocking] }
  const alwaysMatch = { pageLoadStrategy: 'none', 'webkitgtk:browserOptions': browserOptions }
  const { sessionId } = await call<{ sessionId: string }>('POST', '/session', { capabilities: { alwaysMatch } })
  const session = `/session/${sessionId}`
  const send = <Result = unknown>(path: string, body = {}) => call<Result>('POST', session + path, body)
  const evaluate = (expression: string) => {
    const script = { script: `return ${expression}`, args: [] }
    return call<string>('POST', `${session}/execute/sync`, script, AbortSignal.timeout(EVALUATION_MS))
  }
  return {
    navigate: async (url) => void (await send('/url', { url })),
    reload: async () => void (await send('/refresh')),
    traverse: async (delta) => void (await send(delta < 0 ? '/back' : '/forward')),
    evaluate,
    perform: async (actions) => void (await send('/actions', { actions })),
    async resize(width, height) {
      await send('/window/rect', centered(width, height))
      const toolbar = height - Number(await evaluate('String(innerHeight)'))
      await send('/window/rect', centered(width, height + toolbar))
    },
    screenshot: () => call('GET', `${session}/screenshot`),
    close: async () => void (await call('DELETE', session)),
  }
}
