import { expect, type Page, test } from '@playwright/test'
import { complaints } from './axe.ts'
import { fillAccount, fillAccountCreation, next, pay, reachPayment, someone } from './visitor.ts'

/** The message that stands under a field and is tied to it. */
const messageOf = async (page: Page, name: string) => {
  const field = page.locator(`[name="${name}"]:not([type=hidden]), #${name}`).first()
  const ids = ((await field.getAttribute('aria-describedby')) ?? '').split(' ')
  const texts = await Promise.all(
    ids.filter((id) => id.endsWith('-error')).map((id) => page.locator(`#${id}`).textContent()),
  )
  return texts.join(' ').trim()
}

test('11.1 an empty ACCOUNT says what is missing, and the first field gets the focus', async ({ page }) => {
  await page.goto('/ana')
  await next(page)
  await expect(page.getByLabel('First name')).toBeFocused()
  expect(await messageOf(page, 'first_name')).toBe('Please enter your first name.')
  expect(await messageOf(page, 'last_name')).toBe('Please enter your last name.')
  expect(await messageOf(page, 'mobile_phone')).toBe('Please enter your mobile phone number.')
  expect(await messageOf(page, 'business_name')).toBe('')
  expect(await complaints(page)).toEqual([])
})

test('11.2 a phone number that does not fit is told on leaving it, and cleared when it fits', async ({ page }) => {
  await page.goto('/ana')
  await page.getByLabel('Mobile phone number').fill('202 55')
  await page.getByLabel('First name').focus()
  await expect.poll(() => messageOf(page, 'mobile_phone')).toBe('Invalid mobile phone number format.')
  await page.getByLabel('Mobile phone number').fill('202 555 0123')
  await expect.poll(() => messageOf(page, 'mobile_phone')).toBe('')
})

test('11.3 a filled trap says so', async ({ page }) => {
  await page.goto('/ana')
  await fillAccount(page, someone())
  await page.waitForFunction(() => history.state?.step)
  await page.locator('[name=hall_lantern]').evaluate((field: HTMLInputElement) => {
    field.value = 'bot'
  })
  await next(page)
  await expect(page.getByText('This field should be left empty.').first()).toBeAttached()
  await expect(page.getByLabel('Email address')).toBeHidden()
})

test('11.4 ACCOUNT_CREATION', async ({ page }) => {
  await page.goto('/ana')
  await fillAccount(page, someone())
  await next(page)
  await expect(page.getByLabel('Email address')).toBeVisible()
  await next(page)
  expect(await messageOf(page, 'email')).toBe('Please enter your email address.')
  expect(await messageOf(page, 'username')).toBe('Please enter your username.')
  expect(await messageOf(page, 'password')).toBe('Please enter your password.')
  await page.getByLabel('Email address').fill('nobody')
  await page.getByLabel('Password', { exact: true }).fill('short')
  await expect.poll(() => messageOf(page, 'email')).toBe('Invalid email format.')
  await expect
    .poll(() => messageOf(page, 'password'))
    .toBe(
      'Password must have at least 8 characters, one uppercase letter, one lowercase letter, one digit, and one special character.',
    )
  const refused = {
    'Example-2026': 'Please choose a password that is not based on your name, email or username.',
    'Password-1': 'This password is too common. Please choose another one.',
    'Open-Sesame-7': '',
  }
  for (const [password, message] of Object.entries(refused)) {
    await page.getByLabel('Password', { exact: true }).fill(password)
    await expect.poll(() => messageOf(page, 'password'), password).toBe(message)
  }
  await page.getByLabel('Username').fill('')
  await page.getByLabel('Username').pressSequentially('A b-C!7')
  await expect(page.getByLabel('Username')).toHaveValue('abc7')
})

test('11.5 a taken username and a taken email are told in the server’s words', async ({ page }) => {
  await page.goto('/ana')
  const who = someone()
  await fillAccount(page, who)
  await next(page)
  await fillAccountCreation(page, { ...who, username: 'ana' })
  await expect(page.getByRole('status').getByText('This username is already taken.')).toBeAttached()
  await expect.poll(() => messageOf(page, 'username')).toBe('This username is already taken.')
  await page.getByLabel('Username').fill(who.username)
  await expect(page.getByRole('status').getByText('already taken')).toHaveCount(0)
  await page.route('**/validate_email', (route) =>
    route.fulfill({ json: { email: ['This email address is already registered.'] } }),
  )
  await next(page)
  await expect.poll(() => messageOf(page, 'email')).toBe('This email address is already registered.')
})

