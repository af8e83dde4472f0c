import { expect, type Page, test } from '@playwright/test'
import { findAxeViolations } from './axe.ts'
import {
  fillAccount,
  fillAccountCreation,
  newVisitor,
  next,
  pay,
  reachAccountCreation,
  reachPayment,
} from './visitor.ts'

/** The error message that a field names in aria-describedby. */
const messageOf = async (page: Page, name: string) => {
  const field = page.locator(`[name="${name}"]:not([type=hidden]), #${name}`).first()
  const ids = ((await field.getAttribute('aria-describedby')) ?? '').split(' ')
  const texts = await Promise.all(
    ids.filter((id) => id.endsWith('-error')).map((id) => page.locator(`#${id}`).textContent()),
  )
  return texts.join(' ').trim()
}

test('11.1 an empty account step shows what is missing and focuses the first field', async ({ page }) => {
  await page.goto('/ana')
  await next(page)
  await expect(page.getByLabel('First name')).toBeFocused()
  await expect.poll(() => messageOf(page, 'first_name')).toBe('Please enter your first name.')
  await expect.poll(() => messageOf(page, 'last_name')).toBe('Please enter your last name.')
  await expect.poll(() => messageOf(page, 'mobile_phone')).toBe('Please enter your mobile phone number.')
  await expect.poll(() => messageOf(page, 'business_name')).toBe('')
  expect(await findAxeViolations(page)).toEqual([])
})

test('11.2 an invalid phone number gets its message on leaving the field, and loses it when the number is valid', async ({
  page,
}) => {
  await page.goto('/ana')
  await page.getByLabel('Mobile phone number').fill('202 55')
  await page.getByLabel('First name').focus()
  await expect.poll(() => messageOf(page, 'mobile_phone')).toBe('Invalid mobile phone number format.')
  await page.getByLabel('Mobile phone number').fill('202 555 0123')
  await expect.poll(() => messageOf(page, 'mobile_phone')).toBe('')
})

test('11.3 a filled honeypot shows its message and stops the visitor', async ({ page }) => {
  await page.goto('/ana')
  await fillAccount(page, newVisitor())
  await page.waitForFunction(() => history.state?.step)
  await page.locator('[name=hall_lantern]').evaluate((field: HTMLInputElement) => {
    field.value = 'bot'
  })
  await next(page)
  await expect(page.getByText('This field should be left empty.').first()).toBeAttached()
  await expect(page.getByLabel('Email address')).toBeHidden()
})

test('11.4 11.8 the account creation step shows the messages for emails and passwords, and cleans up the username', async ({
  page,
}) => {
  await reachAccountCreation(page)
  await expect(page.getByLabel('Email address')).toBeVisible()
  await next(page)
  await expect.poll(() => messageOf(page, 'email')).toBe('Please enter your email address.')
  await expect.poll(() => messageOf(page, 'username')).toBe('Please enter your username.')
  await expect.poll(() => messageOf(page, 'password')).toBe('Please enter your password.')
  await page.getByLabel('Email address').fill('nobody')
  await page.getByLabel('Password', { exact: true }).fill('short')
  await expect.poll(() => messageOf(page, 'email')).toBe('Invalid email format.')
  await expect
    .poll(() => messageOf(page, 'password'))
    .toBe(
      'Password must have at least 8 characters, one uppercase letter, one lowercase letter, one digit, and one special character.',
    )
  const passwords = {
    'Example-2026': 'Please choose a password that is not based on your name, email or username.',
    'Password-1': 'Many people use this password or one like it, so attackers try it first. Please choose another one.',
    'Open-Sesame-7': '',
  }
  for (const [password, message] of Object.entries(passwords)) {
    await page.getByLabel('Password', { exact: true }).fill(password)
    await expect.poll(() => messageOf(page, 'password'), password).toBe(message)
  }
  await page.getByLabel('Username').fill('')
  await page.getByLabel('Username').pressSequentially('A b-C!7')
  await expect(page.getByLabel('Username')).toHaveValue('abc7')
  await page.getByLabel('Email address').fill('zoe@gmial.con')
  await page.getByLabel('Email address').blur()
  await page.getByRole('button', { name: 'zoe@gmail.com' }).click()
  await expect(page.getByLabel('Email address')).toHaveValue('zoe@gmail.com')
  await expect(page.getByText('Did you mean')).toBeHidden()
  await page.getByLabel('Username').fill('Zoë Müller')
  await expect(page.getByLabel('Username')).toHaveValue('zoemueller')
  await expect(page.getByText('Other characters are left out.')).toBeVisible()
})

