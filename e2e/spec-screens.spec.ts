import { expect, type Page, test } from '@playwright/test'
import { expiryYears } from '../contract/card.ts'
import {
  fillAccountCreation,
  fillPayment,
  next,
  pay,
  reachAccountCreation,
  reachPayment,
  reachShipping,
  waitForHydration,
} from './visitor.ts'

// What the owner's specification says about each screen, where no other journey looks at it.

const buttonNames = (page: Page) => page.locator('.actions button').allInnerTexts()

test('1.7 25.5 ACCOUNT asks for name, company and phone, remembers the dial code, and does not need the page hit', async ({
  page,
  context,
}) => {
  await context.route('**/api/replicated-sites/page-hits/**', (route) => route.fulfill({ status: 500, json: {} }))
  await page.goto('/ana')
  await waitForHydration(page)
  for (const label of ['First name', 'Last name', 'Company name (optional)', 'Mobile phone number'])
    await expect(page.getByLabel(label)).toBeVisible()
  expect(await buttonNames(page)).toEqual(['Next'])
  const fontWeight = (label: string) =>
    page.getByText(label, { exact: true }).evaluate((element) => Number(getComputedStyle(element).fontWeight))
  expect(await fontWeight('About Yourself')).toBeGreaterThanOrEqual(600)
  expect(await fontWeight('Account Creation')).toBeLessThan(600)
  await expect(page.getByLabel('Country code')).toHaveValue('US')
  await page.getByLabel('Country code').focus()
  await page.getByLabel('Country code').selectOption('IE')
  const laterTab = await context.newPage()
  const hit = laterTab.waitForResponse('**/page-hits/**')
  await laterTab.goto('/bluepier')
  await expect(laterTab.getByLabel('Country code')).toHaveValue('IE')
  await (await hit).finished()
  await laterTab.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
  await expect(laterTab.getByRole('alertdialog')).toHaveCount(0)
})

test('11.5 11.4 25.6 ACCOUNT_CREATION looks a short username up on leaving it, shows the first of several messages, and can show the password', async ({
  page,
}) => {
  const visitor = await reachAccountCreation(page)
  await fillAccountCreation(page, { ...visitor, username: '' })
  const password = page.getByLabel('Password', { exact: true })
  await expect(password).toHaveAttribute('type', 'password')
  await page.getByRole('button', { name: 'Show password' }).click()
  await expect(password).toHaveAttribute('type', 'text')
  await page.getByRole('button', { name: 'Hide password' }).click()
  await expect(password).toHaveAttribute('type', 'password')

  const lookups: unknown[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/validate_username')) lookups.push(request.postDataJSON())
  })
  await page.getByLabel('Username').fill('q7') // too short to be looked up while typing
  await password.focus()
  await expect.poll(() => lookups).toEqual([{ username: 'q7' }])
  await page.route('**/validate_email', (route) => route.fulfill({ json: { email: ['First.', 'Second.'] } }))
  await page.getByLabel('Username').fill(visitor.username)
  await next(page)
  await expect(page.locator('#email-error')).toHaveText(/^First\.$/)
  expect(await buttonNames(page)).toEqual(['Previous', 'Next'])
})

test('11.6 a lookup that fails is logged, and says nothing to the visitor', async ({ page }) => {
  const visitor = await reachAccountCreation(page)
  const logged: string[] = []
  page.on('console', (message) => logged.push(message.text()))
  await page.route('**/validate_username', (route) => route.abort())
  await fillAccountCreation(page, visitor)
  await expect.poll(() => logged.join()).toContain('The username could not be looked up.')
  await expect(page.locator('#username-error')).toHaveCount(0)
  await expect(page.getByRole('status').filter({ hasText: /\S/ })).toHaveCount(0)
  await expect(page.getByRole('alertdialog')).toHaveCount(0)
})

test('10.7 11.7 25.7 PAYMENT has every field of the address and the card, and opens each legal document', async ({
  page,
}) => {
  await reachPayment(page)
  const choices = (label: string) =>
    page.getByLabel(label, { exact: true }).locator('option:not([value=""])').allInnerTexts()
  for (const label of ['Address', 'Address 2 (optional)', 'City', 'Post / ZIP code', 'Card number'])
    await expect(page.getByLabel(label, { exact: true })).toBeVisible()
  expect(await choices('Country')).toEqual(['United States'])
  expect(await choices('State')).toHaveLength(62)
  expect(await choices('Expiration month')).toHaveLength(12)
  expect(await choices('Expiration year')).toEqual(expiryYears(new Date()))
  await page.getByLabel('CVC').pressSequentially('12345')
  await expect(page.getByLabel('CVC')).toHaveValue('1234')
  await expect(page.getByRole('checkbox', { name: /not a robot/ })).toBeVisible()
  expect(await buttonNames(page)).toEqual(['Previous', 'Confirm and Pay $99.00'])

  const listed: { title: string; content: string }[] = await (
    await page.request.get('/api/enrollment/get-all-legal-documents')
  ).json()
  const documents = page.locator('.agreements').getByRole('button')
  await expect(documents).toHaveText(['Terms of Membership', 'Privacy Policy', 'Membership Agreement'])
  for (const document of await documents.all()) {
    await document.click()
    const title = (await document.textContent()) ?? ''
    const dialog = page.getByRole('dialog', { name: title })
    const html = listed.find((one) => one.title === title)?.content ?? ''
    const [, firstParagraph = 'none'] = /<p>([^<]+)/.exec(html) ?? []
    await expect(dialog.locator('.legal')).toContainText(firstParagraph)
    await dialog.getByRole('button', { name: 'Close', exact: true }).click()
    await expect(dialog).toBeHidden()
  }
})

test('10.10 another country clears the region that was chosen', async ({ page }) => {
  await reachShipping(page)
  await page.getByRole('checkbox', { name: /different address/i }).check()
  const [country, region] = [page.locator('[name=ship_country]'), page.locator('[name=ship_state]')]
  await region.selectOption('AL') // Alabama; Brazil has an AL too
  await country.selectOption('BR')
  await expect(region.locator('option[value=AL]')).toHaveText('Alagoas')
  await expect(region).toHaveValue('')
})

test('10.1 4.16 25.11 ACCESS says that the office opens, keeps the token, and opens it without a dot in its address', async ({
  page,
}) => {
  await reachPayment(page)
  await fillPayment(page)
  const grant = page.waitForRequest('**/office/autologin/grant-access/*')
  await pay(page)
  await expect(page.getByText('You should be redirected to your virtual office')).toBeVisible()
  const stored = await page.evaluate(() => Object.values(localStorage).join(' '))
  await page.getByRole('button', { name: 'Login' }).click()
  const token = (await grant).url().split('/').at(-1) ?? ''
  expect(token).toMatch(/^[\w-]+~[\w-]+~[\w-]+$/)
  expect(stored).toContain(token.replaceAll('~', '.'))
})
