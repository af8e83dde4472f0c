import { hash } from 'node:crypto'
import { expect, test } from '@playwright/test'
import { dayIn, shortDay } from '../contract/days.ts'
import { periodStart } from '../contract/renewal.ts'
import { type OwnSite, startOwnSite } from './own-site.ts'
import { enterOffice, fillPayment, next, pay, reachPayment, waitForHydration } from './visitor.ts'

// Things that change between opening the page and paying: a price, a document, a username, a package.

test.describe.configure({ mode: 'default' }) // one after another, because they change the same database

let site: OwnSite
test.beforeAll(async () => {
  test.setTimeout(180_000) // starting a site takes time
  site = await startOwnSite()
})
test.afterAll(() => site.close())

type PackageChange = { price_cents?: number; product_category_id?: number }

const updatePackage = (product_id: number, change: PackageChange) =>
  site.db.updateTable('package').set(change).where('product_id', '=', product_id).execute()

let restorePackage: () => Promise<unknown> = async () => undefined
test.afterEach(() => restorePackage())

/** Changes a package for the rest of the test, as the operator would. */
async function changePackage(product_id: number, change: PackageChange) {
  const { price_cents, product_category_id } = await site.db
    .selectFrom('package')
    .selectAll()
    .where('product_id', '=', product_id)
    .executeTakeFirstOrThrow()
  restorePackage = () => updatePackage(product_id, { price_cents, product_category_id })
  await updatePackage(product_id, change)
}

test('10.12 a changed price and its new total are shown before anything is charged', async ({ page }) => {
  await reachPayment(page, site.at('/ana'))
  await fillPayment(page)
  const order = page.locator('.order')
  await expect(page.getByRole('button', { name: 'Confirm and Pay $99.00' })).toBeVisible()
  await changePackage(34, { price_cents: 10_900 })
  await pay(page)
  const notice = page.getByText(
    'The price has changed from $99.00 to $109.00. Please check the new total before you pay.',
  )
  await expect(notice).toBeVisible()
  await expect(order.locator('.order-price')).toHaveText('$109.00')
  await expect(order.locator('.total')).toContainText('$109.00')
  const consent = page.getByRole('checkbox', { name: /charged \$109\.00 today and \$99\.00 every month/ })
  await expect(consent).not.toBeChecked()
  await pay(page)
  await expect(page.locator('#agreement_2-error')).toHaveText('Please confirm all the agreements.')
  await consent.check()
  await pay(page)
  await enterOffice(page)
})

test('4.21 a consent that has changed is shown again before anything is charged', async ({ page }) => {
  await reachPayment(page, site.at('/ana'))
  await fillPayment(page)
  await page.route('**/api/enrollment/add-enrollment', (route) => {
    const payload = { ...route.request().postDataJSON(), shown_consent: 'An older text.' } // as an older page would send
    return route.continue({ postData: JSON.stringify(payload) })
  })
  await pay(page)
  const message = page.locator('#agreement_2-error')
  await expect(message).toHaveText(
    'This text has changed since you opened this page. Please read it again, or reload the page.',
  )
  const consent = page.getByRole('checkbox', { name: /every month/ })
  await expect(consent).not.toBeChecked()
  await page.unroute('**/api/enrollment/add-enrollment')
  await consent.check()
  await expect(message).toBeHidden()
  await pay(page)
  await enterOffice(page)
})

test('13.5 packages that cannot be loaded again stop the payment until try again has worked', async ({ page }) => {
  await reachPayment(page, site.at('/ana'))
  await fillPayment(page)
  await changePackage(34, { price_cents: 10_900 })
  await page.route('**/enrollment_packages*', (route) => route.abort())
  await pay(page)
  await page.getByRole('alertdialog', { name: 'Error' }).getByRole('button').last().click()
  for (const name of [/^Confirm and Pay/, 'Previous']) await expect(page.getByRole('button', { name })).toBeDisabled()
  await page.unroute('**/enrollment_packages*')
  await page.getByRole('button', { name: 'try again' }).click()
  await expect(page.getByRole('button', { name: 'Confirm and Pay $109.00' })).toBeEnabled()
})

