import { expect, type Page, test } from '@playwright/test'
import {
  fillAccount,
  fillPayment,
  newVisitor,
  next,
  openPackages,
  pay,
  reachPayment,
  reachShipping,
  waitForHydration,
} from './visitor.ts'

const ORDERS = '**/api/enrollment/orders'

const closeError = (page: Page) => page.getByRole('alertdialog', { name: 'Error' }).getByRole('button').last().click()

test('12.15 10.17 the progress has its icons, and PAYMENT has the package’s picture and the spec’s selectors', {
  tag: '@width',
}, async ({ page }) => {
  await page.goto('/ana')
  for (const label of ['About Yourself', 'Account Creation', 'Billing & Checkout'])
    await expect(page.locator('.indicator li', { hasText: label }).locator('.icon')).toBeVisible()
  const firstField = await page.getByLabel('First name').boundingBox()
  expect((firstField?.y ?? 999) + (firstField?.height ?? 0)).toBeLessThan(844)
  await reachPayment(page)
  await expect(page.locator('img[src*="packages/34"]').filter({ visible: true }).first()).toBeInViewport()
  const texts = (name: string) => page.locator(`[name=${name}] option`).allTextContents()
  expect(await texts('country')).toEqual(['Select Country', 'United States'])
  await expect(page.locator('[name=country]')).toHaveValue('US')
  expect((await texts('state')).slice(0, 2)).toEqual(['Select a state', 'Alabama'])
  await expect(page.locator('[name=state]')).toHaveValue('')
})

test('10.17 a region that is optional can be cleared again', async ({ page }) => {
  await reachShipping(page)
  await page.getByRole('checkbox', { name: /different address/i }).check()
  const region = page.locator('[name=ship_state]')
  await expect(region.locator('option').first()).toBeDisabled() // a state is required
  await page.locator('[name=ship_country]').selectOption('CA')
  await region.selectOption('ON')
  await region.selectOption('')
  await expect(region).toHaveValue('')
})

test('13.5 13.7 while the total cannot be loaded no action works, and why is always in sight', {
  tag: '@width',
}, async ({ page }) => {
  await openPackages(page)
  await page.route(ORDERS, (route) => route.abort())
  const kit = page.getByRole('button', { name: /Welcome Kit/ })
  const tryAgain = page.getByRole('button', { name: 'try again' })
  await kit.click()
  await closeError(page)
  for (const card of await page.locator('.package').all()) await expect(card).toBeDisabled()
  await kit.scrollIntoViewIfNeeded()
  await expect(tryAgain).toBeInViewport()
  await page.unroute(ORDERS)
  await tryAgain.click()
  await fillAccount(page, newVisitor())
  await next(page)
  await expect(page.getByLabel('Email address')).toBeVisible()

  await page.route(ORDERS, (route) => route.abort())
  await page.reload()
  await closeError(page)
  for (const name of ['Previous', 'Next']) await expect(page.getByRole('button', { name })).toBeDisabled()
  await expect(page.locator('.order').getByText('$0.00').filter({ visible: true }).first()).toBeVisible()
  await expect(tryAgain).toBeInViewport()
  await page.unroute(ORDERS)
  await tryAgain.click()
  await expect(page.getByRole('button', { name: 'Previous' })).toBeEnabled()
  await expect(page.locator('.order').getByText('$149.00').filter({ visible: true }).first()).toBeVisible()
})

test('13.8 a recurring package says what it costs a month', async ({ page }) => {
  await page.goto(new URL('/ana', process.env.BASE_URL_ALL_STEPS).href)
  await page.getByRole('button', { name: /Founding Membership/ }).click()
  const parcel = page.getByRole('button', { name: /Monthly Parcel/ })
  await expect(parcel).toContainText('$24.00 a month')
  await expect(parcel).not.toContainText('one time')
  await parcel.click()
  await expect(page.getByRole('button', { name: /Lantern Night/ })).toContainText('$49.00 one time')
  await expect(page.locator('.order')).toContainText('$123.00')
})

test('10.16 ACCESS leads back to PAYMENT, which says that it is paid and offers the office', async ({ page }) => {
  let presses = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/add-enrollment')) presses++
  })
  await reachPayment(page)
  await fillPayment(page)
  await page.route('**/autologin/**', (route) => route.fulfill({ status: 204 })) // the office does not open by itself
  await pay(page)
  await page.getByRole('button', { name: 'Login' }).waitFor()
  await page.getByRole('button', { name: 'Previous' }).click()
  await expect(page.getByRole('heading', { name: 'Already paid' })).toBeVisible()
  await expect(page.getByText('You are already a member.')).toBeVisible()
  await expect(page.getByRole('button', { name: /Confirm and Pay/ })).toHaveCount(0)
  await page.unroute('**/autologin/**')
  await page.getByRole('button', { name: 'Go to my office' }).click()
  await page.waitForURL('**/office')
  expect(presses).toBe(1)
})

test('10.15 a payment that was approved without a token is not called declined, and its member signs in', async ({
  page,
}) => {
  await page.route('**/api/enrollment/add-enrollment', async (route) => {
    const reply = await route.fetch()
    await route.fulfill({ response: reply, json: { ...(await reply.json()), token: '' } })
  })
  const visitor = await reachPayment(page)
  await fillPayment(page)
  await pay(page)
  await page.getByRole('link', { name: 'Login' }).waitFor()
  await expect(page.getByRole('heading', { name: /^Welcome to .+, Zoë/ })).toBeVisible()
  await expect(page.getByText(/Your payment was accepted, and you are a member/)).toContainText(visitor.username)
  await expect(page.getByRole('alertdialog')).toHaveCount(0)
  await page.getByRole('link', { name: 'Login' }).click()
  await page.getByLabel('Username or email address').fill(visitor.username)
  await page.getByLabel('Password', { exact: true }).fill(visitor.password)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: `Welcome, ${visitor.first_name}` })).toBeVisible()
})

test('1.7 a page on a host that is not the site’s does not report its visit', async ({ page }) => {
  const hits: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/page-hits/')) hits.push(request.url())
  })
  const elsewhere = new URL('/ana', process.env.BASE_URL)
  elsewhere.hostname = '127.0.0.1'
  await page.goto(elsewhere.href)
  await waitForHydration(page)
  await page.waitForTimeout(1_000) // a visit is reported once the page is idle
  expect(hits).toEqual([])
})