test('11.5 a taken username and a taken email show the server’s message', async ({ page }) => {
  const visitor = await reachAccountCreation(page)
  await fillAccountCreation(page, { ...visitor, username: 'ana' })
  await expect(page.getByRole('status').getByText('This username is already taken.')).toBeAttached()
  await expect.poll(() => messageOf(page, 'username')).toBe('This username is already taken.')
  await page.getByLabel('Username').fill(visitor.username)
  await expect(page.getByRole('status').getByText('already taken')).toHaveCount(0)
  await page.route('**/validate_email', (route) =>
    route.fulfill({ json: { email: ['This email address is already registered.'] } }),
  )
  await next(page)
  await expect.poll(() => messageOf(page, 'email')).toBe('This email address is already registered.')
})

test('11.5 a username of three letters or more is looked up when typing pauses, and Next is busy until a second after the reply', async ({
  page,
}) => {
  await reachAccountCreation(page)
  const username = page.getByLabel('Username')
  await username.focus()
  const lookups: string[] = []
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/api/enrollment/validate_username', async (route) => {
    lookups.push(route.request().postDataJSON().username)
    await released
    await route.continue()
  })
  await username.pressSequentially('qz')
  await page.waitForTimeout(900)
  expect(lookups).toEqual([])
  const lastKeyTime = Date.now()
  await username.press('7')
  await expect.poll(() => lookups).toEqual(['qz7'])
  expect(Date.now() - lastKeyTime).toBeGreaterThanOrEqual(500)
  const button = page.getByRole('button', { name: 'Next' })
  await expect(button).toHaveAttribute('aria-busy')
  const releaseTime = Date.now()
  release()
  await expect(button).not.toHaveAttribute('aria-busy')
  expect(Date.now() - releaseTime).toBeGreaterThanOrEqual(1000)
  await expect(page.getByRole('status').getByText('qz7 is available.')).toBeVisible()
  await expect(username).toBeFocused()
})

test('11.5 a taken username is reported each time it is typed, and looked up again on Next', async ({ page }) => {
  const visitor = await reachAccountCreation(page)
  await fillAccountCreation(page, { ...visitor, username: '' })
  const message = 'This username is already taken.'
  const username = page.getByLabel('Username')
  for (const name of ['ana', 'master', 'ana']) {
    await username.fill(name)
    await expect.poll(() => messageOf(page, 'username'), name).toBe(message)
  }
  for (const name of [visitor.username, '', visitor.username]) {
    await username.fill(name)
    await expect(page.getByRole('status').getByText('is available.')).toHaveCount(name ? 1 : 0)
  }
  const errors = { email: ['This email address is already registered.'], username: [message] }
  for (const [name, messages] of Object.entries(errors))
    await page.route(`**/validate_${name}`, (route) => route.fulfill({ json: { [name]: messages } }))
  await username.fill(`${visitor.username}x`)
  await next(page)
  await expect.poll(() => messageOf(page, 'email')).toBe(errors.email[0])
  await expect.poll(() => messageOf(page, 'username')).toBe(message)
  await page.getByLabel('Password', { exact: true }).fill('')
  await next(page)
  await expect.poll(() => messageOf(page, 'username')).toBe(message) // not looked up yet, because the password is missing
  await page.getByLabel('Password', { exact: true }).fill(visitor.password)
  await page.unrouteAll() // both names are free again
  await next(page)
  await expect(page.getByRole('button', { name: /^Confirm and Pay/ })).toBeVisible()
})

test('11.6 lookups that fail are only logged, and Next proceeds', async ({ page }) => {
  await page.route('**/api/enrollment/validate_*', (route) => route.abort())
  await reachPayment(page)
})

