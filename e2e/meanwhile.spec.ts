import { expect, type Page, test } from '@playwright/test'
import { renewsOn } from '../contract/renewal.ts'
import { awake, fillPayment, next, pay, reachPayment } from './visitor.ts'

// What has changed between the first look at the page and the press that pays: a price, a document, a name, a package.

test('10.12 a price that has changed since is shown before anything is charged, and adds up', async ({ page }) => {
  await page.route('**/ana', async (route) => {
    const response = await route.fetch()
    const before = (start: string) => start.replaceAll('99.00', '89.00') // as if it had been opened before the price went up
    await route.fulfill({ response, body: (await response.text()).replace(/id="start".*?<\/script>/s, before) })
  })
  await reachPayment(page)
  await fillPayment(page)
  const order = page.locator('.order')
  await expect(page.getByRole('button', { name: 'Confirm and Pay $89.00' })).toBeVisible()
  await pay(page)
  const notice = page.getByText(
    'The price has changed from $89.00 to $99.00. Please check the new total before you pay.',
  )
  await expect(notice).toBeVisible()
  await expect(order).toContainText('$99.00')
  await expect(order).not.toContainText('$89.00')
  await pay(page)
  await page.waitForURL('**/office')
})

test('10.12 a price that has changed when its package is chosen is told there, and then adds up', async ({ page }) => {
  await page.goto('/ana')
  await awake(page)
  await page.locator('summary').click()
  await page.getByRole('button', { name: /^Change/ }).click()
  const dearer = { price: '159.00' }
  await page.route('**/api/enrollment/enrollment_packages*', async (route) => {
    const packages: { product_id: number }[] = await (await route.fetch()).json()
    await route.fulfill({ json: packages.map((found) => (found.product_id === 35 ? { ...found, ...dearer } : found)) })
  })
  await page.route('**/api/enrollment/orders', async (route) => {
    if (route.request().postDataJSON().product_ids !== '35') return route.fallback()
    await route.fulfill({ json: { grand_total: dearer.price } })
  })
  const kit = page.getByRole('button', { name: /Welcome Kit/ })
  await expect(kit).toContainText('$149.00')
  await kit.click()
  await expect(page.getByRole('alert')).toContainText(
    'Your order comes to $159.00 now, not $149.00. Please choose again.',
  )
  await expect(page.locator('.order-price')).toHaveText('$99.00')
  await expect(kit).toContainText('$159.00')
  await kit.click()
  await expect(page.getByLabel('First name')).toBeVisible()
  await expect(page.locator('.order-price')).toHaveText('$159.00')
  await expect(page.locator('.order')).not.toContainText('$149.00')
})

test('10.12 a page that was open for days renews a month from the day it pays', async ({ page }) => {
  await reachPayment(page)
  await page.getByRole('button', { name: 'Previous' }).click()
  const later = new Date(Date.now() + 3 * 86_400_000)
  await page.clock.setFixedTime(later)
  await next(page)
  await expect(page.getByLabel('Card number')).toBeVisible()
  const [, month, day] = renewsOn(later).split('-').map(Number)
  const renewal = new Date(Date.UTC(2026, (month ?? 1) - 1, day)).toLocaleDateString('en-US', shortly)
  await expect(page.locator('.order-renewal')).toContainText(`from ${renewal}`)
})

const shortly = { month: 'short', day: 'numeric', timeZone: 'UTC' } as const

test('10.12 a document that has changed since is agreed to anew before anything is charged', async ({ page }) => {
  await reachPayment(page)
  await fillPayment(page)
  await page.route(
    '**/api/enrollment/add-enrollment',
    async (route) => {
      const shown_texts = '0'.repeat(64) // as if the page had been opened before the document changed
      await route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), shown_texts }) })
    },
    { times: 1 },
  )
  await pay(page)
  const message = page.locator('#agreement_1-error')
  await expect(message).toHaveText('A document has changed since you opened this page. Please read it again.')
  const box = page.getByRole('checkbox', { name: /I have read and agree/ })
  await expect(box).not.toBeChecked()
  await pay(page)
  await expect(message).toBeVisible()
  await box.check()
  await expect(message).toBeHidden()
  await pay(page)
  await page.waitForURL('**/office')
})

test('10.5 a name that was taken meanwhile leads back to its field, and the rest is kept', async ({ page }) => {
  const who = await reachPayment(page)
  await fillPayment(page)
  await page.route(
    '**/api/enrollment/add-enrollment',
    (route) =>
      route.fulfill({
        status: 422,
        json: {
          message: 'Please check the marked fields.',
          fields: { username: ['This username is already taken.'] },
        },
      }),
    { times: 1 },
  )
  await pay(page)
  await expect(page.getByLabel('Username')).toBeFocused()
  await expect(page.getByText('This username is already taken.').first()).toBeVisible()
  await page.getByLabel('Username').fill(`${who.username}x`)
  await next(page)
  await expect(page.getByLabel('Card number')).toHaveValue('4242 4242 4242 4242')
})

/** As if an operator had taken a package off the shelf after the page was opened. */
async function withdraw(page: Page, product_id: number) {
  await page.route('**/api/enrollment/enrollment_packages*', async (route) => {
    const response = await route.fetch()
    const packages: { product_id: number }[] = await response.json()
    await route.fulfill({ response, json: packages.filter((found) => found.product_id !== product_id) })
  })
  await page.route(/enrollment\/(orders|add-enrollment)$/, async (route) => {
    const order: Record<string, string> = route.request().postDataJSON()
    const lists = ['product_ids', 'autoship_product_ids', 'special_product_ids']
    const list = lists.find((name) => order[name] === String(product_id))
    if (!list) return route.fallback()
    const fields = { [list]: ['This package is not available.'] }
    await route.fulfill({ status: 422, json: { message: 'Please check the marked fields.', fields } })
  })
}

test('10.14 a package that is gone when it is paid for is told, and another one can be chosen', async ({ page }) => {
  const who = await reachPayment(page)
  await fillPayment(page)
  await withdraw(page, 34)
  await pay(page)
  await expect(page.getByRole('heading', { name: 'Choose your membership' })).toBeFocused()
  await expect(page.getByRole('alert')).toContainText('This package is not available.')
  await expect(page.getByRole('button', { name: /Founding Membership/ })).toHaveCount(0)
  await page.getByRole('button', { name: /Welcome Kit/ }).click()
  await expect(page.getByLabel('First name')).toHaveValue(who.first_name)
  await next(page)
  await next(page)
  await expect(page.getByRole('button', { name: 'Confirm and Pay $149.00' })).toBeVisible()
  await expect(page.getByLabel('City')).toHaveValue('Reno')
})
