import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Session } from './chromium.ts'

/** Of the middle class, its screen as wide as the one our pictures are taken on. */
const SCREEN = { width: 390, height: 844, deviceScaleFactor: 2.625, mobile: true }
const userAgent =
  'Mozilla/5.0 (Linux; Android 14; Pixel 7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36'

const bytesPerSecond = (bits: number) => bits / 8
const LINE = {
  offline: false,
  latency: 150,
  downloadThroughput: bytesPerSecond(1_600_000),
  uploadThroughput: bytesPerSecond(750_000),
}
const SLOWER = 4
const QUIET_MS = 1000

/** One request as the browser sent it; `named` by the document itself, not by a script. */
export type Sent = { url: string; type: string; named: boolean }

type Sending = { requestId: string; request: { url: string }; type?: string; initiator: { type: string } }
type Answer<Result> = { result: { value: Result }; exceptionDetails?: { exception?: { description?: string } } }

/** What is done inside the page stands alone, because it is handed over as text. */
const asText = <Given>(work: (given: Given) => unknown, given: Given) => `(${work})(${JSON.stringify(given)})`

type Visit = Awaited<ReturnType<typeof arrive>>

/** Somebody who was never here, with a phone on a slow line and with a slow processor. They are gone afterwards. */
export const visit = <Result>(browser: Browser, work: (visit: Visit) => Promise<Result>): Promise<Result> =>
  browser.inNewPage(async (session) => work(await arrive(session)))

async function arrive({ send, on }: Session) {
  const sent: Sent[] = []
  const under = new Set<string>()
  let lastChange = performance.now()
  const ended = ({ requestId }: { requestId: string }) => {
    under.delete(requestId)
    lastChange = performance.now()
  }
  on('Network.requestWillBeSent', ({ requestId, request, type, initiator }: Sending) => {
    sent.push({ url: request.url, type: type ?? 'Other', named: initiator.type === 'parser' })
    under.add(requestId)
    lastChange = performance.now()
  })
  on('Network.loadingFinished', ended)
  on('Network.loadingFailed', ended)
  await send('Page.enable')
  await send('Network.enable')
  await send('Emulation.setDeviceMetricsOverride', SCREEN)
  await send('Emulation.setTouchEmulationEnabled', { enabled: true })
  await send('Emulation.setUserAgentOverride', { userAgent })
  await send('Network.emulateNetworkConditions', LINE)
  await send('Emulation.setCPUThrottlingRate', { rate: SLOWER })

  return {
    /** Every request so far, in the order in which they were sent. */
    sent,
    /** To be done in the page that is opened next, before anything of its own. */
    first: <Given>(work: (given: Given) => void, given: Given) =>
      send('Page.addScriptToEvaluateOnNewDocument', { source: asText(work, given) }),
    open: (url: string) => send('Page.navigate', { url }),
    /** Done in the page as it is now; its promise is waited for. */
    async inside<Given, Result>(work: (given: Given) => Result, given: Given): Promise<Awaited<Result>> {
      const { result, exceptionDetails } = await send<Answer<Awaited<Result>>>('Runtime.evaluate', {
        expression: asText(work, given),
        awaitPromise: true,
        returnByValue: true,
      })
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? 'It failed inside the page.')
      return result.value
    },
    /** Nothing has been on its way for a while. */
    quiet: async () => {
      while (under.size || performance.now() - lastChange < QUIET_MS) await sleep(50)
    },
  }
}
