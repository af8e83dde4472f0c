import { expect, type Page, test } from '@playwright/test'
import { findAxeViolations } from './axe.ts'
import { startOwnSite } from './own-site.ts'
import {
  documentsAreThere,
  enterOffice,
  fillAccount,
  fillAccountCreation,
  fillCard,
  newPhone,
  newVisitor,
  next,
} from './visitor.ts'

// The captcha before the first code and before the payment: our own, or a vendor's.
const ownCaptcha = (path: string) => new URL(path, process.env.BASE_URL_ALL_STEPS).href
const vendorCaptcha = (path: string) => new URL(path, process.env.BASE_URL_VENDOR).href

const SEND = '**/api/twilio/send-verification-code'
const boxIn = (page: Page) => page.frameLocator('iframe[title=Captcha]')
const solution = (page: Page) => page.locator('[name=captcha]')
/** By keyboard, because Chromium sends a click during a scroll to where the vendor's iframe was before. */
const pay = (page: Page) => page.getByRole('button', { name: /^Confirm and Pay/ }).press('Enter')
const closeDialog = (page: Page, title: string, button: string) =>
  page.getByRole('dialog', { name: title }).getByRole('button', { name: button }).click()

const codeTo = async (page: Page, outbox: string, number: string) => {
  const address = new URL(outbox)
  address.searchParams.set('to', number)
  const messages = await (await page.request.get(address.href)).json()
  return /\b\d{6}\b/.exec(messages[0]?.body ?? '')?.[0] ?? ''
}

async function reachCode(page: Page, number = newPhone()) {
  await page.goto(ownCaptcha('/ana'))
  await page
    .getByRole('button', { name: /Founding Membership/ })
    .or(page.getByRole('radio', { name: /Founding Membership/ }))
    .filter({ visible: true })
    .first()
    .click()
  await page.getByRole('button', { name: /Continue without/ }).click()
  await expect(page.getByRole('heading', { name: 'Special offer' })).toBeVisible()
  await page.getByRole('button', { name: /Continue without/ }).click()
  await fillAccount(page, { ...newVisitor(), phone: number })
  await next(page)
}

test('5.7 the first code is sent with a captcha that was solved in the background', async ({ page }) => {
  const request = page.waitForRequest(SEND)
  await reachCode(page)
  expect((await request).postDataJSON().captcha).toMatch(/^ey/)
  await expect(page.getByRole('dialog', { name: 'Code Sent' })).toBeVisible()
  await expect(page.getByRole('checkbox', { name: /not a robot/ })).toHaveCount(0)
})

test('5.7 when our captcha cannot be solved in the background, the visitor ticks its box and the code is sent', async ({
  page,
}) => {
  await page.route('**/api/captcha/challenge', (route) => route.abort())
  await reachCode(page)
  const box = page.getByRole('checkbox', { name: /not a robot/ })
  await expect(box).toBeFocused()
  await expect(page.getByText('Please confirm that you’re not a robot, and we’ll send the code.')).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])
  await page.keyboard.press('Space')
  await expect(page.getByText('The check failed.')).toBeVisible()
  await page.unroute('**/api/captcha/challenge')
  await page.getByRole('button', { name: 'try again' }).click()
  await closeDialog(page, 'Code Sent', 'OK')
  await expect(box).toHaveCount(0)
})

