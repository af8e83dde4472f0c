import { expect, type Page, test } from '@playwright/test'
import {
  enterOffice,
  fillAccount,
  fillAccountCreation,
  fillPayment,
  newVisitor,
  next,
  pay,
  reachPayment,
} from './visitor.ts'

/** How many pixels a page can be scrolled sideways. */
const horizontalScroll = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

test('12.8 nothing is cut off at 320 pixels', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 })
  await reachPayment(page)
  expect(await horizontalScroll(page)).toBe(0)
})

/** The text of elements that are cut off or extend beyond the screen. */
const cutOffTexts = (page: Page) =>
  page.evaluate(() => {
    const isCutOff = (element: Element) => {
      const { left, right, width } = element.getBoundingClientRect()
      return width > 1 && (left < 0 || right > innerWidth || element.scrollWidth > element.clientWidth + 1)
    }
    const parts = [...document.querySelectorAll('.button, .card, .amounts, .lines, .facts, .review, .indicator li')]
    return parts.filter((part) => part.checkVisibility() && isCutOff(part)).map((part) => part.textContent)
  })

test('12.8 nothing is cut off on a phone with text twice the usual size', async ({ page }) => {
  const browser = await page.context().newCDPSession(page)
  await browser.send('Page.enable')
  await browser.send('Page.setFontSizes', { fontSizes: { standard: 32 } })
  const expectNothingCutOff = async () => {
    expect.soft(await horizontalScroll(page)).toBe(0)
    expect.soft(await cutOffTexts(page)).toEqual([])
  }
  await page.goto('/ana')
  expect(await page.evaluate(() => matchMedia('(width < 15rem)').matches)).toBe(true)
  await page.locator('.order summary').click()
  await expectNothingCutOff()
  const visitor = newVisitor()
  await fillAccount(page, visitor)
  await next(page)
  await fillAccountCreation(page, visitor)
  await expectNothingCutOff()
  await next(page)
  await fillPayment(page)
  await expectNothingCutOff()
  await pay(page)
  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible()
  await expectNothingCutOff()
  await enterOffice(page)
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
  await expectNothingCutOff()
})

test('12.8 long names wrap and are not cut off', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 })
  await page.goto(`/${'w'.repeat(30)}`)
  await expect(page.getByText('wwwww').first()).toBeVisible()
  expect.soft(await horizontalScroll(page)).toBe(0)
  await reachPayment(page, '/master', { ...newVisitor(), first_name: 'W'.repeat(28) })
  await fillPayment(page)
  expect.soft(await horizontalScroll(page)).toBe(0)
  await pay(page)
  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible()
  expect.soft(await horizontalScroll(page)).toBe(0)
  await enterOffice(page)
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
  expect.soft(await horizontalScroll(page)).toBe(0)
})
