import { brotliCompressSync } from 'node:zlib'
import type { Browser } from './chromium.ts'
import {
  getLoadTimes,
  getNextStepTime,
  getVisibleText,
  type LoadTimes,
  pressNextEarly,
  recordLoad,
  timeStepChange,
} from './in-page.ts'
import { type PageRequest, withPhone } from './phone.ts'

const answers = { first_name: 'Zoë', last_name: 'Example', mobile_phone: '(202) 555-0123' }

export type VisitFigures = LoadTimes & {
  /** Milliseconds from the press on Next until the next step is painted, on an idle page. */
  stepChange: number
  /** The kinds of what the document itself requests, in order: 'page', 'script', 'image' … */
  requestKinds: string[]
  scriptUrls: string[]
  visibleText: string
}

/** Opens a page, types into the first field, waits until the page is idle, and goes to the next step. */
export const measureVisit = (browser: Browser, url: string): Promise<VisitFigures> =>
  withPhone(browser, async ({ runBeforeLoad, open, run, requests, waitUntilIdle }) => {
    await runBeforeLoad(recordLoad, answers.first_name)
    await open(url)
    await waitUntilIdle()
    const ofDocument = requests.filter(
      ({ type, fromDocument }, index) => index === 0 || (fromDocument && type !== 'Other'),
    )
    const times = await run(getLoadTimes, undefined)
    if (!times.firstField || !times.largestPaint) throw new Error(`${url} did not show a field that accepts text.`)
    return {
      ...times,
      firstField: Math.max(times.firstField, times.firstPaint),
      visibleText: await run(getVisibleText, undefined),
      stepChange: await run(timeStepChange, answers),
      requestKinds: ofDocument.map(kindOf),
      scriptUrls: ofDocument.filter(({ type }) => type === 'Script').map(({ url }) => url),
    }
  })

const kindOf = ({ type }: PageRequest) => (type === 'Document' ? 'page' : type.toLowerCase())

const TIMEOUT_MS = 15_000

/** Opens a page and presses Next as early as possible. Returns when the next step was painted; null if the press was lost. */
export const measureEarlyNext = (browser: Browser, url: string): Promise<number | null> =>
  withPhone(browser, async ({ runBeforeLoad, open, run }) => {
    await runBeforeLoad(pressNextEarly, answers)
    await open(url)
    return run(getNextStepTime, TIMEOUT_MS).catch(() => null) // the browser submitted the form and left the page
  })

/** The total size of scripts in brotli, however their server compresses them. */
export async function measureBrotliBytes(scriptUrls: string[]): Promise<number> {
  const sizes = scriptUrls.map(async (url) => {
    const response = await fetch(url)
    return brotliCompressSync(await response.bytes()).length
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