test('11.5 11.6 a message about a taken name stays during the next lookup, and when that lookup fails', async ({
  page,
}) => {
  const visitor = await reachAccountCreation(page)
  await fillAccountCreation(page, { ...visitor, username: 'ana' })
  const email = ['This email address is already registered.']
  await page.route('**/validate_email', (route) => route.fulfill({ json: { email } }))
  await next(page)
  const expectTaken = async () => {
    expect(await messageOf(page, 'email')).toBe(email[0])
    expect(await messageOf(page, 'username')).toBe('This username is already taken.')
    await expect(page.locator('.summary a')).toHaveCount(2)
  }
  await expect(page.locator('.summary a')).toHaveCount(2)
  await expectTaken()
  await page.unrouteAll()
  const { promise: released, resolve: fail } = Promise.withResolvers<void>()
  await page.route('**/api/enrollment/validate_*', async (route) => {
    await released
    await route.abort()
  })
  const lookup = page.waitForRequest('**/validate_email')
  await next(page)
  await lookup
  await expectTaken()
  fail()
  await expect(page.getByLabel('Email address')).toBeFocused()
  await expectTaken()
  await page.unrouteAll()
  await page.getByLabel('Username').fill(visitor.username)
  await next(page)
  await expect(page.getByRole('button', { name: /^Confirm and Pay/ })).toBeVisible()
})

test('11.7 12.8 the payment step reports every missing field, lists each message once, and has large targets', async ({
  page,
}) => {
  await reachPayment(page)
  await expect(page.getByText('Visa, Mastercard, American Express and Discover')).toBeVisible()
  await pay(page)
  const expected: Record<string, string> = {
    address: 'Please enter your address.',
    city: 'Please enter your city.',
    state: 'Please select a state.',
    post_code: 'Please enter your Post / ZIP code.',
    cc_number: 'Please enter your credit card number.',
    cc_month: 'Please select the expiration month.',
    cc_year: 'Please select the expiration year.',
    cc_cvv: 'Please enter the CVC.',
    agreement_1: 'Please confirm all the agreements.',
    agreement_2: 'Please confirm all the agreements.',
  }
  for (const [name, message] of Object.entries(expected))
    await expect.poll(() => messageOf(page, name), name).toBe(message)
  await expect(page.getByText('Please confirm the captcha.').first()).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])
  const targets = await page.locator('.summary a, .captcha label').all()
  expect(targets).toHaveLength(5) // the first three messages, the link to the others, and the captcha's box
  await expect(page.locator('.summary')).toContainText('Please check 11 answers.')
  await page.getByRole('link', { name: 'and 8 more below' }).click()
  await expect(page.locator('#post_code'), 'the fourth').toBeFocused()
  await expect(page.locator('#post_code')).toHaveAttribute('inputmode', 'numeric')
  for (const target of targets) expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  const monthly = page.getByRole('checkbox', { name: /every month/ })
  await monthly.click({ position: { x: -8, y: -8 }, force: true }) // a tap just beside the box
  await expect(monthly).toBeChecked()
  const address = page.locator('.summary').getByRole('link', { name: 'Please enter your address.' })
  await address.click()
  await expect(page.locator('#address')).toBeFocused()
  await page.keyboard.type('1600 Main St')
  await expect(address, 'a corrected one is removed').toHaveCount(0)
  await page.getByLabel('Card number').fill('3056 9309 0259 04')
  await expect(page.getByText('This looks like a Diners Club card, which we can’t accept.').first()).toBeVisible()
  await page.getByLabel('Card number').fill('4242 4242 4242 4241')
  await expect.poll(() => messageOf(page, 'cc_number')).toBe('Invalid credit card number format.')
  await page.getByLabel('CVC').fill('12')
  await expect.poll(() => messageOf(page, 'cc_cvv')).toBe('Invalid CVC format.')
})

test('11.1 the first wrong field is scrolled into view, even if it already has the focus', async ({ page }) => {
  await reachPayment(page)
  const address = page.getByLabel('Address', { exact: true })
  await address.focus()
  await page.mouse.wheel(0, 5000)
  await expect(address).not.toBeInViewport()
  await pay(page)
  await expect(address).toHaveAttribute('aria-invalid', 'true')
  await expect(address).toBeFocused()
  await expect(address).toBeInViewport({ ratio: 0.99 })
})
