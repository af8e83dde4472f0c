import { chromium, devices } from '@playwright/test'
import { enterOffice, fillAccount, fillAccountCreation, fillPayment, newVisitor, next, pay } from '../../e2e/visitor.ts'
import { chromiumFlags } from '../../scripts/find.mjs'
import { requireChromium } from './chromium.ts'

/** What the browser receives on the way from a sponsor's link to the office, with headers. */
export type JourneyFigures = { journey_bytes: number; journey_requests: number }

/** Joins with an empty cache, on a phone. */
export async function measureJourney(url: string): Promise<JourneyFigures> {
  const browser = await chromium.launch({ executablePath: requireChromium(), args: chromiumFlags })
  try {
    const page = await browser.newPage({ ...devices['Pixel 7'], viewport: { width: 390, height: 844 } })
    const session = await page.context().newCDPSession(page)
    const figures: JourneyFigures = { journey_bytes: 0, journey_requests: 0 }
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      if (!encodedDataLength) return // from the cache
      figures.journey_bytes += encodedDataLength
      figures.journey_requests += 1
    })
    await session.send('Network.enable')
    const visitor = newVisitor()
    await page.goto(url)
    await fillAccount(page, visitor)
    await next(page)
    await fillAccountCreation(page, visitor)
    await next(page)
    await fillPayment(page)
    await pay(page)
    await enterOffice(page)
    await page.waitForLoadState('networkidle')
    return figures
  } finally {
    await browser.close()
  }
}
