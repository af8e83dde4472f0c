import { expect, type Page, test } from '@playwright/test'
import { referenceOf } from '#server/gateways/payment/attempt-key.ts'
import { cards } from '../server/gateways/payment/cards.ts'
import { findAxeViolations } from './axe.ts'
import { enterOffice, fillPayment, next, pay, reachPayment, waitForHydration } from './visitor.ts'

// Payments whose outcome is not known yet, and visitors who reload or leave before it is.

test('10.3 16.3 a payment without an outcome is shown as being checked, never as declined, and ends in the office', async ({
  page,
}) => {
  await page.goto('/bluepier') // the first sponsor's link; the page offers it until the visitor pays
  const switchSponsor = page.getByRole('link', { name: /^Join with .+ instead/ })
  await page.goto('/ana')
  await expect(switchSponsor).toBeVisible()
  await payIntoReview(page)
  await expect(switchSponsor).toBeHidden()
  await expect(page.getByText(/declined/i)).toHaveCount(0)
  expect(await findAxeViolations(page)).toEqual([])
  await decide(page, 'Approve')
  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible()
  await expect(switchSponsor).toBeHidden()
  await enterOffice(page)
})

test('10.3 a payment declined in review says that nothing was charged, and keeps what was typed', async ({ page }) => {
  await payIntoReview(page)
  await page.evaluate(() => dispatchEvent(new Event('pagehide'))) // as a reload does
  const stored = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]))
  expect(stored).toContain('1600 Main St')
  expect(stored).not.toMatch(/4000 ?0000 ?0000/) // the receipt names the last four digits
  await page.goBack()
  await expect(page.getByLabel('Email address')).toBeVisible()
  await page.goForward()
  await expect(page.getByText(/being checked/i).first()).toBeVisible()
  await decide(page, 'Decline')
  await page.getByRole('alertdialog', { name: 'Payment Declined' }).getByRole('button', { name: 'OK' }).click()
  await expect(page.getByText(/nothing was charged/i)).toBeVisible()
  await expect(page).toHaveTitle(/^Billing & checkout/)
  await expect(page.getByLabel('City')).toHaveValue('Reno')
  await expect(page.getByLabel('Card number')).toHaveValue('4000 0000 0000 9235')
})

for (const [action, returnToPayment] of [
  ['pressing Next', next],
  [
    'a reload and Next',
    async (page: Page, password: string) => {
      await page.reload()
      await page.getByLabel('Password', { exact: true }).fill(password)
      await next(page)
    },
  ],
] as const)
  test(`10.3 a visitor who went back while the payment was declined in review is told after ${action}`, async ({
    page,
  }) => {
    const { password } = await payIntoReview(page)
    await page.goBack()
    await expect(page.getByLabel('Email address')).toBeVisible()
    await decide(page, 'Decline')
    const status = async () => (await page.request.get('/api/enrollment/status')).json()
    await expect.poll(status, 'the server knows the outcome').not.toMatchObject({ state: 'running' })
    await returnToPayment(page, password)
    await page.getByRole('alertdialog', { name: 'Payment Declined' }).getByRole('button', { name: 'OK' }).click()
    await expect(page.getByText('Your card was declined. Nothing was charged.')).toBeVisible()
    await expect(page).toHaveTitle(/^Billing & checkout/)
    await expect(page.getByLabel('City')).toHaveValue('Reno')
    await page.goBack()
    await next(page)
    await expect(page.getByLabel('City')).toHaveValue('Reno')
    await expect(page.getByText(/declined/i)).toHaveCount(0) // the notice is shown only once
  })

test('10.3 changes made while a payment is being checked do not affect it, nor where the email goes', async ({
  page,
}) => {
  const { email } = await payIntoReview(page)
  const changesNotice = page.getByText('Changes you made after paying don’t apply to this payment.')
  await expect(page.getByText(`We’ll email ${email} as soon`)).toBeVisible()
  await expect(changesNotice).toHaveCount(0)
  await page.goBack()
  await page.getByLabel('Email address').fill(`other.${email}`)
  await next(page)
  await expect(page.getByText(`We’ll email ${email} as soon`)).toBeVisible()
  await expect(changesNotice).toBeVisible()
})

