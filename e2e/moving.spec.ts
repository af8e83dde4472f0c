import { expect, test } from '@playwright/test'
import { passwordMessages } from '../contract/password.ts'
import { awake, fillAccount, fillAccountCreation, holdUp, next, reachPayment, someone } from './visitor.ts'

test('12.1 Back and Forward step through the wizard and keep what was typed', async ({ page }) => {
  const who = await reachPayment(page)
  await page.getByLabel('City').fill('Reno')
  await page.goBack()
  await expect(page.getByLabel('Username')).toHaveValue(who.username)
  await page.goBack()
  await expect(page.getByLabel('First name')).toHaveValue(who.first_name)
  await expect(page).toHaveURL('/ana')
  await page.goForward()
  await expect(page.getByLabel('Email address')).toHaveValue(who.email)
  await page.goForward()
  await expect(page.getByLabel('City')).toHaveValue('Reno')
})

test('12.1 Back takes along the dialog that is open', async ({ page }) => {
  const who = await reachPayment(page)
  await page.getByRole('button', { name: 'Membership Agreement' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(page.getByLabel('Username')).toHaveValue(who.username)
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
})

test('12.2 Forward never passes an invalid step', async ({ page }) => {
  await reachPayment(page)
  await page.goBack()
  await page.getByLabel('Username').fill('')
  await page.goForward()
  await expect(page.getByLabel('Username')).toBeVisible()
  await expect(page.getByLabel('Card number')).toHaveCount(0)
})

test('12.2 who goes back while a name is looked up stays there', async ({ page }) => {
  await page.goto('/ana')
  const who = someone()
  await fillAccount(page, who)
  await next(page)
  await fillAccountCreation(page, who)
  const { asked, answer } = await holdUp(page, '**/api/enrollment/validate_email*')
  await next(page)
  await asked
  await page.getByRole('button', { name: 'Previous' }).click()
  await page.getByLabel('First name').fill('')
  await answer()
  await expect(page.getByLabel('First name')).toBeFocused()
})

test('12.13 what is corrected while it is looked up is what counts', async ({ page }) => {
  await page.goto('/ana')
  const who = someone()
  await fillAccount(page, who)
  await next(page)
  await fillAccountCreation(page, { ...who, email: who.email.replace('mail', 'mial') })
  const { asked, answer } = await holdUp(page, '**/api/enrollment/validate_email*')
  await next(page)
  await asked
  await page.getByLabel('Email address').fill(who.email)
  const askedAgain = page.waitForRequest('**/api/enrollment/validate_email*')
  await answer()
  expect((await askedAgain).postData() ?? (await askedAgain).url()).toContain(who.email)
  await expect(page.getByRole('button', { name: /^Confirm and Pay/ })).toBeVisible()
  await expect(page.locator('.review')).toContainText(who.email)
})

test('12.13 what is corrected while the next step is still fetched is what counts', async ({ page }) => {
  const { asked, answer } = await holdUp(page, '**/assets/checkout-*.js')
  await page.goto('/ana')
  const who = someone()
  await fillAccount(page, who)
  await next(page)
  const lookedUp = ['email', 'username'].map((name) => page.waitForResponse(`**/api/enrollment/validate_${name}*`))
  await fillAccountCreation(page, { ...who, email: who.email.replace('mail', 'mial') })
  await next(page)
  await Promise.all([asked, ...lookedUp])
  await page.getByLabel('Email address').fill(who.email)
  await answer()
  await expect(page.locator('.review')).toContainText(who.email)
})

test('12.14 a step that cannot be fetched is told at once, keeps what was typed, and is fetched by the next press', async ({
  page,
}) => {
  let asked = 0
  await page.route('**/assets/checkout-*.js', (route) => {
    asked++
    return route.abort()
  })
  await page.goto('/ana')
  const who = someone()
  await fillAccount(page, who)
  await next(page)
  await expect.poll(() => asked).toBe(1) // ahead of its time
  await fillAccountCreation(page, who)
  await next(page)
  await expect(page.getByRole('alert')).toContainText('The next step could not be loaded.')
  expect(asked).toBe(2)
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue(who.password)
  await page.unroute('**/assets/checkout-*.js')
  await next(page)
  await expect(page.getByRole('button', { name: /^Confirm and Pay/ })).toBeVisible()
})

test('12.2 who goes back while a price is asked for keeps the package of before', async ({ page }) => {
  await reachPayment(page)
  await page.locator('summary').click()
  await page.getByRole('button', { name: /^Change/ }).click()
  const { asked, answer } = await holdUp(page, '**/api/enrollment/orders')
  await page.getByRole('button', { name: /Welcome Kit/ }).click()
  await asked
  await page.goBack()
  await page.getByLabel('City').fill('Reno')
  await answer()
  await expect(page.getByLabel('City')).toBeFocused()
  await expect(page.getByRole('button', { name: 'Confirm and Pay $99.00' })).toBeVisible()
})

test('13.6 who chooses again while a price is asked for gets what was chosen last', async ({ page }) => {
  await page.goto('/ana')
  await awake(page)
  await page.locator('summary').click()
  await page.getByRole('button', { name: /^Change/ }).click()
  const { asked, answer } = await holdUp(page, '**/api/enrollment/orders')
  await page.getByRole('button', { name: /Founding Membership/ }).click()
  await asked
  await page.getByRole('button', { name: /Welcome Kit/ }).click()
  await answer()
  await expect(page.getByLabel('First name')).toBeVisible()
  await expect(page.locator('.order')).toContainText('Welcome Kit')
  await expect(page.locator('.order-price')).toHaveText('$149.00')
})

test('12.10 the next step stands ready out of reach, comes forward, and knows what was answered meanwhile', async ({
  page,
}) => {
  await page.goto('/ana')
  await awake(page)
  const height = () => page.evaluate(() => document.documentElement.scrollHeight)
  const alone = await height()
  await page.getByLabel('First name').focus()
  const email = page.locator('[name=email]')
  await expect(email).toBeAttached()
  await email.evaluate((field) => field.setAttribute('data-ready', ''))
  await expect(email).toBeHidden()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Tell us about yourself')
  await email.evaluate((field) => field.focus())
  await expect(page.getByLabel('First name')).toBeFocused()
  expect(await height()).toBe(alone)
  const ids = await page.locator('[id]').evaluateAll((elements) => elements.map(({ id }) => id))
  expect(ids).toEqual([...new Set(ids)])

  await fillAccount(page, { ...someone(), last_name: 'Lighthouse' })
  await next(page)
  await expect(page.getByRole('heading', { name: 'Create your account' })).toBeFocused()
  await expect(email).toHaveAttribute('data-ready')
  await expect(page.locator('[name=first_name]')).toHaveCount(0)
  await page.getByRole('button', { name: 'Previous' }).click()
  await expect(page.getByLabel('Last name')).toHaveValue('Lighthouse')
  await next(page)
  await fillAccountCreation(page, { ...someone(), password: 'Lighthouse-7' })
  await next(page)
  await expect(page.getByText(passwordMessages.personal).first()).toBeVisible()
})

test('12.12 a second tap on Next is not taken for one on the step that came forward', async ({ page }) => {
  await page.goto('/ana')
  await fillAccount(page, someone())
  await expect(page.locator('[name=email]')).toBeAttached() // it stands ready: the first tap shows it at once
  const button = await page.getByRole('button', { name: 'Next' }).boundingBox()
  const { x = 0, y = 0, width = 0, height = 0 } = button ?? {}
  const tap = () => page.touchscreen.tap(x + width * 0.7, y + height / 2)
  await tap()
  await tap()
  await page.waitForTimeout(300)
  await expect(page.getByRole('heading', { name: 'Create your account' })).toBeFocused()
  await expect(page.getByText('Please enter your email address.')).toHaveCount(0)
  await page.waitForTimeout(400)
  await tap()
  await expect(page.getByText('Please enter your email address.').first()).toBeVisible()
})

test("12.11 a phone's next key goes to the next field, and the last one's goes on", async ({ page }) => {
  await page.goto('/ana')
  await awake(page)
  await page.getByLabel('First name').fill('Zoë')
  for (const label of ['Last name', 'Company name', 'Mobile phone number']) {
    await page.keyboard.press('Enter')
    await expect(page.getByLabel(label)).toBeFocused()
  }
  await expect(page.getByText('Please enter your last name.')).toHaveCount(0)
  await page.keyboard.press('Enter')
  await expect(page.getByText('Please enter your last name.').first()).toBeVisible()
})

test('12.3 a reload stays on the step with what is not secret', async ({ page }) => {
  await page.goto('/ana')
  const who = someone()
  await fillAccount(page, who)
  await next(page)
  await fillAccountCreation(page, who)
  await expect(page).toHaveTitle(/^Create your account/)
  await page.reload()
  await expect(page).toHaveTitle(/^Create your account/)
  await expect(page.getByLabel('Email address')).toHaveValue(who.email)
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('')
  await page.getByRole('button', { name: 'Previous' }).click()
  await expect(page.getByLabel('Mobile phone number')).toHaveValue(/555-?\s?0123/)
})

test('12.3 who reloads on PAYMENT is asked for the password, and leaves that step with one Back', async ({ page }) => {
  const who = await reachPayment(page)
  await page.reload()
  await expect(page.getByLabel('Username')).toHaveValue(who.username)
  await page.waitForFunction(() => history.state?.step === 'ACCOUNT_CREATION')
  await page.getByLabel('Password', { exact: true }).fill(who.password)
  await page.goBack()
  await expect(page.getByLabel('First name')).toHaveValue(who.first_name)
  await page.goForward()
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue(who.password)
})

test('12.4 the review shows what was entered, and each Edit leads to its field', async ({ page }) => {
  const who = await reachPayment(page)
  const review = page.locator('.review')
  for (const [edit, shown, label] of [
    ['Edit name', `${who.first_name} ${who.last_name}`, 'First name'],
    ['Edit phone', '+1 (202) 555-0123', 'Mobile phone number'],
    ['Edit email', who.email, 'Email address'],
    ['Edit username', who.username, 'Username'],
  ] as const) {
    await expect(review).toContainText(shown)
    await review.getByRole('button', { name: edit }).click()
    await expect(page.getByLabel(label)).toBeFocused()
    await page.goBack()
  }
})
