import { expect, test } from '@playwright/test'
import { findAxeViolations } from './axe.ts'
import { enterOffice, fillPayment, pay, reachPayment, waitForHydration } from './visitor.ts'

test.use({ colorScheme: 'dark' })

test('12.9 with a dark preference every screen is dark, and readable', async ({ page }) => {
  test.slow() // axe reads six screens
  const expectReadable = async () => {
    const brightness = await page.evaluate(() => {
      const [red = 255] = getComputedStyle(document.documentElement).backgroundColor.match(/\d+/g)?.map(Number) ?? []
      return red
    })
    expect(brightness, page.url()).toBeLessThan(60)
    expect(await findAxeViolations(page), page.url()).toEqual([])
  }
  await page.goto('/ana')
  await page.goto('/bluepier')
  await waitForHydration(page)
  await expectReadable()
  await reachPayment(page)
  await pay(page)
  await expect(page.locator('.summary')).toBeVisible()
  await expectReadable()
  await fillPayment(page)
  await pay(page)
  await enterOffice(page)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expectReadable()
  for (const address of ['/ana', '/no/such/page']) {
    await page.goto(address)
    await expectReadable()
  }
  await page.context().clearCookies()
  await page.goto('/office')
  await expectReadable()
})
