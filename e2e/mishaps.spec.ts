import { expect, test } from '@playwright/test'
import { cards } from '../server/gateways/payment/cards.ts'
import { complaints } from './axe.ts'
import { fillAccount, fillAccountCreation, fillPayment, holdUp, next, pay, reachPayment, someone } from './visitor.ts'

// What may come in between on the way to the office. The server and the wizard decide it, on every screen alike.

const nothing = async () => undefined

test('10.2 declined, then approved, without typing anything again but the card', async ({ page }) => {
  await reachPayment(page)
  await fillPayment(page, '4000000000000002')
  await pay(page)
  const dialog = page.getByRole('alertdialog', { name: 'Payment Declined' })
  await expect(dialog).toContainText('Your payment has been declined. Please check your payment details and try again.')
  expect(await complaints(page)).toEqual([])
  await dialog.getByRole('button', { name: 'OK' }).click()
  await expect(page.getByText(/nothing was charged/i)).toBeVisible()
  await expect(page.getByText(/try another card, or ask your bank/)).toBeVisible()
  await expect(page.getByLabel('Address', { exact: true })).toHaveValue('1600 Main St')
  await expect(page.getByLabel('CVC')).toHaveValue('123')
  await page.getByLabel('Card number').fill('5555555555554444')
  await pay(page)
  await page.waitForURL('**/office')
})

for (const [who, before, after] of [
  ['went back', nothing, next],
  ['went back and is there again', next, nothing],
] as const)
  test(`10.2 who ${who} when the bank declines finds the word beside the card`, async ({ page }) => {
    await reachPayment(page)
    await fillPayment(page, cards.declined)
    const { asked, answer } = await holdUp(page, '**/api/enrollment/add-enrollment')
    await pay(page)
    await asked
    await page.getByRole('button', { name: 'Previous' }).click()
    await expect(page.getByLabel('Email address')).toBeVisible()
    await before(page)
    await answer()
    await page.getByRole('alertdialog', { name: 'Payment Declined' }).getByRole('button', { name: 'OK' }).click()
    await after(page)
    await expect(page.getByText('Your card was declined. Nothing was charged.')).toBeVisible()
    await expect(page.getByLabel('City')).toHaveValue('Reno')
  })

test('10.7 a document that cannot be opened is told, and opens when the network is back', async ({ page }) => {
  await page.route('**/assets/openDialog-*.js', (route) => route.abort())
  await reachPayment(page)
  const terms = page.getByRole('button', { name: 'Membership Agreement' })
  await terms.click()
  const told = page.getByRole('alert').filter({ hasText: 'The Membership Agreement could not be opened.' })
  await expect(told).toBeVisible()
  await page.unroute('**/assets/openDialog-*.js')
  await terms.click()
  await expect(page.getByRole('dialog', { name: 'Membership Agreement' })).toBeVisible()
  await expect(told).toBeHidden()
})

test('10.2 what was said of a press is not said again to who went away and comes back', async ({ page }) => {
  await reachPayment(page)
  await fillPayment(page)
  const message = 'Please wait 10 minutes and try again.'
  await page.route('**/api/enrollment/add-enrollment', (route) => route.fulfill({ status: 429, json: { message } }))
  await pay(page)
  await expect(page.getByText(message)).toBeVisible()
  await page.getByRole('button', { name: 'Previous' }).click()
  await next(page)
  await expect(page.getByRole('button', { name: /^Confirm and Pay/ })).toBeVisible()
  await expect(page.getByText(message)).toHaveCount(0)
})

