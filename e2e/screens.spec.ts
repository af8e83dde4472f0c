import { test } from '@playwright/test'
import { enterOffice, fillCard, fillPayment, newVisitor, pay, reachPayment } from './visitor.ts'

// Not tests: npm run screens takes the screenshots for the docs.
const screenshotOptions = (name: string, project: { name: string }) => ({
  path: `docs/screens/${name}-${project.name}.png`,
  scale: 'css' as const,
})

test('the first step', async ({ page }, { project }) => {
  await page.goto('/ana')
  await page.getByLabel('First name').fill('Zoë')
  await page.getByLabel('Mobile phone number').fill('202 55')
  await page.getByLabel('Last name').focus()
  await page.getByText('Invalid mobile phone number format.').waitFor()
  await page.screenshot(screenshotOptions('account', project))
})

test('the payment', async ({ page }, { project }) => {
  await reachPayment(page)
  await page.getByLabel('Address', { exact: true }).fill('1600 Main St')
  await page.getByLabel('City').fill('Reno')
  await page.getByLabel('State').selectOption('NV')
  await fillCard(page, '4242424242424242')
  await pay(page)
  await page.getByText('Please confirm the captcha.').first().waitFor()
  await page.getByLabel('Post / ZIP code').fill('89501')
  await page.mouse.move(0, 0)
  await page.screenshot({ ...screenshotOptions('payment', project), fullPage: true })
})

test('the office', async ({ page, browser }, { project }) => {
  await reachPayment(page)
  await fillPayment(page)
  await pay(page)
  await enterOffice(page)
  const link = await page.getByRole('link', { name: /\/zoe/ }).first().getAttribute('href')
  const friend = await (await browser.newContext()).newPage()
  const visitor = { ...newVisitor(), first_name: 'Ben', last_name: 'Harbour' }
  await reachPayment(friend, link ?? '', visitor)
  await fillPayment(friend)
  await pay(friend)
  await enterOffice(friend)
  await page.reload()
  await page.getByText('Ben Harbour').waitFor()
  await page.screenshot(screenshotOptions('office', project))
})
