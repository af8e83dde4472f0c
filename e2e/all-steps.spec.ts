import { expect, type Page, test } from '@playwright/test'
import { complaints } from './axe.ts'
import { fillAccount, fillAccountCreation, fillPayment, holdUp, next, pay, someone } from './visitor.ts'

// The site with every step switched on: packages first, autoship, special, and the phone confirmed by code.
const at = (path: string) => new URL(path, process.env.BASE_URL_ALL_STEPS).href

const phone = () => `+1202555${String(Math.floor(Math.random() * 9000) + 1000)}`

const choose = (page: Page, name: RegExp) =>
  page.getByRole('button', { name }).or(page.getByRole('radio', { name })).filter({ visible: true }).first().click()

/** From the packages to the first fields, which are filled in. */
async function reachAccount(page: Page, number: string) {
  await page.goto(at('/ana'))
  await choose(page, /Founding Membership/)
  await page.getByRole('button', { name: /Continue without/ }).click()
  await expect(page.getByRole('heading', { name: 'Special offer' })).toBeVisible()
  await page.getByRole('button', { name: /Continue without/ }).click()
  const who = { ...someone(), phone: number }
  await fillAccount(page, who)
  return who
}

/** From the packages to the code. */
async function reachCode(page: Page, number: string) {
  const who = await reachAccount(page, number)
  await next(page)
  return who
}

const codeTo = async (page: Page, number: string) => {
  const messages = await (await page.request.get(at(`/__outbox.json?to=${encodeURIComponent(number)}`))).json()
  return /\b\d{6}\b/.exec(messages[0]?.body ?? '')?.[0] ?? ''
}

const confirm = (page: Page, title: string, button: string) =>
  page
    .getByRole('dialog', { name: title })
    .or(page.getByRole('alertdialog', { name: title }))
    .getByRole('button', { name: button })
    .click()

test('13.1 14.1 packages, autoship, special, code: the long way into the office, with the styles of each', async ({
  page,
}) => {
  await page.goto(at('/ana'))
  expect(await complaints(page)).toEqual([])
  await choose(page, /Founding Membership/)
  await choose(page, /Monthly Parcel/)
  await choose(page, /Lantern Night/)
  const number = phone()
  const who = { ...someone(), phone: number }
  await fillAccount(page, who)
  const worn = (css: string) => expect(page.locator(css)).toHaveCSS('border-top-style', 'solid')
  await next(page)
  await expect(page.locator('.dialog')).toHaveCSS('position', 'fixed')
  await confirm(page, 'Code Sent', 'OK')
  await worn('.number')
  await expect(page.getByText(/Resend code in \d+ seconds/)).toBeVisible()
  await page.locator('[name=code]').fill('000000')
  await next(page)
  await expect(page.getByText('This code is incorrect. Please check it and try again.').first()).toBeVisible()
  await page.locator('[name=code]').fill(await codeTo(page, number))
  await next(page)
  await confirm(page, 'Verification Successful', 'Proceed')
  await fillAccountCreation(page, who)
  await next(page)
  await expect(page.getByRole('button', { name: 'Confirm and Pay $172.00' })).toBeVisible()
  await worn('.review')
  await expect(page.getByText('today and $99.00 each month')).toBeVisible() // the amount that is agreed to
  await expect(page.locator('.order')).toContainText('Parcel (one time)$24.00')
  await expect(page.locator('.order')).toContainText(/Then monthly, from \w+ \d+\$99\.00/)
  await fillPayment(page)
  await pay(page)
  await page.waitForURL('**/office')
})

test('no code is sent before Next, although its step is loaded ahead', async ({ page }) => {
  const number = phone()
  await reachAccount(page, number)
  const loaded = page.waitForResponse('**/assets/verification-*.js')
  await page.reload()
  await page.locator('[name=first_name]').press('End')
  await loaded
  await page.waitForTimeout(500) // time enough for a code to be requested
  expect(await codeTo(page, number)).toBe('')
  await next(page)
  await confirm(page, 'Code Sent', 'OK')
  expect(await codeTo(page, number)).not.toBe('')
})

test('13.2 Edit Phone Number leads back to the phone', async ({ page }) => {
  await reachCode(page, phone())
  await confirm(page, 'Code Sent', 'OK')
  await page
    .getByRole('button', { name: 'Edit Phone Number' })
    .or(page.getByRole('link', { name: 'Edit Phone Number' }))
    .click()
  await expect(page.getByLabel('Mobile phone number')).toBeFocused()
})

test('13.3 a number that cannot be reached, and a vendor that does not answer', async ({ page }) => {
  await reachCode(page, '+12025550500')
  const dialog = page.getByRole('alertdialog')
  await expect(dialog).toContainText('Error sending verification code')
  await expect(dialog.getByRole('button', { name: 'Try Again' })).toBeVisible()
})

