import { expect, type Page, test } from '@playwright/test'
import { fillAccount, fillAccountCreation, fillPayment, next, pay, reachPayment, someone } from './visitor.ts'

/** How far a page can be pushed to the side. */
const sideways = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

test('12.8 nothing is lost at 320 pixels', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 })
  await reachPayment(page)
  expect(await sideways(page)).toBe(0)
})

/** What is cut off by its own frame, or stands outside the screen. */
const lost = (page: Page) =>
  page.evaluate(() => {
    const isLost = (element: Element) => {
      const { left, right, width } = element.getBoundingClientRect()
      return width > 1 && (left < 0 || right > innerWidth || element.scrollWidth > element.clientWidth + 1)
    }
    const parts = [...document.querySelectorAll('.button, .card, .amounts, .lines, .facts, .review, .indicator li')]
    return parts.filter((part) => part.checkVisibility() && isLost(part)).map((part) => part.textContent)
  })

test('12.8 nothing is lost on a phone whose letters are twice as large', async ({ page }) => {
  const browser = await page.context().newCDPSession(page)
  await browser.send('Page.enable')
  await browser.send('Page.setFontSizes', { fontSizes: { standard: 32 } })
  const nothingLost = async () => {
    expect.soft(await sideways(page)).toBe(0)
    expect.soft(await lost(page)).toEqual([])
  }
  await page.goto('/ana')
  expect(await page.evaluate(() => matchMedia('(width < 15rem)').matches)).toBe(true)
  await page.locator('.order summary').click()
  await nothingLost()
  const who = someone()
  await fillAccount(page, who)
  await next(page)
  await fillAccountCreation(page, who)
  await nothingLost()
  await next(page)
  await fillPayment(page)
  await nothingLost()
  await pay(page)
  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible()
  await nothingLost()
  await page.waitForURL('**/office')
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
  await nothingLost()
})

test('12.8 long names are broken rather than lost', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 })
  await page.goto(`/${'w'.repeat(30)}`)
  await expect(page.getByText('wwwww').first()).toBeVisible()
  expect.soft(await sideways(page)).toBe(0)
  await reachPayment(page, '/master', { ...someone(), first_name: 'W'.repeat(28) })
  await fillPayment(page)
  expect.soft(await sideways(page)).toBe(0)
  await pay(page)
  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible()
  expect.soft(await sideways(page)).toBe(0)
  await page.waitForURL('**/office')
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
  expect.soft(await sideways(page)).toBe(0)
})
