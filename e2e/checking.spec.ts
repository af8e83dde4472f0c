import { expect, type Page, test } from '@playwright/test'
import { cards } from '../server/gateways/payment/cards.ts'
import { referenceOf } from '../server/payments/attempt-key.ts'
import { complaints } from './axe.ts'
import { awake, fillPayment, next, pay, reachPayment } from './visitor.ts'

// A payment whose answer nobody has yet, and who reloads or goes away meanwhile.

test('10.3 16.3 a payment that nobody can speak for yet is being checked, never declined, and ends in the office', async ({
  page,
}) => {
  await page.goto('/bluepier') // whose link came first: the other one, which is opened now, can be chosen until one pays
  const other = page.getByRole('button', { name: /^Join with .+ instead/ })
  await page.goto('/ana')
  await expect(other).toBeVisible()
  await beReviewed(page)
  await expect(other).toBeHidden()
  await expect(page.getByText(/declined/i)).toHaveCount(0)
  expect(await complaints(page)).toEqual([])
  await decide(page, 'Approve')
  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible()
  await expect(other).toBeHidden()
  await page.waitForURL('**/office')
})

test('10.3 a review that ends badly says that nothing was charged, and keeps what was typed', async ({ page }) => {
  await beReviewed(page)
  await page.evaluate(() => dispatchEvent(new Event('pagehide'))) // as a reload does
  const stored = await page.evaluate(() => JSON.stringify({ ...sessionStorage }))
  expect(stored).toContain('1600 Main St')
  expect(stored).not.toContain('9235')
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

for (const [how, goOn] of [
  ['Next', next],
  [
    'Next after a reload',
    async (page: Page, password: string) => {
      await page.reload()
      await page.getByLabel('Password', { exact: true }).fill(password)
      await next(page)
    },
  ],
] as const)
  test(`10.3 a review that ends badly while one is a step back is told to who comes with ${how}`, async ({ page }) => {
    const { password } = await beReviewed(page)
    await page.goBack()
    await expect(page.getByLabel('Email address')).toBeVisible()
    await decide(page, 'Decline')
    const status = async () => (await page.request.get('/api/enrollment/status')).json()
    await expect.poll(status, 'the server has heard of it').not.toMatchObject({ state: 'running' })
    await goOn(page, password)
    await page.getByRole('alertdialog', { name: 'Payment Declined' }).getByRole('button', { name: 'OK' }).click()
    await expect(page.getByText('Your card was declined. Nothing was charged.')).toBeVisible()
    await expect(page).toHaveTitle(/^Billing & checkout/)
    await expect(page.getByLabel('City')).toHaveValue('Reno')
    await page.goBack()
    await next(page)
    await expect(page.getByLabel('City')).toHaveValue('Reno')
    await expect(page.getByText(/declined/i)).toHaveCount(0) // it is told once
  })

test('10.3 what is changed while a payment is being checked does not count for it, and the letter goes where it went', async ({
  page,
}) => {
  const { email } = await beReviewed(page)
  const unchanged = page.getByText('Changes you made after paying do not apply to this payment.')
  await expect(page.getByText(`we’ll email ${email}.`)).toBeVisible()
  await expect(unchanged).toHaveCount(0)
  await page.goBack()
  await page.getByLabel('Email address').fill(`other.${email}`)
  await next(page)
  await expect(page.getByText(`we’ll email ${email}.`)).toBeVisible()
  await expect(unchanged).toBeVisible()
})

test('10.3 a review that ends badly after a reload says that nothing was charged, and asks for the password', async ({
  page,
}) => {
  await beReviewed(page)
  await page.reload()
  await expect(page.getByText(/being checked/i).first()).toBeVisible()
  await decide(page, 'Decline')
  await page.getByRole('alertdialog', { name: 'Payment Declined' }).getByRole('button', { name: 'OK' }).click()
  const dialog = page.getByRole('dialog', { name: 'Payment Not Completed' })
  await expect(dialog).toContainText('nothing was charged. Please enter your password again')
  await dialog.getByRole('button', { name: 'OK' }).click()
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('')
})

test('10.3 a payment of another tab takes nothing away that was typed in this one', async ({ page }) => {
  await reachPayment(page)
  await page.getByLabel('City').fill('Reno')
  const running = { state: 'running', attempt: 1 }
  await page.route('**/api/enrollment/status*', (route) => route.fulfill({ json: running }), { times: 1 })
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange'))) // as if one came back from there
  await expect(page.getByText(/being checked/i).first()).toBeVisible()
  await expect(page.getByText('Nothing was charged.').first()).toBeVisible()
  await expect(page.getByLabel('City')).toHaveValue('Reno')
})

/** The server has answered, and the page was reloaded before it heard that. */
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

async function hearOfDecline(page: Page) {
  await reloadWhilePaying(page, cards.declined)
  const dialog = page.getByRole('dialog', { name: 'Payment Not Completed' })
  await expect(dialog).toContainText('nothing was charged')
  return dialog
}

test('10.3 a reload while paying says what came of it', async ({ page }) => {
  const dialog = await hearOfDecline(page)
  await dialog.getByRole('button').last().click()
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('')
})

test('12.1 Back out of what is told after a reload leads to the password, and the next one on', async ({ page }) => {
  const dialog = await hearOfDecline(page)
  await page.goBack()
  await expect(dialog).toBeHidden()
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('')
  await page.goBack()
  await expect(page.getByLabel('First name')).toBeVisible()
})

test('10.3 what was pressed just before a reload may still be on its way, and is being checked', async ({ page }) => {
  await reachPayment(page)
  await fillPayment(page)
  await page.route('**/api/enrollment/add-enrollment', () => undefined) // on its way
  const pressed = page.waitForRequest('**/api/enrollment/add-enrollment')
  await pay(page)
  await pressed
  await page.reload()
  await expect(page.getByText(/being checked/i).first()).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('10.6 who reloads while paying and finds it paid leaves nothing that was typed to the next one', async ({
  page,
}) => {
  await reloadWhilePaying(page)
  await expect(page.getByRole('heading', { name: 'Already paid' })).toBeVisible()
  await page.goto('/bluepier')
  await awake(page)
  await expect(page.getByLabel('First name')).toHaveValue('')
})

async function beReviewed(page: Page) {
  const who = await reachPayment(page)
  await fillPayment(page, '4000000000009235')
  await pay(page)
  await expect(page.getByText(/being checked/i).first()).toBeVisible()
  await expect(page).toHaveTitle(/being checked/)
  return who
}

/** What somebody at the bank would decide. */
async function decide(page: Page, verdict: 'Approve' | 'Decline') {
  const enrollment = await page.locator('meta[name=enrollment]').getAttribute('content')
  const reference = referenceOf({ enrollment_id: enrollment ?? '', attempt: 1 })
  const bank = await page.context().newPage()
  await bank.goto('/__payments')
  await bank.getByRole('button', { name: `${verdict} ${reference}` }).click()
  await expect(bank.getByRole('button', { name: `${verdict} ${reference}` })).toHaveCount(0)
  await bank.close()
}
