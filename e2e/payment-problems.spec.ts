import { expect, test } from '@playwright/test'
import { cards } from '../server/gateways/payment/cards.ts'
import { findAxeViolations } from './axe.ts'
import {
  enterOffice,
  fillAccountCreation,
  fillPayment,
  holdRequest,
  next,
  pay,
  reachAccountCreation,
  reachPayment,
} from './visitor.ts'

// What can go wrong at the payment: declined cards, lost responses, double clicks, reloads.

test('10.2 10.24 while paying the page says what it waits for, and after a declined card only the number has to be typed again', async ({
  page,
}) => {
  await reachPayment(page)
  await fillPayment(page, '4000000000000002')
  await expect(page.getByText('Thank you.')).toBeVisible() // the captcha
  await page.clock.install()
  const payment = await holdRequest(page, '**/api/enrollment/add-enrollment')
  await pay(page)
  await payment.requested
  const status = page.locator('.paying-status')
  await expect(status).toHaveRole('status')
  await expect(status).toHaveText('Contacting your bank…')
  await page.clock.fastForward(8_000)
  await expect(status).toHaveText(/^Still waiting for your bank\. .+ You won’t be charged twice\.$/)
  expect(await findAxeViolations(page)).toEqual([])
  const nextCaptcha = page.waitForResponse('**/api/captcha/challenge')
  await payment.release()
  const dialog = page.getByRole('alertdialog', { name: 'Payment Declined' })
  await expect(dialog).toContainText('Your payment has been declined. Please check your payment details and try again.')
  expect(await findAxeViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'OK' }).click()
  await expect(page.getByText(/nothing was charged/i)).toBeVisible()
  await expect(page.getByText(/try another card, or contact your bank/)).toBeVisible()
  await expect(page.getByLabel('Address', { exact: true })).toHaveValue('1600 Main St')
  await expect(page.getByLabel('CVC')).toHaveValue('123')
  await expect(page.getByLabel('Card number')).toHaveAttribute('aria-invalid', 'true')
  await nextCaptcha
  const captcha = await holdRequest(page, '**/api/captcha/challenge')
  await pay(page)
  await dialog.getByRole('button', { name: 'OK' }).click()
  await captcha.requested
  const button = page.getByRole('button', { name: /^Confirm and Pay/ })
  await expect(button, 'the captcha is solved again in silence').not.toHaveAttribute('aria-busy', 'true')
  await expect(page.getByText('Thank you.')).toBeVisible()
  await page.getByLabel('Card number').fill('5555555555554444')
  await expect(page.getByLabel('Card number')).not.toHaveAttribute('aria-invalid')
  await pay(page)
  await expect(button).toHaveAttribute('aria-busy', 'true')
  await captcha.release()
  await enterOffice(page)
})

test('10.2 a visitor who is on the previous step when the bank declines finds the notice beside the card', async ({
  page,
}) => {
  await reachPayment(page)
  await fillPayment(page, cards.declined)
  const { requested, release } = await holdRequest(page, '**/api/enrollment/add-enrollment')
  await pay(page)
  await requested
  await page.getByRole('button', { name: 'Previous' }).click()
  await expect(page.getByLabel('Email address')).toBeVisible()
  await release()
  await page.getByRole('alertdialog', { name: 'Payment Declined' }).getByRole('button', { name: 'OK' }).click()
  await next(page)
  await expect(page.getByText('Your card was declined. Nothing was charged.')).toBeVisible()
  await expect(page.getByLabel('City')).toHaveValue('Reno')
})

test('10.2 a visitor who returned to the payment is told only once that the bank declined', async ({ page }) => {
  await reachPayment(page)
  await fillPayment(page, cards.declined)
  const reply = Promise.withResolvers<void>()
  await page.route('**/api/enrollment/add-enrollment', async (route) => {
    const response = await route.fetch()
    await reply.promise
    await route.fulfill({ response })
  })
  const running = { json: { state: 'running', attempt: 1 } }
  await page.route('**/api/enrollment/status', (route) => route.fulfill(running), { times: 1 })
  await pay(page)
  await page.getByRole('button', { name: 'Previous' }).click()
  await expect(page.getByLabel('Email address')).toBeVisible()
  await next(page)
  await expect(page.getByRole('heading', { name: 'Your payment is being checked…' })).toBeVisible()
  for (let count = 0; count < 2; count++) await (await page.waitForResponse('**/api/enrollment/status')).finished() // by then the server knows the outcome
  await page.waitForTimeout(300) // long enough for a page that would tell it now
  const dialog = page.getByRole('alertdialog', { name: 'Payment Declined' })
  await expect(dialog.or(page.getByText('Your payment did not go through.'))).toBeHidden()
  reply.resolve()
  await dialog.getByRole('button', { name: 'OK' }).click()
  await expect(page.getByText('Your card was declined. Nothing was charged.')).toBeVisible()
  await expect(page.getByLabel('City')).toHaveValue('Reno')
})

