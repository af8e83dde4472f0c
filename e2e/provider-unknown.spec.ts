import { expect, type Page, test } from '@playwright/test'
import type { Fault } from '#emulators/provider/faults.ts'
import { findAxeViolations, findAxeViolationsInBothSchemes } from './axe.ts'
import { type ProviderSite, SUPPORT, startProviderSite } from './provider-site.ts'
import { documentsAreThere, fillPayment, next, pay, reachPayment, standInOffice } from './visitor.ts'

// An operator's API host got the enrollment, and its answer was lost for good.

let site: ProviderSite
test.beforeAll(async () => {
  site = await startProviderSite({ ACCESS_SECONDS: '600' })
})
test.beforeEach(({ page }) => standInOffice(page))
test.afterEach(() => site.host.fail(undefined))
test.afterAll(() => site.close())

const TITLE = 'We don’t know whether your payment went through'
const screenOf = (page: Page) => page.getByRole('heading', { level: 1, name: TITLE })
const tryAgain = (page: Page) => page.getByRole('button', { name: 'Try again' }).click()
const warning = (page: Page) => page.getByRole('dialog', { name: 'You may be charged twice' })
const ordersSent = () => site.host.seen.requests.filter(({ call }) => call === 'add_enrollment').length

/** payment_lost: the host has a new member. dropped_before: it never read the enrollment. We can't tell which. */
async function loseTheAnswer(page: Page, fault: Fault = 'payment_lost') {
  const visitor = await reachPayment(page, site.at('/ana'))
  await fillPayment(page)
  site.host.fail(fault)
  await pay(page)
  await expect(screenOf(page)).toBeVisible()
  return { ...visitor, reference: await referenceOn(page) }
}

const referenceOn = async (page: Page) => (await page.locator('.reference code').textContent()) ?? ''

async function payAnyway(page: Page) {
  await documentsAreThere(page)
  await page.getByRole('checkbox', { name: /I have read and agree/ }).check()
  await page.getByRole('checkbox', { name: /my card is charged/ }).check()
  await pay(page)
  await warning(page).getByRole('button', { name: 'Pay $99.00 anyway' }).click()
}

test('26.22 the visitor is told what is known, with a reference for support, and nothing else', {
  tag: '@width',
}, async ({ page }) => {
  const { reference } = await loseTheAnswer(page)
  expect(reference).toMatch(/^[2-9A-Z]{4}-[2-9A-Z]{4}$/)
  await expect(page).toHaveTitle(new RegExp(`^${TITLE}`))
  await expect(screenOf(page)).toBeFocused()
  await expect(screenOf(page), 'a screen reader says it with the title').toHaveAccessibleDescription(
    `We sent your payment, but the answer got lost on the way back. You may have been charged, or not. Your reference is ${reference}.`,
  )
  const main = page.locator('main')
  await expect(main).not.toContainText(/declined|nothing was charged|not been charged|never be charged/i)
  await expect(main).toContainText('Amount$99.00')
  await expect(main).toContainText('CardVisa ending in 4242')
  const support = page.getByRole('link', { name: SUPPORT })
  await expect(support.first()).toHaveAttribute('href', `mailto:${SUPPORT}?subject=Foyer%3A%20payment%20${reference}`)
  await page.context().grantPermissions(['clipboard-write', 'clipboard-read'])
  await page.getByRole('button', { name: 'Copy' }).click()
  await expect(page.getByText('The reference was copied.')).toBeAttached()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(reference)
  expect(await findAxeViolationsInBothSchemes(page)).toEqual([])
  expect(site.logged(reference)).toContain('it closed the connection')
})

test('26.22 it fits on a small phone with text twice the usual size', async ({ page }) => {
  await loseTheAnswer(page)
  await page.setViewportSize({ width: 320, height: 568 })
  const browser = await page.context().newCDPSession(page)
  await browser.send('Page.enable')
  await browser.send('Page.setFontSizes', { fontSizes: { standard: 32 } })
  const cutOff = (parts: string) =>
    page.evaluate(
      (parts) => [
        document.documentElement.scrollWidth - document.documentElement.clientWidth,
        ...[...document.querySelectorAll(parts)]
          .filter((part) => part.scrollWidth > part.clientWidth + 1 && !part.matches('.unseen, code'))
          .map((part) => part.textContent),
      ],
      parts,
    )
  expect(await cutOff('.screen :is(h1, h2, h3, p, dd, .button)')).toEqual([0])
  await tryAgain(page)
  await pay(page)
  await expect(warning(page)).toBeVisible()
  expect(await cutOff('dialog *')).toEqual([0])
})

