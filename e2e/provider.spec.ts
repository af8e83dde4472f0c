import { expect, type Page, test } from '@playwright/test'
import { findAxeViolations } from './axe.ts'
import { CODE, type ProviderSite, SUPPORT, startProviderSite } from './provider-site.ts'
import { allStepsSettings } from './start-sites.ts'
import {
  documentsAreThere,
  fillAccount,
  fillAccountCreation,
  fillCard,
  fillPayment,
  GRANT_LINK,
  newPhone,
  newVisitor,
  next,
  pay,
  reachAccountCreation,
  reachPayment,
  standInOffice,
  waitForHydration,
} from './visitor.ts'

// The wizard in front of an operator's own API host.

let site: ProviderSite
test.beforeAll(async () => {
  site = await startProviderSite({ ACCESS_SECONDS: '600' })
})
test.beforeEach(({ page }) => standInOffice(page))
test.afterEach(() => site.host.fail(undefined))
test.afterAll(() => site.close())

const ordersOf = (username: string) => site.host.seen.orders.filter((order) => order.username === username)

async function reachWelcome(page: Page) {
  const visitor = await reachPayment(page, site.at('/ana-maria'))
  await fillPayment(page)
  await pay(page)
  await expect(page.getByRole('heading', { name: 'Welcome to Foyer, Zoë' })).toBeVisible()
  return visitor
}

test('26.24 a visitor joins at the host and is sent to its office', { tag: '@width' }, async ({ page }) => {
  await page.goto(site.at('/ana-maria'))
  await expect(page.locator('.order')).toContainText('$99.00 today')
  await expect(page.locator('.order')).not.toContainText(/month|once|one.time/)
  expect(await findAxeViolations(page)).toEqual([])
  const visitor = await reachWelcome(page)
  await expect(
    page.getByText('Your virtual office is ready.').or(page.getByText(/You should be redirected/)),
  ).toBeVisible()
  await expect(page.locator('.receipt')).toContainText('Paid today$99.00')
  await expect(page.locator('.receipt')).toContainText('We don’t send a copy of this page.')
  await expect(page.locator('.receipt')).not.toContainText(/Reference|renewal|on its way/)
  await page.getByRole('button', { name: 'Login' }).click()
  await page.waitForURL(GRANT_LINK)
  expect(ordersOf(visitor.username)).toMatchObject([
    { fields: { sponsor_site_name: 'ana-maria', cc_number: '4242424242424242' } },
  ])
  await page.goto(site.at('/ana-maria'))
  await expect(page.getByRole('heading', { name: `You joined as ${visitor.username}` })).toBeVisible()
  await expect(page.getByText('Foyer can tell you where to sign in')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Open my office' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Enroll another person' }).click()
  await waitForHydration(page)
  await expect(page.getByLabel('First name')).toHaveValue('')
})

test('26.24 with every step switched on, the host sends and checks the code and gets the whole order', async ({
  page,
}) => {
  const own = await startProviderSite({ ...allStepsSettings, ACCESS_SECONDS: '600' })
  await page.goto(own.at('/ana'))
  await expect(page.getByText('You can change your choice until you pay.')).toBeVisible()
  for (const price of ['$99.00', '$24.00', '$49.00'])
    await page.locator('.packages').getByRole('button').filter({ hasText: price }).click()
  const visitor = { ...newVisitor(), phone: newPhone() }
  await fillAccount(page, visitor)
  own.host.fail('code_lost')
  await next(page)
  const dialog = page.getByRole('alertdialog').or(page.getByRole('dialog'))
  await expect(dialog).toContainText('Error sending verification code')
  own.host.fail(undefined)
  await dialog.getByRole('button', { name: 'Try Again' }).click()
  await expect(dialog).toContainText('Verification code has been successfully sent to your phone.')
  await dialog.getByRole('button', { name: 'OK' }).click()
  await page.locator('[name=code]').fill('000000')
  await expect(page.getByText('This code is wrong').first()).toBeVisible()
  await page.locator('[name=code]').fill(CODE)
  await page.getByRole('button', { name: 'Proceed' }).click()
  await fillAccountCreation(page, visitor)
  await next(page)
  await expect(page.getByRole('button', { name: 'Confirm and Pay $172.00' })).toBeVisible()
  await expect(page.getByText('You pay $172.00 today. The documents below say what you pay later.')).toBeVisible()
  await fillPayment(page)
  await pay(page)
  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible()
  const order = { product_ids: '34', autoship_product_ids: '41', special_product_ids: '52' }
  expect(own.host.seen.orders).toMatchObject([{ username: visitor.username, fields: order }])
  await own.close()
})