test('10.7 a document that cannot be opened shows a message, and opens when the network is back', async ({ page }) => {
  await page.route('**/assets/openDialog-*', (route) => route.abort())
  await reachPayment(page)
  const agreement = page.getByRole('button', { name: 'Membership Agreement' })
  await agreement.click()
  const alert = page.getByRole('alert').filter({ hasText: 'The Membership Agreement could not be opened.' })
  await expect(alert).toBeVisible()
  await page.unroute('**/assets/openDialog-*')
  await agreement.click()
  await expect(page.getByRole('dialog', { name: 'Membership Agreement' })).toBeVisible()
  await expect(alert).toBeHidden()
})

test('10.2 the message of a failed payment is gone when the visitor leaves the step and returns', async ({ page }) => {
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

test('10.13 when the server requires a code before the payment, the visitor enters it and returns to the payment', async ({
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
  await page.getByRole('dialog').getByRole('button', { name: 'Proceed' }).click()
  await expect(page.getByLabel('Card number')).toHaveValue('4242 4242 4242 4242')
  await expect(page.getByRole('button', { name: 'Membership Agreement' })).toBeVisible() // needed to agree to it
  await pay(page)
  await enterOffice(page)
})

test('10.13 5.8 when a code is no longer needed by then, the visitor returns to the payment without one', async ({
  page,
}) => {
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
  await expect(page.getByRole('button', { name: 'Membership Agreement' })).toBeVisible() // needed to agree to it
  await pay(page)
  await enterOffice(page)
})

test('10.4 a failed request shows the Error dialog, and the next press pays', async ({ page }) => {
  await reachPayment(page)
  await fillPayment(page)
  await page.route('**/api/enrollment/add-enrollment', (route) => route.abort(), { times: 1 })
  await pay(page)
  const dialog = page.getByRole('alertdialog', { name: 'Error' })
  await expect(dialog).toContainText('There was an error processing your payment. Please try again later.')
  await dialog.getByRole('button').last().click()
  await expect(page.locator('#payment-notice'), 'beside the card').toBeFocused()
  await expect(page.getByText('Your payment did not go through. Nothing was charged.')).toBeVisible()
  await pay(page)
  await enterOffice(page)
})

test('10.18 when the page cannot find out what became of a payment, it says so, and shows the outcome when the server is back', async ({
  page,
}) => {
  await page.clock.install()
  await reachPayment(page)
  await fillPayment(page)
  const keys: (string | undefined)[] = []
  page.on('request', (request) => request.method() === 'POST' && keys.push(request.headers()['idempotency-key']))
  await page.route('**/api/enrollment/add-enrollment', async (route) => {
    await route.fetch() // the server pays, but its answer is lost
    await route.abort()
  })
  await page.route('**/api/enrollment/status*', (route) => (keys.at(-1) ? route.abort() : route.continue()))
  await pay(page)
  await expect.poll(() => keys.at(-1)).toBeTruthy()
  const dialog = page.getByRole('alertdialog', { name: 'Error' })
  for (let second = 0; second < 22 && !(await dialog.isVisible()); second += 2) await page.clock.fastForward(2_000)
  await dialog.getByRole('button').last().click()
  await expect(page.getByText('We couldn’t find out yet whether your payment went through.')).toBeVisible()
  await expect(page.getByText('you can never be charged twice')).toBeVisible()
  await page.unroute('**/api/enrollment/status*')
  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible()
  expect(keys.filter(Boolean)).toHaveLength(1)
})

test('10.19 10.24 12.16 a visitor who is offline at Next and at Confirm and Pay only waits, and joins without typing anything again', async ({
  page,
  context,
}) => {
  const visitor = await reachAccountCreation(page)
  await expect(page.getByLabel('Email address'), 'offline, there would be nothing to fill in').toBeVisible()
  await context.setOffline(true)
  await fillAccountCreation(page, visitor)
  await next(page)
  const waiting = page.getByText(/^(?:We’ll go on as soon as you’re back online|The documents could not be loaded)\.$/)
  await expect(waiting, 'the next step or its documents').toBeVisible()
  await context.setOffline(false)
  await expect(page.getByRole('button', { name: 'Membership Agreement' }), 'fetched again by itself').toBeVisible()
  await fillPayment(page)
  await expect(page.getByText('Thank you.')).toBeVisible() // the captcha
  let payments = 0
  page.on('request', (request) => request.url().endsWith('/add-enrollment') && payments++)
  await context.setOffline(true)
  await pay(page)
  const notice = page.getByRole('alert').filter({ hasText: 'We’ll send your payment as soon as you’re back online.' })
  await expect(notice).toContainText('Nothing has been charged.')
  await notice.getByRole('button', { name: 'Stop waiting' }).click()
  await expect(notice).toBeHidden()
  await expect(page.getByRole('button', { name: /^Confirm and Pay/ })).toBeFocused()
  await page.clock.install()
  await pay(page)
  await expect(notice).toBeVisible()
  const status = page.locator('.paying-status')
  await expect(status, 'there before its text, or screen readers miss it').toBeEmpty()
  await page.clock.fastForward(8_000)
  expect(await findAxeViolations(page)).toEqual([])
  expect(payments).toBe(0)
  const payment = await holdRequest(page, '**/api/enrollment/add-enrollment')
  await context.setOffline(false)
  await payment.requested
  await expect(status).toHaveText(/^Still waiting for your bank\./)
  await payment.release()
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
  expect(payments).toBe(1)
})

test('4.16 10.21 10.23 the office opens by itself ten seconds after the welcome, even if the visitor scrolls, and offline it waits for the network', async ({
  page,
  context,
}) => {
  await reachPayment(page)
  await fillPayment(page)
  await page.clock.install()
  await pay(page)
  const login = page.getByRole('button', { name: 'Login' })
  await expect(login).toBeVisible()
  await context.setOffline(true)
  const offline = page.getByRole('status').filter({ hasText: 'You’re offline.' }).last()
  await expect(offline).toContainText('Your office opens as soon as you’re back online.')
  await page.clock.fastForward(70_000)
  await expect(page.getByRole('heading', { name: 'Your receipt' })).toBeVisible()
  const staysOpen = page.waitForEvent('dialog').then((dialog) => dialog.dismiss())
  await page.evaluate(() => location.assign('/office'))
  await staysOpen
  await expect(page.getByRole('heading', { name: 'Your receipt' })).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])
  await context.setOffline(false)
  await expect(offline).toBeHidden()
  await page.clock.fastForward(5_000)
  await page.getByRole('heading', { name: 'Your receipt' }).click() // a finger that scrolls begins like this
  await page.evaluate(() => {
    document.body.style.minHeight = '200vh' // room to scroll on a large screen, too
    scrollTo(0, 300)
  })
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(300)
  await page.clock.fastForward(5_000)
  await expect(page).toHaveURL(/\/office$/)
})

test('10.21 10.23 Login stops if the visitor stays, and without a network keeps the receipt and opens the office when the network is back', async ({
  page,
  context,
}) => {
  await reachPayment(page)
  await fillPayment(page)
  let openings = 0
  await page.route('**/autologin/**', (route) => {
    openings++
    return route.fulfill({ status: 204 }) // the page stays
  })
  const status = await holdRequest(page, '**/enrollment/status')
  await pay(page)
  const login = page.getByRole('button', { name: 'Login' })
  await login.click()
  await status.requested
  await page.getByRole('button', { name: 'Stay on this page' }).click()
  await status.release()
  expect(openings, '10.21 an opening under way stops, too').toBe(0)

  let tries = 0
  await page.route('**/enrollment/status', (route) => {
    tries++
    return route.abort() // the browser believes that it is online
  })
  await page.clock.install()
  await login.click()
  const notice = page.getByRole('status').filter({ hasText: 'We can’t reach your office at the moment.' })
  await expect(notice).toContainText('We’ll keep trying.')
  const tryAgain = () => page.clock.fastForward(2_000).then(() => tries)
  await expect.poll(tryAgain).toBeGreaterThan(3)
  await context.setOffline(true)
  await expect(page.getByText('You’re offline.').last()).toBeVisible()
  await login.click()
  await expect(page.getByRole('heading', { name: 'Your receipt' })).toBeVisible()
  await page.unrouteAll()
  await context.setOffline(false)
  await page.waitForURL('**/office')
})

test('10.22 the agreements do not move when the documents arrive', async ({ page }) => {
  const { release } = await holdRequest(page, '**/api/enrollment/get-all-legal-documents*')
  await reachPayment(page)
  const consent = page.getByRole('checkbox', { name: /every month/ })
  const box = async () => consent.evaluate((element) => element.getBoundingClientRect().top + scrollY)
  const before = await box()
  await release()
  await expect(page.getByRole('button', { name: 'Membership Agreement' })).toBeVisible()
  expect(await box()).toBe(before)
})

test('4.23 10.4 a gateway that rejects the payment shows the Error dialog immediately, and the next press pays', async ({
  page,
}) => {
  await reachPayment(page)
  await fillPayment(page, cards.failed)
  await pay(page)
  const dialog = page.getByRole('alertdialog', { name: 'Error' })
  await expect(dialog).toContainText('There was an error processing your payment. Please try again later.')
  await dialog.getByRole('button').last().click()
  await page.getByLabel('Card number').fill(cards.good)
  await pay(page)
  await enterOffice(page)
})

test('10.4 when the response is lost, its outcome is looked up and the payment is not sent again', async ({ page }) => {
  await reachPayment(page)
  await fillPayment(page)
  let payments = 0
  await page.route('**/api/enrollment/add-enrollment', async (route) => {
    payments++
    await route.fetch()
    await route.abort()
  })
  await pay(page)
  await enterOffice(page)
  expect(payments).toBe(1)
})

test('1.6 10.6 15.2 after the payment, Back, reload and a second tab never show the payment form again', async ({
  page,
  context,
}) => {
  const second = await context.newPage()
  await reachAccountCreation(second)
  await reachPayment(page)
  await fillPayment(page)
  await page.route('**/office/autologin/**', (route) => route.fulfill({ status: 204 })) // stay on this page
  await pay(page)
  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible()
  await expect(second.getByText('The payment was made in another tab'), 'at once').toBeVisible()
  expect(await findAxeViolations(second)).toEqual([])
  expect(await findAxeViolations(page)).toEqual([])
  const expectHeading = async (heading: string | RegExp, tab = page) => {
    await expect(tab.getByRole('heading', { name: heading, level: 1 })).toBeVisible()
    await expect(tab.getByRole('button', { name: /^Confirm and Pay/ })).toHaveCount(0)
  }
  for (const _ of ['the payment step', 'the step before it']) {
    await page.goBack()
    await expectHeading('Already paid')
  }
  await page.goForward()
  await expectHeading('Already paid')
  await page.goForward()
  await expectHeading(/^Welcome/)
  await page.reload()
  await expectHeading(/^Welcome/)
  await page.goBack()
  await expectHeading('Already paid')
  await page.reload()
  await expectHeading('Already paid')
  await expectHeading(/^You joined as zoe/, second)
  await second.goBack()
  await expectHeading(/^You joined as zoe/, second)
  await second.reload()
  await expectHeading(/^You joined as /, second)

  await page.goForward()
  await expectHeading(/^Welcome/)
  await page.evaluate(() => {
    sessionStorage.clear() // as if the member had signed out and the browser restored the page from its cache
    dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
  })
  await expectHeading(/^You joined as /)
})

test('10.8 the browser stores no password, card number or CVC', async ({ page }) => {
  const visitor = await reachPayment(page)
  await fillPayment(page)
  await page.getByLabel('CVC').fill('917')
  const stored = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }, history.state]))
  expect(stored).toContain(visitor.username)
  for (const secret of [visitor.password, '4242', '917']) expect(stored).not.toContain(secret)
  for (const label of ['Card number', 'CVC'])
    await expect(page.getByLabel(label), 'otherwise the browser saves it to disk to restore the page').toHaveAttribute(
      'autocomplete',
      'off',
    )
  await page.reload()
  await expect(page.getByLabel('Username')).toHaveValue(visitor.username)
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('')
})

test('10.11 a double click on Confirm and Pay pays once', async ({ page }) => {
  await reachPayment(page)
  await fillPayment(page)
  let payments = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/add-enrollment')) payments++
  })
  await page.getByRole('button', { name: /^Confirm and Pay/ }).dblclick()
  await enterOffice(page)
  expect(payments).toBe(1)
})