test('13.3 a number without text messages can be called instead', async ({ page, isMobile }) => {
  const number = isMobile ? '+12125550404' : '+13035550404'
  await reachCode(page, number)
  const dialog = page.getByRole('alertdialog')
  await expect(dialog).toContainText(
    'This number can’t receive text messages. Please try a call instead, or use another number.',
  )
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Call me instead' }).click()
  await confirm(page, 'Code Sent', 'OK')
  await page.locator('[name=code]').fill(await codeTo(page, number))
  await next(page)
  await confirm(page, 'Verification Successful', 'Proceed')
  await expect(page.getByLabel('Email address')).toBeVisible()
})

const waits = (page: Page) => page.getByRole('button', { name: /^Resend code in \d+ seconds$/ })

for (const [how, again] of [
  ['asked for again', (page: Page) => page.getByRole('button', { name: 'Resend code' }).click()],
  ['loaded again', (page: Page) => page.reload()],
] as const)
  test(`13.3 a code that is on its way although its answer was lost counts down when it is ${how}`, async ({
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
    const number = phone()
    await reachCode(page, number)
    await page.getByRole('alertdialog').getByRole('button', { name: 'Close' }).last().click()
    await expect(waits(page)).toHaveCount(0)
    await again(page)
    await expect(waits(page)).toBeVisible()
    await expect(page.getByRole('alertdialog')).toHaveCount(0)
    await expect(page.getByText('We sent a code to this number.')).toBeVisible()
    await expect(page.locator('[name=code]')).toBeFocused()
    await page.reload()
    await expect(waits(page)).toBeVisible()
    await page.locator('[name=code]').fill(await codeTo(page, number))
    await next(page)
    await confirm(page, 'Verification Successful', 'Proceed')
  })

test('13.3 5.2 a number that is taken up again while its code is no longer good has to wait for a new one', async ({
  page,
}) => {
  const [one, another] = [phone(), phone()]
  await reachCode(page, one)
  await confirm(page, 'Code Sent', 'OK')
  const editTo = async (number: string) => {
    await page.getByRole('button', { name: 'Edit Phone Number' }).click()
    await page.getByLabel('Mobile phone number').fill(number)
    await next(page)
  }
  await editTo(another)
  await confirm(page, 'Code Sent', 'OK')
  await editTo(one)
  const dialog = page.getByRole('alertdialog', { name: 'Error' })
  await expect(dialog).toContainText(/Please wait \d+ seconds? before you request a new code\./)
  await page.keyboard.press('Escape')
  await expect(page.getByText('We sent a code to this number.')).toHaveCount(0)
  await expect(waits(page)).toHaveCount(0)
})

test('12.13 what is corrected while the step of the code is still fetched is what counts', async ({ page }) => {
  const { asked, answer } = await holdUp(page, '**/assets/verification-*.js')
  await reachCode(page, phone())
  await asked
  const number = phone()
  await page.getByLabel('Mobile phone number').fill(number)
  await answer()
  await confirm(page, 'Code Sent', 'OK')
  expect(await codeTo(page, number)).not.toBe('')
})

test('13.4 a code that cannot be sent for want of a network', async ({ page }) => {
  await page.route('**/api/twilio/send-verification-code', (route) => route.abort())
  await reachCode(page, phone())
  const dialog = page.getByRole('alertdialog')
  await expect(dialog).toContainText('An error occurred while sending the verification code. Please try again.')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await expect(page.getByText('An error occurred while sending the verification code.').first()).toBeVisible()
})

test('13.4 a call that cannot be asked for leaves the focus at the code', async ({ page, isMobile }) => {
  await page.route('**/api/twilio/verify-call', (route) => route.abort())
  await reachCode(page, isMobile ? '+14155550404' : '+16175550404')
  await page.getByRole('alertdialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Call me instead' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Close', exact: true }).click()
  await expect(page.locator('[name=code]')).toBeFocused()
})

test('10.14 what may come with it can be gone: it is told there, and the way goes on', async ({ page }) => {
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
  const told = await page.getByRole('alert').elementHandle()
  await choose(page, /Monthly Parcel/)
  await expect.poll(() => told?.evaluate((alert) => alert.isConnected)).toBe(false) // said anew, not only still there
  await expect(page.getByRole('alert')).toContainText('This package is not available.')
  await page.getByRole('button', { name: /Continue without/ }).click()
  await expect(page.getByRole('heading', { name: 'Special offer' })).toBeVisible()
})

test('13.5 a price that cannot be loaded is an Error, with a way to try again', async ({ page }) => {
  const sums = '**/api/enrollment/orders'
  await page.route(sums, (route) => route.abort())
  await page.goto(at('/ana'))
  await choose(page, /Welcome Kit/)
  const again = page.getByRole('button', { name: 'try again' })
  const stumble = async () => {
    await page.getByRole('alertdialog', { name: 'Error' }).getByRole('button').last().click()
    await expect(again).toBeFocused()
    await page.unroute(sums)
    await page.keyboard.press('Enter')
    await expect(again).toHaveCount(0)
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  }
  await stumble()
  await page.route(sums, (route) => route.abort())
  await page.reload()
  await stumble()
})