test('26.24 the host decides: a taken username, a declined card, a taken email address, and then it works', async ({
  page,
}) => {
  const visitor = await reachAccountCreation(page, site.at('/ana'))
  await fillAccountCreation(page, { ...visitor, username: 'ana' })
  await expect(page.getByText('This username is taken.').first()).toBeVisible()
  site.host.fail('availability_lost')
  await fillAccountCreation(page, { ...visitor, email: 'taken@host.example' })
  await next(page)
  await fillPayment(page, '4000000000000002')
  await pay(page)
  await expect(page.locator('#payment-notice')).toContainText('This email address is taken.')
  await page.goBack()
  await page.getByLabel('Email address').fill(visitor.email)
  await next(page)
  await documentsAreThere(page)
  await pay(page)
  const dialog = page.getByRole('alertdialog', { name: 'Payment Declined' })
  await expect(dialog).toContainText('Your payment has been declined. Please check your payment details and try again.')
  await dialog.getByRole('button', { name: 'OK' }).click()
  await expect(page.getByText('Your card was declined. Nothing was charged.')).toBeVisible()
  await fillCard(page, '4242424242424242')
  await pay(page)
  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible()
  expect(ordersOf(visitor.username)).toHaveLength(1)
})

test('26.24 an inactive sponsor leads to the main site', async ({ page }) => {
  await page.goto(site.at('/sam'))
  await page
    .getByRole('dialog', { name: /currently inactive/ })
    .getByRole('button')
    .click()
  await expect(page).toHaveURL(site.at('/master'))
})

test('26.24 while the host is away, known pages work, others say so and then go on', async ({ page }) => {
  await page.goto(site.at('/ana'))
  site.host.fail('dropped_before')
  await page.goto(site.at('/ana'))
  await expect(page.getByLabel('First name')).toBeVisible()
  await page.goto(site.at(`/${newVisitor().username}`))
  await expect(page.getByText('We are loading your page.')).toBeVisible()
  await expect(page.getByRole('alert')).toContainText('The site is not responding at the moment.')
  expect(await findAxeViolations(page)).toEqual([])
  site.host.fail(undefined)
  await expect(async () => {
    await page.reload()
    await expect(page.getByLabel('First name')).toBeVisible({ timeout: 1_000 })
  }).toPass()
})

test('26.23 without a token the member signs in at the host’s office', async ({ page }) => {
  site.host.fail('token_missing')
  const { username } = await reachWelcome(page)
  await expect(page.locator('.access .lead').last()).toContainText(`with your username ${username} and your password.`)
  const login = page.getByRole('link', { name: 'Login' })
  await expect(login).toHaveAttribute('href', `https://office.host.example/${username}`)
  await expect(page.getByText('Stay on this page')).toHaveCount(0)
})

test('26.23 without an address of the office the member is told what to do, before and after a reload', async ({
  page,
}) => {
  site.host.fail('office_missing')
  const { username } = await reachWelcome(page)
  const expectAdvice = async () => {
    const advice = page.locator('.access .lead').last()
    await expect(advice).toContainText('Your payment was accepted, and you are a member.')
    await expect(advice).toContainText('Please look for an email from Foyer that says where to sign in.')
    await expect(advice).toContainText(username)
    await expect(advice.getByRole('link', { name: SUPPORT })).toHaveAttribute('href', `mailto:${SUPPORT}`)
    await expect(page.locator('.access .login')).toHaveCount(0)
  }
  await expectAdvice()
  expect(await findAxeViolations(page)).toEqual([])
  await page.reload()
  await expectAdvice()
})
