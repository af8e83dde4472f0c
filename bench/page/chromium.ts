import { type Browser, chromium, devices, type Page } from '@playwright/test'
import { findCommand } from '../../scripts/find.mjs'

// Without a sandbox because root has none; the rest keeps Chromium from calling home.
export const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The machine's own browser with all that it has, not its windowless sibling. */
export function findChromium(): string {
  const found =
    process.env.CHROMIUM_PATH ?? findCommand('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable')
  if (!found) throw new Error('There is no Chromium on this machine.')
  return found
}

export const openChromium = (): Promise<Browser> => chromium.launch({ executablePath: findChromium(), args: flags })

const LATENCY_MS = 150
const bytesPerSecond = (bits: number) => bits / 8
const DOWN = bytesPerSecond(1_600_000)
const UP = bytesPerSecond(750_000)
const SLOWER = 4

/** One request as the browser sent it; `named` by the document itself, not by a script. */
export type Sent = { url: string; type: string; named: boolean }

export type Visit = {
  page: Page
  /** Every request so far, in the order in which they were sent. */
  sent: Sent[]
  /** Nothing has been on its way for a while. */
  quiet: () => Promise<void>
}

const QUIET_MS = 1000

/** A phone that was never here, on a slow line, with a slow processor. It is gone afterwards. */
export async function visit<Result>(browser: Browser, work: (visit: Visit) => Promise<Result>): Promise<Result> {
  const context = await browser.newContext({ ...devices['Pixel 7'], viewport: { width: 390, height: 844 } })
  try {
    const page = await context.newPage()
    const cdp = await context.newCDPSession(page)
    const sent: Sent[] = []
    const under = new Set<string>()
    let lastChange = performance.now()
    const ended = ({ requestId }: { requestId: string }) => {
      under.delete(requestId)
      lastChange = performance.now()
    }
    cdp.on('Network.requestWillBeSent', ({ requestId, request, type, initiator }) => {
      sent.push({ url: request.url, type: type ?? 'Other', named: initiator.type === 'parser' })
      under.add(requestId)
      lastChange = performance.now()
    })
    cdp.on('Network.loadingFinished', ended)
    cdp.on('Network.loadingFailed', ended)
    await cdp.send('Network.enable')
    await cdp.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: LATENCY_MS,
      downloadThroughput: DOWN,
      uploadThroughput: UP,
    })
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
    const quiet = async () => {
      while (under.size || performance.now() - lastChange < QUIET_MS) await page.waitForTimeout(50)
    }
    return await work({ page, sent, quiet })
  } finally {
    await context.close()
  }
}
