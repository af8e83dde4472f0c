import { expect, type Page, test } from '@playwright/test'
import { complaints } from './axe.ts'
import { fillAccount, fillAccountCreation, fillCard, next, someone } from './visitor.ts'

// Who asks whether a person is there, before the first code and before the payment: our own captcha, or a vendor's.
const own = (path: string) => new URL(path, process.env.BASE_URL_ALL_STEPS).href
const vendor = (path: string) => new URL(path, process.env.BASE_URL_VENDOR).href

const phone = () => `+1${202 + Math.floor(Math.random() * 9)}5550${String(Math.floor(Math.random() * 90) + 110)}`
const SEND = '**/api/twilio/send-verification-code'
const boxIn = (page: Page) => page.frameLocator('iframe[title=Captcha]')
const solution = (page: Page) => page.locator('[name=captcha]')
/** By keyboard: a click in the very frame of a scroll, which no hand can do, Chromium gives to where the vendor's frame was. */
const pay = (page: Page) => page.getByRole('button', { name: /^Confirm and Pay/ }).press('Enter')
const closeDialog = (page: Page, title: string, button: string) =>
  page.getByRole('dialog', { name: title }).getByRole('button', { name: button }).click()

const codeTo = async (page: Page, outbox: string, number: string) => {
  const messages = await (await page.request.get(`${outbox}?to=${encodeURIComponent(number)}`)).json()
  return /\b\d{6}\b/.exec(messages[0]?.body ?? '')?.[0] ?? ''
}

async function toCode(page: Page, number = phone()) {
  await page.goto(own('/ana'))
  await page
    .getByRole('button', { name: /Founding Membership/ })
    .or(page.getByRole('radio', { name: /Founding Membership/ }))
    .filter({ visible: true })
    .first()
    .click()
  await page.getByRole('button', { name: /Continue without/ }).click()
  await expect(page.getByRole('heading', { name: 'Special offer' })).toBeVisible()
  await page.getByRole('button', { name: /Continue without/ }).click()
  await fillAccount(page, { ...someone(), phone: number })
  await next(page)
}

test('5.7 the first code goes out with a captcha that nobody had to look at', async ({ page }) => {
  const sent = page.waitForRequest(SEND)
  await toCode(page)
  expect((await sent).postDataJSON().captcha).toMatch(/^ey/)
  await expect(page.getByRole('dialog', { name: 'Code Sent' })).toBeVisible()
  await expect(page.getByRole('checkbox', { name: /not a robot/ })).toHaveCount(0)
})

test('5.7 when our captcha cannot be worked out, the person ticks the box and the code follows', async ({ page }) => {
  await page.route('**/api/captcha/challenge', (route) => route.abort())
  await toCode(page)
  const box = page.getByRole('checkbox', { name: /not a robot/ })
  await expect(box).toBeFocused()
  await expect(page.getByText('Please confirm that you’re not a robot, and we’ll send the code.')).toBeVisible()
  expect(await complaints(page)).toEqual([])
  await page.keyboard.press('Space')
  await expect(page.getByText('The check failed.')).toBeVisible()
  await page.unroute('**/api/captcha/challenge')
  await page.getByRole('button', { name: 'try again' }).click()
  await closeDialog(page, 'Code Sent', 'OK')
  await expect(box).toHaveCount(0)
})

test('5.7 a vendor is asked before the first code and before the payment, by keyboard too', async ({ page }) => {
  const broken: string[] = []
  page.on('console', (message) => {
    if (/Content Security Policy|TrustedScriptURL|TrustedHTML/.test(message.text())) broken.push(message.text())
  })
  const number = phone()
  const who = { ...someone(), phone: number }
  await page.goto(vendor('/ana'))
  await fillAccount(page, who)
  await next(page)
  await expect(boxIn(page).getByLabel('I am human')).toBeVisible()
  await expect(page.locator('#captcha')).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(boxIn(page).getByLabel('I am human')).toBeFocused()
  await page.keyboard.press('Space')
  await closeDialog(page, 'Code Sent', 'OK')
  await page.locator('[name=code]').fill(await codeTo(page, vendor('/__outbox.json'), number))
  await next(page)
  await closeDialog(page, 'Verification Successful', 'Proceed')

  await fillAccountCreation(page, who)
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
  expect(await complaints(page)).toEqual([])

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
  await page.waitForURL('**/office')
  expect(broken).toEqual([])
})

test('5.7 a vendor that does not answer is a sentence and another try', async ({ page }) => {
  await page.route('**/recaptcha/api.js*', (route) => route.abort())
  await page.goto(vendor('/ana'))
  await fillAccount(page, { ...someone(), phone: phone() })
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
