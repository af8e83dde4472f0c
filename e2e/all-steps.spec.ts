import { expect, type Page, test } from '@playwright/test'
import { findAxeViolations } from './axe.ts'
import {
  enterOffice,
  fillAccount,
  fillAccountCreation,
  fillPayment,
  holdRequest,
  newPhone,
  newVisitor,
  next,
  pay,
} from './visitor.ts'

// The site with every step switched on: packages first, autoship, special, and phone verification.
const at = (path: string) => new URL(path, process.env.BASE_URL_ALL_STEPS).href

const choose = (page: Page, name: RegExp) =>
  page.getByRole('button', { name }).or(page.getByRole('radio', { name })).filter({ visible: true }).first().click()

/** Chooses a package, skips the optional ones, and fills in the account step. */
async function reachAccount(page: Page, number: string) {
  await page.goto(at('/ana'))
  await choose(page, /Founding Membership/)
  await page.getByRole('button', { name: /Continue without/ }).click()
  await expect(page.getByRole('heading', { name: 'Special offer' })).toBeVisible()
  await page.getByRole('button', { name: /Continue without/ }).click()
  const visitor = { ...newVisitor(), phone: number }
  await fillAccount(page, visitor)
  return visitor
}

/** Goes from the packages to the phone verification. */
async function reachCode(page: Page, number: string) {
  const visitor = await reachAccount(page, number)
  await next(page)
  return visitor
}

const codeTo = async (page: Page, number: string) => {
  const messages = await (await page.request.get(at(`/__outbox.json?to=${encodeURIComponent(number)}`))).json()
  return /\b\d{6}\b/.exec(messages[0]?.body ?? '')?.[0] ?? ''
}

const closeDialog = (page: Page, title: string, button: string) =>
  page
    .getByRole('dialog', { name: title })
    .or(page.getByRole('alertdialog', { name: title }))
    .getByRole('button', { name: button })
    .click()

test('13.1 14.1 a visitor joins with every step switched on, and each step has its styles', async ({ page }) => {
  await page.goto(at('/ana'))
  expect(await findAxeViolations(page)).toEqual([])
  await choose(page, /Founding Membership/)
  await choose(page, /Monthly Parcel/)
  await choose(page, /Lantern Night/)
  const number = newPhone()
  const visitor = { ...newVisitor(), phone: number }
  await fillAccount(page, visitor)
  const expectStyled = (css: string) => expect(page.locator(css)).toHaveCSS('border-top-style', 'solid')
  await next(page)
  await expect(page.locator('.dialog')).toHaveCSS('position', 'fixed')
  await closeDialog(page, 'Code Sent', 'OK')
  await expectStyled('.number')
  await expect(page.getByText(/Resend code in \d+ seconds/)).toBeVisible()
  await page.locator('[name=code]').fill('000000')
  await expect(page.getByText('This code is incorrect. Please check it and try again.').first()).toBeVisible()
  await page.locator('[name=code]').fill(await codeTo(page, number))
  await closeDialog(page, 'Verification Successful', 'Proceed')
  await fillAccountCreation(page, visitor)
  await next(page)
  await expect(page.getByRole('button', { name: 'Confirm and Pay $172.00' })).toBeVisible()
  await expectStyled('.review')
  await expect(page.getByText('today and $123.00 each month')).toBeVisible() // the amount the visitor agrees to
  await expect(page.locator('.order')).toContainText('Parcel$24.00 a month')
  await expect(page.locator('.order')).toContainText('Seat (one\u00a0time)$49.00')
  const consent = /charged \$172\.00 today and \$123\.00 every month until I cancel/
  await expect(page.getByRole('checkbox', { name: consent })).toBeVisible()
  await expect(page.locator('.order')).toContainText(/Then monthly, from \w+ \d+\$123\.00/)
  await fillPayment(page)
  await pay(page)
  await enterOffice(page)
})

