import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Session } from './chromium.ts'

/** A mid-range phone, as wide as in our screenshots. */
const SCREEN = { width: 390, height: 844, deviceScaleFactor: 2.625, mobile: true }
const userAgent =
  'Mozilla/5.0 (Linux; Android 14; Pixel 7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36'

const bytesPerSecond = (bits: number) => bits / 8
const NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: bytesPerSecond(1_600_000),
  uploadThroughput: bytesPerSecond(750_000),
}
const CPU_SLOWDOWN = 4
const IDLE_MS = 1000

/** A request of the page. `fromDocument`: the HTML itself asks for it, not a script. */
export type PageRequest = { url: string; type: string; fromDocument: boolean }

type RequestEvent = { requestId: string; request: { url: string }; type?: string; initiator: { type: string } }
type Evaluation<Result> = { result: { value: Result }; exceptionDetails?: { exception?: { description?: string } } }

/** Source code that calls a function of in-page.ts. */
const toSource = <Input>(work: (input: Input) => unknown, input: Input) => `(${work})(${JSON.stringify(input)})`

type Phone = Awaited<ReturnType<typeof emulatePhone>>

/** Runs `work` on a new phone with an empty cache, a slow network and a slow processor. */
export const withPhone = <Result>(browser: Browser, work: (phone: Phone) => Promise<Result>): Promise<Result> =>
  browser.withPage(async (session) => work(await emulatePhone(session)))

async function emulatePhone({ send, on }: Session) {
  const requests: PageRequest[] = []
  const openRequests = new Set<string>()
  let lastActivity = performance.now()
  const end = ({ requestId }: { requestId: string }) => {
    openRequests.delete(requestId)
    lastActivity = performance.now()
  }
  on('Network.requestWillBeSent', ({ requestId, request, type, initiator }: RequestEvent) => {
    requests.push({ url: request.url, type: type ?? 'Other', fromDocument: initiator.type === 'parser' })
    openRequests.add(requestId)
    lastActivity = performance.now()
  })
  on('Network.loadingFinished', end)
  on('Network.loadingFailed', end)
  await send('Page.enable')
  await send('Network.enable')
  await send('Emulation.setDeviceMetricsOverride', SCREEN)
  await send('Emulation.setTouchEmulationEnabled', { enabled: true })
  await send('Emulation.setUserAgentOverride', { userAgent })
  await send('Network.emulateNetworkConditions', NETWORK)
  await send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })

  return {
    /** All requests so far, in order. */
    requests,
    /** Runs `work` in the next page before any of its own scripts. */
    runBeforeLoad: <Input>(work: (input: Input) => void, input: Input) =>
      send('Page.addScriptToEvaluateOnNewDocument', { source: toSource(work, input) }),
    open: (url: string) => send('Page.navigate', { url }),
    /** Runs `work` in the current page and waits for its promise. */
    async run<Input, Result>(work: (input: Input) => Result, input: Input): Promise<Awaited<Result>> {
      const { result, exceptionDetails } = await send<Evaluation<Awaited<Result>>>('Runtime.evaluate', {
        expression: toSource(work, input),
        awaitPromise: true,
        returnByValue: true,
      })
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? 'A script in the page failed.')
      return result.value
    },
    waitUntilIdle: async () => {
      while (openRequests.size || performance.now() - lastActivity < IDLE_MS) await sleep(50)
    },
  }
}