test('5.7 a vendor’s captcha works before the first code and before the payment, also by keyboard', async ({
  page,
}) => {
  const policyViolations: string[] = []
  page.on('console', (message) => {
    if (/Content Security Policy|TrustedScriptURL|TrustedHTML/.test(message.text()))
      policyViolations.push(message.text())
  })
  const number = newPhone()
  const visitor = { ...newVisitor(), phone: number }
  await page.goto(vendorCaptcha('/ana'))
  await fillAccount(page, visitor)
  await next(page)
  await expect(boxIn(page).getByLabel('I am human')).toBeVisible()
  await expect(page.locator('#captcha')).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(boxIn(page).getByLabel('I am human')).toBeFocused()
  await page.keyboard.press('Space')
  await closeDialog(page, 'Code Sent', 'OK')
  await page.locator('[name=code]').fill(await codeTo(page, vendorCaptcha('/__outbox.json'), number))
  await closeDialog(page, 'Verification Successful', 'Proceed')

  await fillAccountCreation(page, visitor)
  await next(page)
  await page.getByLabel('Address', { exact: true }).fill('1600 Main St')
  await page.getByLabel('City').fill('Reno')
  await page.getByLabel('State').selectOption('NV')
  await page.getByLabel('Post / ZIP code').fill('89501')
  await fillCard(page, '4000000000000002')
  await page.getByRole('checkbox', { name: /I have read and agree/ }).check()
  await page.getByRole('checkbox', { name: /every month/ }).check()
  await pay(page)
  await expect(page.getByText('Please confirm the captcha.').first()).toBeVisible()
  await expect(page.locator('#captcha')).toBeFocused()
  expect(await findAxeViolations(page)).toEqual([])

  const box = boxIn(page).getByLabel('I am human')
  await box.check()
  await expect(solution(page)).toHaveValue(/^token-/)
  await boxIn(page).getByRole('button', { name: 'Expire' }).click()
  await expect(solution(page)).toHaveValue('')
  await box.uncheck()
  await box.check()
  await expect(solution(page)).toHaveValue(/^token-/)
  await pay(page)
  await page.getByRole('alertdialog', { name: 'Payment Declined' }).getByRole('button').last().click()
  await expect(page.getByText(/nothing was charged/i)).toBeVisible()
  await expect(solution(page)).toHaveValue('')
  await fillCard(page, '4242424242424242')
  await box.check()
  await expect(solution(page)).toHaveValue(/^token-/)
  await pay(page)
  await enterOffice(page)
  expect(policyViolations).toEqual([])
})

test('5.7 a vendor’s captcha that fails to load shows a message and can be retried', async ({ page }) => {
  await page.route('**/recaptcha/api.js*', (route) => route.abort())
  await page.goto(vendorCaptcha('/ana'))
  await fillAccount(page, { ...newVisitor(), phone: newPhone() })
  await next(page)
  await expect(page.getByText('The check failed.')).toBeVisible()
  await page.unroute('**/recaptcha/api.js*')
  await page.getByRole('button', { name: 'try again' }).click()
  await boxIn(page).getByRole('button', { name: 'Break' }).click()
  await expect(page.getByText('The check failed.')).toBeVisible()
  await page.getByRole('button', { name: 'try again' }).click()
  await boxIn(page).getByLabel('I am human').check()
  await expect(page.getByRole('dialog', { name: 'Code Sent' })).toBeVisible()
})

test('5.15 25.13 with CAPTCHA=off a visitor confirms the phone and pays without one, for the package of the settings', async ({
  page,
}) => {
  const site = await startOwnSite({ CAPTCHA: 'off', PHONE_VERIFICATION: 'on', PRESELECTED_PACKAGE: '35' })
  const visitor = { ...newVisitor(), phone: newPhone() }
  await page.goto(site.at('/ana-maria'))
  await fillAccount(page, visitor)
  await next(page)
  await closeDialog(page, 'Code Sent', 'OK')
  await page.locator('[name=code]').fill(await codeTo(page, site.at('/__outbox.json'), visitor.phone))
  await closeDialog(page, 'Verification Successful', 'Proceed')
  await fillAccountCreation(page, visitor)
  await next(page)
  await page.getByLabel('Address', { exact: true }).fill('1600 Main St')
  await page.getByLabel('City').fill('Reno')
  await page.getByLabel('State').selectOption('NV')
  await page.getByLabel('Post / ZIP code').fill('89501')
  await fillCard(page, '4242424242424242')
  await documentsAreThere(page)
  await page.getByRole('checkbox', { name: /I have read and agree/ }).check()
  await page.getByRole('checkbox', { name: /every month/ }).check()
  await expect(page.getByRole('checkbox', { name: /not a robot/ })).toHaveCount(0)
  await pay(page)
  await enterOffice(page)
  const order = await site.db.selectFrom('order_line').select('product_id').executeTakeFirst()
  expect(order?.product_id).toBe(35)
  await site.close()
})