test('10.13 when the server asks for a code before it takes the card, the code leads back to the payment', async ({
  page,
}) => {
  await reachPayment(page)
  await fillPayment(page)
  const code = ['Please confirm your phone number with the code we send you.']
  const json = { message: 'Please check the marked fields.', fields: { code } }
  await page.route('**/api/enrollment/add-enrollment', (route) => route.fulfill({ status: 422, json }), { times: 1 })
  for (const call of ['send-verification-code', 'verify-code'])
    await page.route(`**/api/twilio/${call}`, (route) => route.fulfill({ json: { status: 1, message: '' } }))
  await pay(page)
  await page.getByRole('dialog', { name: 'Code Sent' }).getByRole('button').last().click()
  await page.getByLabel(/code/i).first().fill('123456')
  await next(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Proceed' }).click()
  await expect(page.getByLabel('Card number')).toHaveValue('4242 4242 4242 4242')
  await expect(page.getByRole('button', { name: 'Membership Agreement' })).toBeVisible() // or it cannot be agreed to
  await pay(page)
  await page.waitForURL('**/office')
})

test('10.13 5.8 when no code is needed by then, the way leads back to the payment without one', async ({ page }) => {
  await reachPayment(page)
  await fillPayment(page)
  const code = ['Please confirm your phone number with the code we send you.']
  const json = { message: 'Please check the marked fields.', fields: { code } }
  await page.route('**/api/enrollment/add-enrollment', (route) => route.fulfill({ status: 422, json }), { times: 1 })
  await pay(page)
  const dialog = page.getByRole('dialog', { name: 'No Code Needed' })
  await expect(dialog).toContainText('No code is needed right now. You can continue without one.')
  await dialog.getByRole('button', { name: 'Proceed' }).click()
  await expect(page.getByLabel('Card number')).toHaveValue('4242 4242 4242 4242')
  await expect(page.getByRole('button', { name: 'Membership Agreement' })).toBeVisible() // or it cannot be agreed to
  await pay(page)
  await page.waitForURL('**/office')
})

test('10.4 a request that fails shows the Error dialog, and the next press pays once', async ({ page }) => {
  await reachPayment(page)
  await fillPayment(page)
  await page.route('**/api/enrollment/add-enrollment', (route) => route.abort(), { times: 1 })
  await pay(page)
  const dialog = page.getByRole('alertdialog', { name: 'Error' })
  await expect(dialog).toContainText('There was an error processing your payment. Please try again later.')
  await dialog.getByRole('button').last().click()
  await pay(page)
  await page.waitForURL('**/office')
})

test('4.23 10.4 so does a gateway that turns the payment away, at once; the next press pays', async ({ page }) => {
  await reachPayment(page)
  await fillPayment(page, cards.failed)
  await pay(page)
  const dialog = page.getByRole('alertdialog', { name: 'Error' })
  await expect(dialog).toContainText('There was an error processing your payment. Please try again later.')
  await dialog.getByRole('button').last().click()
  await page.getByLabel('Card number').fill(cards.good)
  await pay(page)
  await page.waitForURL('**/office')
})

test('10.4 an answer that is lost on the way is looked up, not asked for again', async ({ page }) => {
  await reachPayment(page)
  await fillPayment(page)
  let sent = 0
  await page.route('**/api/enrollment/add-enrollment', async (route) => {
    sent++
    await route.fetch()
    await route.abort()
  })
  await pay(page)
  await page.waitForURL('**/office')
  expect(sent).toBe(1)
})

test('10.6 15.2 paid is paid: Back, reload and a second tab never show the form again', async ({ page, context }) => {
  await reachPayment(page)
  await fillPayment(page)
  await page.route('**/office/autologin/**', (route) => route.fulfill({ status: 204 })) // stay and look
  await pay(page)
  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible()
  expect(await complaints(page)).toEqual([])
  const told = async (heading: string | RegExp, where = page) => {
    await expect(where.getByRole('heading', { name: heading, level: 1 })).toBeVisible()
    await expect(where.getByRole('button', { name: /^Confirm and Pay/ })).toHaveCount(0)
  }
  for (const _ of ['to the payment', 'and past it']) {
    await page.goBack()
    await told('Already paid')
  }
  await page.goForward()
  await told('Already paid')
  await page.goForward()
  await told(/^Welcome/)
  await page.reload()
  await told(/^Welcome/)
  await page.goBack()
  await told('Already paid')
  await page.reload()
  await told('Already paid')
  const second = await context.newPage()
  await reachPaymentOrPaid(second)
  await told('Already paid', second)
  await second.goBack()
  await expect(second.getByLabel('Username')).not.toHaveValue('') // it has paid nothing, and keeps its answers

  await page.goForward()
  await told(/^Welcome/)
  await page.evaluate(() => {
    sessionStorage.clear() // as if its member had signed out, and the browser now brought the page back as it was
    dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
  })
  await expect(page.getByRole('heading', { name: 'Tell us about yourself' })).toBeVisible()
})

/** In a browser that has paid, the payment step says so. */
async function reachPaymentOrPaid(page: Parameters<typeof next>[0]) {
  await page.goto('/ana')
  const who = someone()
  await fillAccount(page, who)
  await next(page)
  await fillAccountCreation(page, who)
  await next(page)
  await expect(page.getByRole('heading', { name: /paid|member/i }).first()).toBeVisible()
}

test('10.8 nothing secret is kept by the browser', async ({ page }) => {
  const who = await reachPayment(page)
  await fillPayment(page)
  await page.getByLabel('CVC').fill('917')
  const stored = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }, history.state]))
  expect(stored).toContain(who.username)
  for (const secret of [who.password, '4242', '917']) expect(stored).not.toContain(secret)
  for (const label of ['Card number', 'CVC'])
    await expect(page.getByLabel(label), 'or it is written to disk to restore the page').toHaveAttribute(
      'autocomplete',
      'off',
    )
  await page.reload()
  await expect(page.getByLabel('Username')).toHaveValue(who.username)
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('')
})

test('10.11 pressed twice, it pays once', async ({ page }) => {
  await reachPayment(page)
  await fillPayment(page)
  let sent = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/add-enrollment')) sent++
  })
  await page.getByRole('button', { name: /^Confirm and Pay/ }).dblclick()
  await page.waitForURL('**/office')
  expect(sent).toBe(1)
})
