import { expect, test } from '@playwright/test'
import { passwordMessages } from '../contract/password.ts'
import {
  fillAccount,
  fillAccountCreation,
  holdRequest,
  newVisitor,
  next,
  reachAccountCreation,
  reachPayment,
  waitForHydration,
} from './visitor.ts'

test('12.1 Back and Forward step through the wizard and keep what was typed', async ({ page }) => {
  const visitor = await reachPayment(page)
  await page.getByLabel('City').fill('Reno')
  await page.goBack()
  await expect(page.getByLabel('Username')).toHaveValue(visitor.username)
  await page.goBack()
  await expect(page.getByLabel('First name')).toHaveValue(visitor.first_name)
  await expect(page).toHaveURL('/ana')
  await page.goForward()
  await expect(page.getByLabel('Email address')).toHaveValue(visitor.email)
  await page.goForward()
  await expect(page.getByLabel('City')).toHaveValue('Reno')
})

test('12.1 Back closes an open dialog and goes to the previous step', async ({ page }) => {
  const visitor = await reachPayment(page)
  await page.getByRole('button', { name: 'Membership Agreement' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(page.getByLabel('Username')).toHaveValue(visitor.username)
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

test('12.2 a visitor who goes back during a lookup stays there', async ({ page }) => {
  const visitor = await reachAccountCreation(page)
  await fillAccountCreation(page, visitor)
  const { requested, release } = await holdRequest(page, '**/api/enrollment/validate_email*')
  await next(page)
  await requested
  await page.getByRole('button', { name: 'Previous' }).click()
  await page.getByLabel('First name').fill('')
  await release()
  await expect(page.getByLabel('First name')).toBeFocused()
})

test('12.13 an email address corrected during its lookup is looked up again and used', async ({ page }) => {
  const visitor = await reachAccountCreation(page)
  await fillAccountCreation(page, { ...visitor, email: visitor.email.replace('mail', 'mial') })
  const { requested, release } = await holdRequest(page, '**/api/enrollment/validate_email*')
  await next(page)
  await requested
  await page.getByLabel('Email address').fill(visitor.email)
  const secondLookup = page.waitForRequest('**/api/enrollment/validate_email*')
  await release()
  expect((await secondLookup).postData() ?? (await secondLookup).url()).toContain(visitor.email)
  await expect(page.getByRole('button', { name: /^Confirm and Pay/ })).toBeVisible()
  await expect(page.locator('.review')).toContainText(visitor.email)
})

test('12.13 an email address corrected while the next step is loading is used', async ({ page }) => {
  const { requested, release } = await holdRequest(page, '**/assets/checkout-*.js')
  const visitor = await reachAccountCreation(page)
  const lookups = ['email', 'username'].map((name) => page.waitForResponse(`**/api/enrollment/validate_${name}*`))
  await fillAccountCreation(page, { ...visitor, email: visitor.email.replace('mail', 'mial') })
  await next(page)
  await Promise.all([requested, ...lookups])
  await page.getByLabel('Email address').fill(visitor.email)
  await release()
  await expect(page.locator('.review')).toContainText(visitor.email)
})

test('12.14 a step that cannot be loaded shows a message immediately, keeps what was typed, and is loaded by the next press', async ({
  page,
}) => {
  let requests = 0
  await page.route('**/assets/checkout-*', (route) => {
    requests++
    return route.abort()
  })
  const visitor = await reachAccountCreation(page)
  await expect.poll(() => requests).toBe(2) // preloaded, and tried again
  await fillAccountCreation(page, visitor)
  await next(page)
  await expect(page.getByRole('alert')).toContainText('The next step could not be loaded.')
  expect(requests).toBeGreaterThan(2)
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue(visitor.password)
  await page.unroute('**/assets/checkout-*')
  await next(page)
  await expect(page.getByRole('button', { name: /^Confirm and Pay/ })).toBeVisible()
})

test('12.2 a visitor who goes back while a price is loading keeps the earlier package', async ({ page }) => {
  await reachPayment(page)
  await page.locator('.order summary').click()
  await page.getByRole('button', { name: /^Change/ }).click()
  const { requested, release } = await holdRequest(page, '**/api/enrollment/orders')
  await page.getByRole('button', { name: /Welcome Kit/ }).click()
  await requested
  await page.goBack()
  await page.getByLabel('City').fill('Reno')
  await release()
  await expect(page.getByLabel('City')).toBeFocused()
  await expect(page.getByRole('button', { name: 'Confirm and Pay $99.00' })).toBeVisible()
})

test('13.6 choosing another package while a price is loading selects the last choice', async ({ page }) => {
  await page.goto('/ana')
  await waitForHydration(page)
  await page.locator('summary').click()
  await page.getByRole('button', { name: /^Change/ }).click()
  const { requested, release } = await holdRequest(page, '**/api/enrollment/orders')
  await page.getByRole('button', { name: /Founding Membership/ }).click()
  await requested
  await page.getByRole('button', { name: /Welcome Kit/ }).click()
  await release()
  await expect(page.getByLabel('First name')).toBeVisible()
  await expect(page.locator('.order')).toContainText('Welcome Kit')
  await expect(page.locator('.order-price')).toHaveText('$149.00')
})

test('12.10 the next step is pre-rendered out of reach, and has the newest answers when it is shown', async ({
  page,
}) => {
  await page.goto('/ana')
  await waitForHydration(page)
  const pageHeight = () => page.evaluate(() => document.documentElement.scrollHeight)
  const heightBefore = await pageHeight()
  await page.getByLabel('First name').focus()
  const email = page.locator('[name=email]')
  await expect(email).toBeAttached()
  await email.evaluate((field) => field.setAttribute('data-marked', ''))
  await expect(email).toBeHidden()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Tell us about yourself')
  await email.evaluate((field) => field.focus())
  await expect(page.getByLabel('First name')).toBeFocused()
  expect(await pageHeight()).toBe(heightBefore)
  const ids = await page.locator('[id]').evaluateAll((elements) => elements.map(({ id }) => id))
  expect(ids).toEqual([...new Set(ids)])

  await fillAccount(page, { ...newVisitor(), last_name: 'Lighthouse' })
  await next(page)
  await expect(page.getByRole('heading', { name: 'Create your account' })).toBeFocused()
  await expect(email).toHaveAttribute('data-marked')
  await expect(page.locator('[name=first_name]')).toHaveCount(0)
  await page.getByRole('button', { name: 'Previous' }).click()
  await expect(page.getByLabel('Last name')).toHaveValue('Lighthouse')
  await next(page)
  await fillAccountCreation(page, { ...newVisitor(), password: 'Lighthouse-7' })
  await next(page)
  await expect(page.getByText(passwordMessages.personal).first()).toBeVisible()
})

test('12.12 the second tap of a double tap on Next does not press Next on the new step', async ({ page }) => {
  await page.goto('/ana')
  await fillAccount(page, newVisitor())
  await expect(page.locator('[name=email]')).toBeAttached() // pre-rendered, so the first tap shows it at once
  const button = await page.getByRole('button', { name: 'Next' }).boundingBox()
  const { x = 0, y = 0, width = 0, height = 0 } = button ?? {}
  const client = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchEnd') =>
    client.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: type === 'touchStart' ? [{ x: x + width * 0.7, y: y + height / 2 }] : [],
    })
  const tap = () => [touch('touchStart'), touch('touchEnd')]
  await Promise.all([...tap(), ...tap()]) // without waiting in between, so that it is a double tap on a busy machine, too
  await page.waitForTimeout(300)
  await expect(page.getByRole('heading', { name: 'Create your account' })).toBeFocused()
  await expect(page.getByText('Please enter your email address.')).toHaveCount(0)
  await page.waitForTimeout(400)
  await Promise.all(tap())
  await expect(page.getByText('Please enter your email address.').first()).toBeVisible()
})

test("12.11 a phone's next key goes to the next field, and submits the step from the last one", async ({ page }) => {
  await page.goto('/ana')
  await waitForHydration(page)
  await page.getByLabel('First name').fill('Zoë')
  for (const label of ['Last name', 'Company name', 'Mobile phone number']) {
    await page.keyboard.press('Enter')
    await expect(page.getByLabel(label)).toBeFocused()
  }
  await expect(page.getByText('Please enter your last name.')).toHaveCount(0)
  await page.keyboard.press('Enter')
  await expect(page.getByText('Please enter your last name.').first()).toBeVisible()
})

test('12.3 a reload stays on the step and keeps everything that is not secret', async ({ page }) => {
  const visitor = await reachAccountCreation(page)
  await fillAccountCreation(page, visitor)
  await expect(page).toHaveTitle(/^Create your account/)
  await page.reload()
  await expect(page).toHaveTitle(/^Create your account/)
  await expect(page.getByLabel('Email address')).toHaveValue(visitor.email)
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('')
  await expect(page.getByText('For your safety we don’t keep your password and card.')).toBeVisible()
  await page.getByRole('button', { name: 'Previous' }).click()
  await expect(page.getByLabel('Mobile phone number')).toHaveValue(/555-?\s?0123/)
})

test('12.3 a reload on the payment step goes back to the password, and one Back leaves that step', async ({ page }) => {
  const visitor = await reachPayment(page)
  await page.getByLabel('Address', { exact: true }).fill('1600 Main St')
  await page.reload()
  await expect(page.getByLabel('Username')).toHaveValue(visitor.username)
  await page.waitForFunction(() => history.state?.step === 'ACCOUNT_CREATION')
  await expect(page.getByText('For your safety we don’t keep your password and card.')).toBeVisible()
  await page.getByLabel('Password', { exact: true }).fill(visitor.password)
  await next(page)
  await expect(page.getByLabel('Address', { exact: true })).toHaveValue('1600 Main St')
  await page.goBack()
  await expect(page.getByText('For your safety we don’t keep')).toBeHidden()
  await page.goBack()
  await expect(page.getByLabel('First name')).toHaveValue(visitor.first_name)
  await page.goForward()
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue(visitor.password)
})

test('12.17 12.18 a second tab resumes the draft, and the first tab follows, but not in what was changed in it', async ({
  page,
  context,
}) => {
  await page.goto('/ana')
  const visitor = newVisitor()
  await fillAccount(page, visitor)
  const second = await context.newPage()
  await second.goto('/bluepier')
  await expect(second.getByLabel('Mobile phone number')).toHaveValue(/555-?\s?0123/)
  await second.getByLabel('Company name').fill('Juniper & Daughters')
  await second.getByLabel('Last name').fill('Elsewhere')
  await next(second)
  await second.getByLabel('Email address').fill(visitor.email)
  await page.getByRole('heading', { level: 1 }).click() // nobody is typing here
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  await expect(page.getByLabel('Company name')).toHaveValue('Juniper & Daughters')
  await expect(page.getByLabel('Last name')).toHaveValue(visitor.last_name)
  await next(page)
  await expect(page.getByLabel('Email address')).toHaveValue(visitor.email)
})

test('12.4 the review shows what was entered, and each Edit button focuses its field', async ({ page }) => {
  const visitor = await reachPayment(page)
  const review = page.locator('.review')
  const openReview = async () => {
    await expect(review.getByRole('button').first(), 'folded').toBeHidden()
    await review.locator('summary').click()
  }
  for (const [edit, text, label] of [
    ['Edit name', `${visitor.first_name} ${visitor.last_name}`, 'First name'],
    ['Edit phone', '+1 (202) 555-0123', 'Mobile phone number'],
    ['Edit email', visitor.email, 'Email address'],
    ['Edit username', visitor.username, 'Username'],
  ] as const) {
    await expect(review).toContainText(text)
    await openReview()
    await review.getByRole('button', { name: edit }).click()
    await expect(page.getByLabel(label)).toBeFocused()
    await page.goBack()
  }
  await page.getByLabel('City').fill('Reno')
  await openReview()
  await review.getByRole('button', { name: 'Edit name' }).click()
  await page.getByLabel('Last name').fill('Hopper')
  await next(page)
  await expect(review, 'Next leads straight back').toContainText('Hopper')
  await expect(page.getByLabel('City')).toHaveValue('Reno')
  await openReview()
  await review.getByRole('button', { name: 'Edit email' }).click()
  await page.getByLabel('Email address').fill(`new${visitor.email}`)
  await next(page)
  await expect(review).toContainText(`new${visitor.email}`)
})
