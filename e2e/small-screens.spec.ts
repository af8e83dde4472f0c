import { expect, type Page, test } from '@playwright/test'
import { createMember, openOffice } from './member.ts'
import {
  enterOffice,
  fillAccount,
  fillAccountCreation,
  fillCard,
  fillPayment,
  newVisitor,
  next,
  pay,
  reachPayment,
} from './visitor.ts'
import { brokenWords } from './words.ts'

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
    const names =
      '.brand, .button, .card, .amounts, .lines, .facts, .review, .indicator li, .card-line, .details > div > *, .fold-body, .email-switch'
    const parts = [...document.querySelectorAll(names)]
    return parts.filter((part) => part.checkVisibility() && isCutOff(part)).map((part) => part.textContent)
  })

test('12.8 nothing is cut off on a small phone with text twice the usual size', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 })
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
  for (const heading of await page.locator('summary.fold-head').all()) await heading.click()
  await expectNothingCutOff()
  await page.goto('/office/security')
  await expect(page.getByRole('heading', { name: 'Two-step sign-in' })).toBeVisible()
  await expectNothingCutOff()
})

const sizes = { 'a small phone': { width: 320, height: 568 }, '200 % zoom': { width: 640, height: 450 } }

/** Whether every corner of the step's last button can be pressed, once it is scrolled to. */
async function expectWholeButtons(page: Page) {
  for (const [name, size] of Object.entries(sizes)) {
    await page.setViewportSize(size)
    const problem = await page.evaluate(() => {
      const buttons = document.querySelectorAll('.step:not([hidden], .pre-rendered) :is(.actions .button, .package)')
      const button = [...buttons].at(-1)
      button?.scrollIntoView({ block: 'nearest' })
      const { left, right, top, bottom } = button?.getBoundingClientRect() ?? new DOMRect()
      const corners = [left + 9, right - 9].flatMap((x) => [top + 9, bottom - 9].map((y) => [x, y] as const))
      return corners.every(([x, y]) => button?.contains(document.elementFromPoint(x, y))) ? '' : button?.textContent
    })
    expect.soft(problem, `${await page.getByRole('heading', { level: 1 }).textContent()} on ${name}`).toBe('')
  }
}

test('12.19 12.20 12.21 11.9 every button is whole, the bar moves, help opens over what was typed, and a free username is offered', async ({
  page,
}) => {
  const json = { status: 1, message: '' }
  for (const call of ['send-verification-code', 'verify-code'])
    await page.route(`**/api/twilio/${call}`, (route) => route.fulfill({ json }))
  await page.goto(new URL('/ana', process.env.BASE_URL_ALL_STEPS).href)
  const top = (await page.getByRole('heading', { level: 1 }).boundingBox())?.y
  expect(top, 'what stands above the heading').toBeLessThanOrEqual(165)
  const expectFilled = (bar: number, part: string) =>
    expect(page.locator('.indicator li').nth(bar)).toHaveCSS('border-image-source', new RegExp(part))
  await expectWholeButtons(page)
  await expectFilled(0, '30%')
  await page.getByRole('button', { name: /Founding Membership/ }).click()
  for (const [heading, part] of [
    ['Would you like to add anything?', '50%'],
    ['Special offer', '70%'],
  ] as const) {
    await expect(page.getByRole('heading', { name: heading })).toBeVisible()
    await expectWholeButtons(page)
    await expectFilled(0, part)
    await page.getByRole('button', { name: /Continue without/ }).click()
  }
  const visitor = newVisitor()
  await fillAccount(page, visitor)
  await expectWholeButtons(page)
  await expectFilled(0, 'none')
  await page.getByRole('button', { name: 'Need help?' }).click()
  const help = page.getByRole('dialog', { name: 'Need help?' })
  await expect(help.getByRole('link', { name: 'hello@foyer.example' })).toBeInViewport({ ratio: 1 })
  await help.getByRole('button', { name: 'Close' }).click()
  await expect(help).toBeHidden()
  await expect(page.getByLabel('First name')).toHaveValue(visitor.first_name)
  await next(page)
  await page.getByRole('dialog', { name: 'Code Sent' }).getByRole('button', { name: 'OK' }).click()
  await expectWholeButtons(page)
  await expectFilled(1, '50%')
  await page.locator('[name=code]').fill('123456')
  await page.getByRole('button', { name: 'Proceed' }).click()
  await fillAccountCreation(page, { ...visitor, username: 'harbor' })
  const free = page.getByRole('status').getByRole('button').first()
  await expect(free).toHaveText('harbor2')
  expect((await free.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  await expectWholeButtons(page)
  await free.press('Enter')
  await expect(page.getByLabel('Username')).toHaveValue('harbor2')
  await expect(page.getByLabel('Username')).toBeFocused()
  await expect(page.getByText('harbor2 is available.')).toBeVisible()
  await expect(free).toHaveCount(0)
  await page.getByLabel('Username').fill(visitor.username)
  await next(page)
  await expect(page.getByRole('button', { name: /^Confirm and Pay/ })).toBeVisible()
  await expectWholeButtons(page)
})

test('12.8 on the smallest phone no word is broken, Previous is beside the pay button, and a card number is whole', async ({
  page,
}) => {
  await page.setViewportSize({ width: 320, height: 568 })
  const words = '.error, .button, .captcha-row, .trio label, .fold-head, .card-line, .section-links'
  await reachPayment(page)
  await pay(page)
  await expect(page.getByText('Please select the expiration month.').last()).toBeVisible()
  expect.soft(await brokenWords(page, words)).toEqual([])
  const [previous, submit] = await page.locator('.step:not(.pre-rendered) .actions .button').all()
  expect.soft((await previous?.boundingBox())?.y).toBe((await submit?.boundingBox())?.y)
  await fillCard(page, '4000000000000002')
  await expectWholeCardNumber(page)
  const { username, password } = await createMember(page.request)
  await openOffice(page, username, password, '#card')
  for (const head of await page.locator('.fold-head').all()) {
    const [title, icon] = await head.locator(':scope > :is(h2, .fold-title, .icon)').all()
    const [titleBox, iconBox] = [await title?.boundingBox(), await icon?.boundingBox()]
    expect.soft(iconBox?.y, (await head.textContent()) ?? '').toBeLessThan((titleBox?.y ?? 0) + (titleBox?.height ?? 0))
  }
  await fillCard(page, '4000000000000002')
  await expectWholeCardNumber(page)
  const top = async (label: string) => (await page.getByLabel(label).boundingBox())?.y
  expect.soft(await top('Expiration month')).toBe(await top('Expiration year'))
  await page.getByRole('checkbox', { name: /not a robot/ }).check()
  await expect(page.getByText('Thank you.')).toBeVisible()
  expect.soft(await brokenWords(page, words)).toEqual([])
  expect.soft((await page.getByText('not a robot').boundingBox())?.height).toBeLessThan(30)
})

const expectWholeCardNumber = async (page: Page) =>
  expect
    .soft(await page.getByLabel('Card number').evaluate((input) => input.scrollWidth - input.clientWidth))
    .toBeLessThanOrEqual(0)

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