test('11.5 a username is looked up where the typing pauses, from three letters on, and the button rests for a second', async ({
  page,
}) => {
  await page.goto('/ana')
  await fillAccount(page, someone())
  await next(page)
  const username = page.getByLabel('Username')
  await username.focus()
  const asked: string[] = []
  const { promise: wanted, resolve: answer } = Promise.withResolvers<void>()
  await page.route('**/api/enrollment/validate_username', async (route) => {
    asked.push(route.request().postDataJSON().username)
    await wanted
    await route.continue()
  })
  await username.pressSequentially('qz')
  await page.waitForTimeout(900)
  expect(asked).toEqual([])
  const pressed = Date.now()
  await username.press('7')
  await expect.poll(() => asked).toEqual(['qz7'])
  expect(Date.now() - pressed).toBeGreaterThanOrEqual(500)
  const button = page.getByRole('button', { name: 'Next' })
  await expect(button).toHaveAttribute('aria-busy')
  const answered = Date.now()
  answer()
  await expect(button).not.toHaveAttribute('aria-busy')
  expect(Date.now() - answered).toBeGreaterThanOrEqual(1000)
  await expect(page.getByRole('status').getByText('qz7 is available.')).toBeVisible()
  await expect(username).toBeFocused()
})

test('11.5 a name is told each time it is typed, and asked about again on Next', async ({ page }) => {
  await page.goto('/ana')
  const who = someone()
  await fillAccount(page, who)
  await next(page)
  await fillAccountCreation(page, { ...who, username: '' })
  const message = 'This username is already taken.'
  const username = page.getByLabel('Username')
  for (const taken of ['ana', 'master', 'ana']) {
    await username.fill(taken)
    await expect.poll(() => messageOf(page, 'username'), taken).toBe(message)
  }
  for (const typed of [who.username, '', who.username]) {
    await username.fill(typed)
    await expect(page.getByRole('status').getByText('is available.')).toHaveCount(typed ? 1 : 0)
  }
  const held = { email: ['This email address is already registered.'], username: [message] }
  for (const [name, messages] of Object.entries(held))
    await page.route(`**/validate_${name}`, (route) => route.fulfill({ json: { [name]: messages } }))
  await username.fill(`${who.username}x`)
  await next(page)
  await expect.poll(() => messageOf(page, 'email')).toBe(held.email[0])
  await expect.poll(() => messageOf(page, 'username')).toBe(message)
  await page.getByLabel('Password', { exact: true }).fill('')
  await next(page)
  expect(await messageOf(page, 'username')).toBe(message) // nobody was asked yet
  await page.getByLabel('Password', { exact: true }).fill(who.password)
  await page.unrouteAll() // whoever held them has given up
  await next(page)
  await expect(page.getByRole('button', { name: /^Confirm and Pay/ })).toBeVisible()
})

test('11.6 lookups that fail are only logged, and Next proceeds', async ({ page }) => {
  await page.route('**/api/enrollment/validate_*', (route) => route.abort())
  await reachPayment(page)
})

test('11.5 11.6 what was found to be taken stands while it is asked about again, and when nobody can say', async ({
  page,
}) => {
  await page.goto('/ana')
  const who = someone()
  await fillAccount(page, who)
  await next(page)
  await fillAccountCreation(page, { ...who, username: 'ana' })
  const email = ['This email address is already registered.']
  await page.route('**/validate_email', (route) => route.fulfill({ json: { email } }))
  await next(page)
  const told = async () => {
    expect(await messageOf(page, 'email')).toBe(email[0])
    expect(await messageOf(page, 'username')).toBe('This username is already taken.')
    await expect(page.locator('.summary a')).toHaveCount(2)
  }
  await expect(page.locator('.summary a')).toHaveCount(2)
  await told()
  await page.unrouteAll()
  const { promise: wanted, resolve: fail } = Promise.withResolvers<void>()
  await page.route('**/api/enrollment/validate_*', async (route) => {
    await wanted
    await route.abort()
  })
  const asked = page.waitForRequest('**/validate_email')
  await next(page)
  await asked
  await told()
  fail()
  await expect(page.getByLabel('Email address')).toBeFocused()
  await told()
  await page.unrouteAll()
  await page.getByLabel('Username').fill(who.username)
  await next(page)
  await expect(page.getByRole('button', { name: /^Confirm and Pay/ })).toBeVisible()
})

test('11.7 12.8 PAYMENT', async ({ page }) => {
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
  expect(await complaints(page)).toEqual([])
  const targets = await page.locator('.summary a, .captcha label').all()
  expect(targets).toHaveLength(new Set(Object.values(expected)).size + 2) // each message once, the captcha's, and its box
  for (const target of targets) expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  const monthly = page.getByRole('checkbox', { name: /every month/ })
  await monthly.click({ position: { x: -8, y: -8 }, force: true }) // a thumb beside the box
  await expect(monthly).toBeChecked()
  const agree = page.getByRole('link', { name: 'Please confirm all the agreements.' })
  await agree.click()
  await expect(page.locator('#agreement_1')).toBeFocused()
  await page.keyboard.press('Space')
  await expect(page.locator('.summary .done')).toContainText('Please confirm all the agreements.')
  await monthly.uncheck()
  await agree.click()
  await expect(monthly).toBeFocused()
  await page.getByLabel('Card number').fill('4242 4242 4242 4241')
  await expect.poll(() => messageOf(page, 'cc_number')).toBe('Invalid credit card number format.')
  await page.getByLabel('CVC').fill('12')
  await expect.poll(() => messageOf(page, 'cc_cvv')).toBe('Invalid CVC format.')
})