test('no code is sent before Next, although the code step is preloaded', async ({ page }) => {
  const number = newPhone()
  await reachAccount(page, number)
  const script = page.waitForResponse('**/assets/verification-*.js')
  await page.reload()
  await page.locator('[name=first_name]').press('End')
  await script
  await page.waitForTimeout(500) // long enough for a code to be requested
  expect(await codeTo(page, number)).toBe('')
  await next(page)
  await closeDialog(page, 'Code Sent', 'OK')
  expect(await codeTo(page, number)).not.toBe('')
})

test('13.2 Edit Phone Number leads back to the phone', async ({ page }) => {
  await reachCode(page, newPhone())
  await closeDialog(page, 'Code Sent', 'OK')
  await page
    .getByRole('button', { name: 'Edit Phone Number' })
    .or(page.getByRole('link', { name: 'Edit Phone Number' }))
    .click()
  await expect(page.getByLabel('Mobile phone number')).toBeFocused()
})

test('13.3 a code that the vendor cannot send shows an error and Try Again', async ({ page }) => {
  await reachCode(page, newPhone('0500'))
  const dialog = page.getByRole('alertdialog')
  await expect(dialog).toContainText('Error sending verification code')
  await expect(dialog.getByRole('button', { name: 'Try Again' })).toBeVisible()
})

test('13.3 13.11 a number without text messages can be called instead, and the page then speaks of a call', async ({
  page,
}) => {
  const number = newPhone('0404')
  await page.clock.install()
  await reachCode(page, number)
  const dialog = page.getByRole('alertdialog')
  await expect(dialog).toContainText(
    'This number can’t receive text messages. Please try a call instead, or use another number.',
  )
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Call me instead' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'calling' })).toHaveText(
    'We’re calling this number now. The call reads out a code.',
  )
  await expect(page.getByText('Answer the call and enter the code it reads out.')).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page.locator('[name=code]')).toBeFocused()
  await page.getByRole('button', { name: 'Edit Phone Number' }).click()
  await next(page)
  await expect(page.getByText('We’re calling this number now.'), 'after a look at the number').toBeVisible()
  await page.clock.fastForward(31_000)
  await expect(page.getByText('We called this number and read out a code.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Call me again' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Text me instead' })).toBeVisible()
  await page.locator('[name=code]').fill(await codeTo(page, number))
  await closeDialog(page, 'Verification Successful', 'Proceed')
  await expect(page.getByLabel('Email address')).toBeVisible()
})

const countdown = (page: Page) => page.getByRole('button', { name: /^Resend code in \d+ seconds$/ })

for (const [action, retry] of [
  ['the code is requested again', (page: Page) => page.getByRole('button', { name: 'Resend code' }).click()],
  ['the page is reloaded', (page: Page) => page.reload()],
] as const)
  test(`13.3 a code that was sent although the response was lost shows its countdown when ${action}`, async ({
    page,
  }) => {
    await page.route(
      '**/api/twilio/send-verification-code',
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      { times: 1 },
    )
    const number = newPhone()
    await reachCode(page, number)
    await page.getByRole('alertdialog').getByRole('button', { name: 'Close' }).last().click()
    await expect(countdown(page)).toHaveCount(0)
    await retry(page)
    await expect(countdown(page)).toBeVisible()
    await expect(page.getByRole('alertdialog')).toHaveCount(0)
    await expect(page.getByText('We sent a code to this number.')).toBeVisible()
    await expect(page.locator('[name=code]')).toBeFocused()
    await page.reload()
    await expect(countdown(page)).toBeVisible()
    await page.locator('[name=code]').fill(await codeTo(page, number))
    await closeDialog(page, 'Verification Successful', 'Proceed')
  })