test('26.25 a second press asks first; only a confirmed one is sent, and the welcome says what to look for', async ({
  page,
}) => {
  const { username, reference } = await loseTheAnswer(page, 'dropped_before')
  const sent = ordersSent()
  await tryAgain(page)
  const notice = page.locator('#payment-notice')
  await expect(notice).toBeFocused()
  await expect(notice).toContainText(`you’ll be charged twice. Your reference is ${reference}.`)
  await expect(page.getByLabel('Card number')).toHaveValue('4242 4242 4242 4242')
  await documentsAreThere(page)
  await page.getByRole('checkbox', { name: /I have read and agree/ }).check()
  await page.getByRole('checkbox', { name: /my card is charged/ }).check()
  await page.getByRole('button', { name: /^Confirm and Pay/ }).press('Enter')
  await expect(warning(page)).toContainText('If it did, this one is charged on top of it.')
  await expect(warning(page).getByRole('button', { name: 'Don’t pay now' }), 'a second Enter').toBeFocused()
  expect(await findAxeViolations(page)).toEqual([])
  await page.keyboard.press('Enter')
  await expect(warning(page)).toBeHidden()
  expect(ordersSent()).toBe(sent)

  await payAnyway(page)
  await expect(page.locator('.reference'), 'this answer is lost, too').toContainText(`Earlier reference${reference}`)
  const second = await referenceOn(page)
  expect(second).not.toBe(reference)
  site.host.fail(undefined)
  await tryAgain(page)
  await page.getByLabel('Card number').fill('4000000000000002')
  await payAnyway(page)
  await page.getByRole('alertdialog', { name: 'Payment Declined' }).getByRole('button', { name: 'OK' }).click()
  await expect(notice).toContainText('Your card was declined. That try wasn’t charged.')
  await expect(notice).toContainText(`Your reference is ${second}.`)

  await page.getByLabel('Card number').fill('4242424242424242')
  await payAnyway(page)
  await expect(page.locator('.second-charge')).toContainText(`give Foyer the reference ${second}.`)
  expect(ordersSent()).toBe(sent + 3)
  expect(site.host.seen.orders.filter((order) => order.username === username)).toHaveLength(1)
})

test('26.25 a host that already has the member refuses the second try, and the page says what that means', async ({
  page,
}) => {
  await loseTheAnswer(page)
  await tryAgain(page)
  site.host.fail(undefined)
  await payAnyway(page)
  const notice = page.locator('#payment-notice')
  await expect(notice).toContainText('This email address is taken.')
  await expect(notice).toContainText('your first payment went through: don’t pay again.')
})

test('26.25 after a reload the screen is the same, also in a second tab, and a new try starts with the password', async ({
  page,
  context,
}) => {
  const { reference, password } = await loseTheAnswer(page, 'dropped_before')
  site.host.fail(undefined)
  await page.reload()
  await expect(screenOf(page)).toBeVisible()
  await expect(page.locator('.reference code')).toHaveText(reference)
  const other = await context.newPage()
  await other.goto(site.at('/ana'))
  await next(other)
  await other.getByLabel('Password', { exact: true }).fill(password)
  await next(other)
  await expect(screenOf(other)).toBeVisible()
  await expect(other.locator('.reference code')).toHaveText(reference)
  await other.close()

  await tryAgain(page)
  await expect(page.getByText('Please enter your password again.')).toBeVisible()
  await expect(page.getByText('If your email address or username is taken now, it probably did.')).toBeVisible()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await next(page)
  await expect(page.locator('#payment-notice')).toContainText(reference)
  await expect(page.getByLabel('City')).toHaveValue('Reno')
})