test('10.12 a price that has changed when its package is chosen is shown there, and is used on the next press', async ({
  page,
}) => {
  await page.goto(site.at('/ana'))
  await waitForHydration(page)
  await page.locator('summary').click()
  await page.getByRole('button', { name: /^Change/ }).click()
  const kit = page.getByRole('button', { name: /Welcome Kit/ })
  await expect(kit).toContainText('$149.00')
  await changePackage(35, { price_cents: 15_900 })
  await kit.click()
  await expect(page.getByRole('alert')).toContainText('Your order now costs $159.00, not $149.00. Please choose again.')
  await expect(page.locator('.order-price')).toHaveText('$99.00')
  await expect(kit).toContainText('$159.00')
  await kit.click()
  await expect(page.getByLabel('First name')).toBeVisible()
  await expect(page.locator('.order-price')).toHaveText('$159.00')
  await expect(page.locator('.order')).not.toContainText('$149.00')
})

test('10.12 on a page that was open for days, the renewal date counts from the day of the payment', async ({
  page,
}) => {
  await reachPayment(page, site.at('/ana'))
  await page.getByRole('button', { name: 'Previous' }).click()
  const later = new Date(Date.now() + 3 * 86_400_000)
  await page.clock.setFixedTime(later)
  await next(page)
  await expect(page.getByLabel('Card number')).toBeVisible()
  const renewal = shortDay(periodStart(dayIn('UTC', later), 1))
  await expect(page.locator('.amounts')).toContainText(`from ${renewal}`)
})

test('10.12 a changed document must be agreed to again before anything is charged', async ({ page }) => {
  await reachPayment(page, site.at('/ana'))
  await fillPayment(page)
  const content = '<p>The new wording.</p>'
  const sha256 = hash('sha256', content, 'hex')
  await site.db.insertInto('legal_text').values({ sha256, content }).execute()
  await site.db
    .updateTable('legal_document')
    .set(({ eb }) => ({ sha256, version: eb('version', '+', 1) }))
    .where('title', '=', 'Membership Agreement')
    .execute()
  await pay(page)
  const message = page.locator('#agreement_1-error')
  await expect(message).toHaveText(
    'A document has changed since you opened this page. Please read it again, or reload the page.',
  )
  const box = page.getByRole('checkbox', { name: /I have read and agree/ })
  await expect(box).not.toBeChecked()
  await pay(page)
  await expect(message).toBeVisible()
  await page.getByRole('button', { name: 'Membership Agreement' }).click()
  await expect(page.getByRole('dialog')).toContainText('The new wording.')
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await box.check()
  await expect(message).toBeHidden()
  await pay(page)
  await enterOffice(page)
})

test('10.5 a username taken in the meantime leads back to its field, and the other answers are kept', async ({
  page,
}) => {
  const visitor = await reachPayment(page, site.at('/ana'))
  await fillPayment(page)
  await site.db.insertInto('claim').values({ kind: 'username', value: visitor.username, enrollment_id: null }).execute()
  await pay(page)
  await expect(page.getByLabel('Username')).toBeFocused()
  await expect(page.getByText('This username is already taken.').first()).toBeVisible()
  await page.getByLabel('Username').fill(`${visitor.username}x`)
  await next(page)
  await expect(page.getByLabel('Card number')).toHaveValue('4242 4242 4242 4242')
})

test('10.14 a package withdrawn before the payment is reported, and another can be chosen', async ({ page }) => {
  await reachPayment(page, site.at('/ana'))
  await fillPayment(page)
  await changePackage(34, { product_category_id: 0 })
  await pay(page)
  await expect(page.getByRole('heading', { name: 'Choose your membership' })).toBeFocused()
  await expect(page.getByRole('alert')).toContainText('This package is not available.')
  await expect(page.getByRole('button', { name: /Founding Membership/ })).toHaveCount(0)
  await page.getByRole('button', { name: /Welcome Kit/ }).click() // leads straight back to PAYMENT
  await expect(page.getByRole('button', { name: 'Confirm and Pay $149.00' })).toBeVisible()
  await expect(page.getByLabel('City')).toHaveValue('Reno')
})