test('13.3 5.2 going back to an earlier number whose code is no longer valid means waiting for a new code', async ({
  page,
}) => {
  const [first, second] = [newPhone(), newPhone()]
  await reachCode(page, first)
  await closeDialog(page, 'Code Sent', 'OK')
  const changeNumber = async (number: string) => {
    await page.getByRole('button', { name: 'Edit Phone Number' }).click()
    await page.getByLabel('Mobile phone number').fill(number)
    await next(page)
  }
  await changeNumber(second)
  await closeDialog(page, 'Code Sent', 'OK')
  await changeNumber(first)
  const dialog = page.getByRole('alertdialog', { name: 'Error' })
  await expect(dialog).toContainText(/Please wait \d+ seconds? before you request a new code\./)
  await page.keyboard.press('Escape')
  await expect(page.getByText('We sent a code to this number.')).toHaveCount(0)
  await expect(countdown(page)).toHaveCount(0)
})

test('12.13 a phone number corrected while the code step is still loading gets the code', async ({ page }) => {
  const { requested, release } = await holdRequest(page, '**/assets/verification-*.js')
  await reachCode(page, newPhone())
  await requested
  const number = newPhone()
  await page.getByLabel('Mobile phone number').fill(number)
  await release()
  await closeDialog(page, 'Code Sent', 'OK')
  expect(await codeTo(page, number)).not.toBe('')
})

test('13.4 a code that cannot be requested because of a network error shows a message', async ({ page }) => {
  await page.route('**/api/twilio/send-verification-code', (route) => route.abort())
  await reachCode(page, newPhone())
  const dialog = page.getByRole('alertdialog')
  await expect(dialog).toContainText('An error occurred while sending the verification code. Please try again.')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await expect(page.getByText('An error occurred while sending the verification code.').first()).toBeVisible()
})

test('13.4 a call that cannot be requested leaves the focus on the code field', async ({ page }) => {
  await page.route('**/api/twilio/verify-call', (route) => route.abort())
  await reachCode(page, newPhone('0404'))
  await page.getByRole('alertdialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Call me instead' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Close', exact: true }).click()
  await expect(page.locator('[name=code]')).toBeFocused()
})

test('10.14 an optional package that was withdrawn is reported on its own step, and the visitor can continue', async ({
  page,
}) => {
  await page.goto(at('/ana'))
  await choose(page, /Founding Membership/)
  await choose(page, /Monthly Parcel/)
  await expect(page.getByRole('heading', { name: 'Special offer' })).toBeVisible()
  await page.route('**/api/enrollment/orders', async (route) => {
    if (!route.request().postDataJSON().autoship_product_ids) return route.fallback()
    const fields = { autoship_product_ids: ['This package is not available.'] }
    await route.fulfill({ status: 422, json: { message: 'Please check the marked fields.', fields } })
  })
  await page.getByRole('button', { name: /Continue without/ }).click()
  await expect(page.getByRole('heading', { name: 'Would you like to add anything?' })).toBeVisible()
  await expect(page.getByRole('alert')).toContainText('This package is not available.')
  const alert = await page.getByRole('alert').elementHandle()
  await choose(page, /Monthly Parcel/)
  // Replaced, so that a screen reader announces it again.
  await expect.poll(() => alert?.evaluate((element) => element.isConnected)).toBe(false)
  await expect(page.getByRole('alert')).toContainText('This package is not available.')
  await page.getByRole('button', { name: /Continue without/ }).click()
  await expect(page.getByRole('heading', { name: 'Special offer' })).toBeVisible()
})

test('13.5 a price that cannot be loaded shows the Error dialog and a way to try again', async ({ page }) => {
  const orders = '**/api/enrollment/orders'
  await page.route(orders, (route) => route.abort())
  await page.goto(at('/ana'))
  await choose(page, /Welcome Kit/)
  const tryAgain = page.getByRole('button', { name: 'try again' })
  const expectErrorAndRetry = async () => {
    await page.getByRole('alertdialog', { name: 'Error' }).getByRole('button').last().click()
    await expect(tryAgain).toBeFocused()
    await page.unroute(orders)
    await page.keyboard.press('Enter')
    await expect(tryAgain).toHaveCount(0)
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  }
  await expectErrorAndRetry()
  await page.route(orders, (route) => route.abort())
  await page.reload()
  await expectErrorAndRetry()
})