test('10.3 a payment declined in review after a reload says that nothing was charged, and asks for the password', async ({
  page,
}) => {
  await payIntoReview(page)
  await page.reload()
  await expect(page.getByText(/being checked/i).first()).toBeVisible()
  await decide(page, 'Decline')
  await page.getByRole('alertdialog', { name: 'Payment Declined' }).getByRole('button', { name: 'OK' }).click()
  const dialog = page.getByRole('dialog', { name: 'Payment Not Completed' })
  await expect(dialog).toContainText('nothing was charged. Please enter your password again')
  await dialog.getByRole('button', { name: 'OK' }).click()
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('')
})

test('10.3 a payment in another tab does not clear what was typed in this one', async ({ page }) => {
  await reachPayment(page)
  await page.getByLabel('City').fill('Reno')
  const running = { state: 'running', attempt: 1 }
  await page.route('**/api/enrollment/status*', (route) => route.fulfill({ json: running }), { times: 1 })
  // As when the visitor returns to this tab.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await expect(page.getByText(/being checked/i).first()).toBeVisible()
  await expect(page.getByText('Nothing was charged.').first()).toBeVisible()
  await expect(page.getByLabel('City')).toHaveValue('Reno')
})

/** Reloads the page after the server has processed the payment, but before the page gets the response. */
async function reloadWhilePaying(page: Page, card?: string) {
  await reachPayment(page)
  await fillPayment(page, card)
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route('**/api/enrollment/add-enrollment', async (route) => {
    await route.fetch()
    resolve()
  })
  await pay(page)
  await promise
  await page.reload()
}

async function reloadAndSeeDecline(page: Page) {
  await reloadWhilePaying(page, cards.declined)
  const dialog = page.getByRole('dialog', { name: 'Payment Not Completed' })
  await expect(dialog).toContainText('nothing was charged')
  return dialog
}

test('10.3 after a reload while paying, the page shows the outcome', async ({ page }) => {
  const dialog = await reloadAndSeeDecline(page)
  await dialog.getByRole('button').last().click()
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('')
})

test('12.1 after a reload, Back closes the outcome dialog and shows the password step, and a second Back goes further', async ({
  page,
}) => {
  const dialog = await reloadAndSeeDecline(page)
  await page.goBack()
  await expect(dialog).toBeHidden()
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('')
  await page.goBack()
  await expect(page.getByLabel('First name')).toBeVisible()
})

test('10.3 a payment sent just before a reload is shown as being checked', async ({ page }) => {
  await reachPayment(page)
  await fillPayment(page)
  await page.route('**/api/enrollment/add-enrollment', () => undefined) // never responds
  const request = page.waitForRequest('**/api/enrollment/add-enrollment')
  await pay(page)
  await request
  await page.reload()
  await expect(page.getByText(/being checked/i).first()).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('1.6 10.6 after a reload while paying that ends paid, the next visitor finds an empty form', async ({ page }) => {
  await reloadWhilePaying(page)
  await expect(page.getByRole('heading', { name: 'Already paid' })).toBeVisible()
  await page.goto('/bluepier')
  await expect(page.getByRole('heading', { name: /^You joined as / })).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Enroll another person' }).click()
  await expect(page).toHaveURL('/bluepier')
  await waitForHydration(page)
  await expect(page.getByLabel('First name')).toHaveValue('')
})

async function payIntoReview(page: Page) {
  const visitor = await reachPayment(page)
  await fillPayment(page, '4000000000009235')
  await pay(page)
  await expect(page.getByText(/being checked/i).first()).toBeVisible()
  await expect(page).toHaveTitle(/being checked/)
  return visitor
}

/** Decides the review on the sandbox's page, as the bank would. */
async function decide(page: Page, verdict: 'Approve' | 'Decline') {
  const enrollment = await page.locator('meta[name=enrollment]').getAttribute('content')
  const reference = referenceOf({ enrollment_id: enrollment ?? '', attempt: 1 })
  const bank = await page.context().newPage()
  await bank.goto('/__payments')
  await bank.getByRole('button', { name: `${verdict} ${reference}` }).click()
  await expect(bank.getByRole('button', { name: `${verdict} ${reference}` })).toHaveCount(0)
  await bank.close()
}
