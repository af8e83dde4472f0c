import { expect, test } from '@playwright/test'
import { complaints } from './axe.ts'
import { enter, holdScript, join, lettersTo, linkTo, member, press, signIn, type } from './member.ts'
import { someone } from './visitor.ts'

const NEW_PASSWORD = 'Closed-Sesame-8'

test('15.14 a member’s link brings the next one: a visit, a join and a name for the first, a sponsor for the second', async ({
  page,
  context,
  browser,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const first = { ...someone(), first_name: 'Grace', last_name: 'Hopper' }
  await join(page, '/ana', first)
  await expect(page.getByText('Nobody has opened your link yet.')).toBeVisible()
  expect(await complaints(page)).toEqual([])
  await page.getByRole('button', { name: 'Copy' }).click()
  await expect(page.getByRole('status').getByText('Your link is copied.')).toBeAttached()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  expect(new URL(link).pathname).toBe(`/${first.username}`)
  const code = page.getByRole('img', { name: 'QR code of your link' })
  await expect.poll(() => code.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)

  const fresh = await (await browser.newContext()).newPage()
  const second = { ...someone(), first_name: 'Ada', last_name: 'Lovelace' }
  await join(fresh, link, second)
  await expect(fresh.getByRole('region', { name: 'Receipt' })).toContainText('Joined withGrace Hopper')
  await expect.poll(() => lettersTo(fresh, second.email)).toContain('You joined with Grace Hopper')
  await fresh.getByRole('button', { name: 'Sign out', exact: true }).click()
  await expect(fresh.getByRole('status').getByText('You are signed out.')).toBeVisible()
  await fresh.goBack()
  await expect(fresh.getByRole('heading', { name: 'Tell us about yourself' })).toBeVisible()
  await expect(fresh.getByText(second.email)).toHaveCount(0)

  await page.reload()
  const visits = page.getByRole('region', { name: 'Visits and joins' })
  await expect(visits.locator('dl')).toHaveText('visit1join1')
  await expect(visits.getByRole('row').last().getByRole('cell')).toHaveText(['1', '1'])
  const brought = page.getByRole('region', { name: 'Whom you brought' })
  await expect(brought.getByRole('listitem')).toContainText('Ada Lovelace')
  for (const secret of [second.email, second.username, '555']) await expect(brought).not.toContainText(secret)
  expect(await complaints(page)).toEqual([])
})

test('15.15 signing in and a forgotten password, with the keyboard', async ({ page, request }) => {
  const { username, email, password } = await member(request)
  await page.goto('/office')
  expect(await complaints(page)).toEqual([])
  const name = page.getByLabel('Username or email address')
  await type(page, name, username)
  await type(page, page.getByLabel('Password', { exact: true }), 'Wrong-Sesame-7')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toHaveText('Incorrect username or password.')
  await expect(name).toHaveValue(username)
  expect(await complaints(page)).toEqual([])

  await press(page, page.getByRole('link', { name: 'Forgotten your password?' }))
  await expect(page.getByRole('heading', { name: 'Forgotten your password?' })).toBeVisible()
  expect(await complaints(page)).toEqual([])
  await type(page, page.getByLabel('Username or email address'), username)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Look into your mailbox' })).toBeFocused()
  await expect(page.getByText('If we know this name, a letter is on its way.')).toBeVisible()
  expect(await complaints(page)).toEqual([])

  const link = await linkTo(page, email, 'new-password')
  await page.goto(link)
  const field = page.getByLabel('New password', { exact: true })
  await type(page, field, 'short')
  await page.keyboard.press('Enter')
  await expect(field).toHaveAttribute('aria-invalid', 'true')
  expect(await complaints(page)).toEqual([])
  await field.fill(NEW_PASSWORD)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('status').getByText('Your new password is set.')).toBeVisible()
  await expect(page).toHaveURL(/\/office$/)

  await signIn(page, email, password)
  await expect(page.getByRole('alert')).toHaveText('Incorrect username or password.')
  await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Welcome, Zoë' })).toBeVisible()

  await page.goto(link)
  await page.getByLabel('New password', { exact: true }).fill('Other-Sesame-9')
  await page.keyboard.press('Enter')
  const old = page.getByRole('heading', { name: 'This link no longer works' })
  await expect(old).toBeFocused()
  expect(await complaints(page)).toEqual([])
  await page.goto(`${link}x`) // another letter, in the same tab
  await page.getByLabel('New password', { exact: true }).fill('Other-Sesame-9')
  await page.keyboard.press('Enter')
  await expect(old).toBeFocused()
  await press(page, page.getByRole('link', { name: 'Ask for another letter' }))
  await expect(page.getByLabel('Username or email address')).toBeVisible()
})

test('15.6 15.15 changed details, with the keyboard', async ({ page, request, browser }) => {
  const { username, password } = await member(request)
  const elsewhere = await (await browser.newContext()).newPage()
  for (const place of [page, elsewhere]) await enter(place, username, password)
  const details = page.getByRole('region', { name: 'Your details' })
  const changer = (what: string) => details.getByRole('button', { name: `Change ${what}` })
  const current = details.getByLabel('Current password', { exact: true })
  const told = details.getByRole('status')

  await press(page, changer('phone'))
  const phone = details.getByLabel('New mobile phone number')
  await expect(phone).toBeFocused()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('202 555 0177')
  await page.keyboard.press('Enter') // a phone's next key
  await expect(current).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(details.getByText('Please enter your current password.').first()).toBeVisible()
  expect(await complaints(page, '.change')).toEqual([])
  await page.keyboard.type('Wrong-Sesame-7')
  await page.keyboard.press('Enter')
  await expect(details.getByText('This is not your current password.').first()).toBeVisible()
  await current.fill(password)
  await page.keyboard.press('Enter')
  await expect(told).toHaveText('Your phone number is changed.')
  await expect(changer('phone')).toBeFocused()
  await expect(details).toContainText('+1 (202) 555-0177')

  const slow = Promise.withResolvers<void>()
  await page.route('**/api/office/phone', (route) => slow.promise.then(() => route.continue()))
  await press(page, changer('phone'))
  await phone.fill('202 555 0188')
  await type(page, current, password)
  await page.keyboard.press('Enter')
  await press(page, details.getByRole('button', { name: 'Cancel' })) // it is being saved all the same
  await press(page, changer('email'))
  const email = `${username}.new@mail.example`
  const address = details.getByLabel('New email address')
  await type(page, address, email)
  slow.resolve()
  await expect(told).toHaveText('Your phone number is changed.')
  await expect(details).toContainText('+1 (202) 555-0188')
  await expect(address).toBeFocused()
  await expect(address).toHaveValue(email)
  await type(page, current, password)
  await page.keyboard.press('Enter')
  await expect(told).toHaveText('Nearly done. Please press the link in the letter.')
  await expect(details).toContainText(`A letter is on its way to ${email}.`)

  await press(page, changer('password'))
  await expect(current).toHaveAttribute('enterkeyhint', 'next')
  await type(page, current, password)
  await type(page, details.getByLabel('New password', { exact: true }), NEW_PASSWORD)
  expect(await complaints(page, '.change')).toEqual([])
  await page.keyboard.press('Enter')
  await expect(told).toHaveText('Your password is changed. Every other browser is signed out.')
  await elsewhere.reload()
  await expect(elsewhere.getByRole('heading', { name: 'Sign in to your office' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Welcome, Zoë' })).toBeVisible()
})

test('15.15 a new address is confirmed by one press', async ({ page, request }) => {
  const { username, password } = await member(request)
  const email = `${username}.new@mail.example`
  await enter(page, username, password)
  await page.request.post('/api/office/email', { data: { email, current_password: password } })
  await page.goto(await linkTo(page, email, 'confirm-email'))
  expect(await complaints(page)).toEqual([])
  await press(page, page.getByRole('button', { name: 'Confirm my new address' }))
  await expect(page.getByRole('heading', { name: 'Your address is confirmed' })).toBeFocused()
  await page.evaluate(() => location.assign('#another-letter'))
  await expect(page.getByRole('button', { name: 'Confirm my new address' })).toBeVisible()
  await page.getByRole('button', { name: 'Confirm my new address' }).click()
  await expect(page.getByRole('heading', { name: 'This link no longer works' })).toBeFocused()
  await press(page, page.getByRole('link', { name: 'Go to your office' }))
  await expect(page.getByRole('region', { name: 'Your details' })).toContainText(email)
})

test('15.8 a link from a letter that is pressed before the script arrives still works', async ({ page, request }) => {
  const { username, email } = await member(request)
  await page.request.post('/api/office/forgotten-password', { data: { name: username } })
  const link = await linkTo(page, email, 'new-password')
  const bringScript = await holdScript(page)
  await page.goto(link, { waitUntil: 'commit' })
  await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD)
  await page.getByRole('button', { name: 'Save my new password' }).click()
  bringScript()
  await expect(page.getByRole('status').getByText('Your new password is set.')).toBeVisible()
})

test('15.8 a password that is typed before the script arrives has its rules ticked', async ({ page }) => {
  const bringScript = await holdScript(page)
  await page.goto('/office/new-password#word', { waitUntil: 'commit' })
  await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD)
  bringScript()
  await expect(page.getByText('(done)')).toHaveCount(5)
})

test('15.15 what was agreed to is read again, and a membership is cancelled and kept, with the keyboard', async ({
  page,
  request,
}) => {
  const { username, email, password } = await member(request)
  await enter(page, username, password)
  const document = page.getByRole('button', { name: 'Membership Agreement' })
  expect((await document.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  await press(page, document)
  const text = page.getByRole('dialog', { name: 'Membership Agreement, version 1' })
  await expect(text).toContainText('$99 per month')
  expect(await complaints(page, '.dialog')).toEqual([])
  await page.keyboard.press('Escape')
  await expect(document).toBeFocused()

  const membership = page.getByRole('region', { name: 'Your membership' })
  await press(page, membership.getByRole('button', { name: 'Cancel membership' }))
  const dialog = page.getByRole('dialog', { name: 'Cancel your membership?' })
  await expect(dialog).toContainText('the end of the month that you have paid for')
  expect(await complaints(page, '.dialog')).toEqual([])
  await press(page, dialog.getByRole('button', { name: 'Cancel my membership' }))
  await expect(membership.getByRole('status')).toHaveText('Your membership is cancelled. A letter confirms it.')
  await expect(membership.getByRole('heading')).toBeFocused()
  await expect.poll(() => lettersTo(page, email)).toMatch(/cancelled/i)
  expect(await complaints(page)).toEqual([])
  await press(page, membership.getByRole('button', { name: 'Keep my membership' }))
  await expect(membership.getByRole('status')).toHaveText('Good to have you. Your membership goes on.')
  await expect(membership.getByRole('heading')).toBeFocused()
  await expect(membership).toContainText('Next renewal')
})

test('15.3 who asks for all whom they brought goes on with the next one', async ({
  page,
  playwright,
  request,
  baseURL,
}) => {
  const { username, password } = await member(request)
  // Each with cookies of their own.
  for (let joined = 0; joined < 6; joined++)
    await member(await playwright.request.newContext({ baseURL }), { sponsor_site_name: username })
  await enter(page, username, password)
  const brought = page.getByRole('region', { name: 'Whom you brought' })
  await press(page, brought.getByRole('button', { name: 'Show all 6' }))
  await expect(brought.getByRole('listitem')).toHaveCount(6)
  await expect(brought.getByRole('listitem').last()).toBeFocused()
})

test('15.15 4.16 a used key offers to sign in, and signing out everywhere closes every door', async ({
  page,
  request,
  browser,
}) => {
  const { username, password, door } = await member(request)
  await page.goto(door)
  await expect(page.getByRole('heading', { name: 'Is this your office?' })).toBeVisible() // sent by nobody of ours
  expect(await complaints(page)).toEqual([])
  await press(page, page.getByRole('button', { name: 'Yes, open my office' }))
  await page.waitForURL('**/office')
  const other = await (await browser.newContext()).newPage()
  await other.goto(door)
  await press(other, other.getByRole('button', { name: 'Yes, open my office' }))
  await expect(other.getByRole('heading', { name: 'This key no longer opens' })).toBeFocused()
  await expect(other.getByRole('alert').first()).toContainText('Please sign in instead.')
  expect(await complaints(other)).toEqual([])
  await signIn(other, username, password)
  await expect(other.getByRole('heading', { name: 'Welcome, Zoë' })).toBeVisible()

  await press(other, other.getByRole('button', { name: 'Sign out everywhere' }))
  await expect(other.getByRole('status').getByText('You are signed out here and in every other browser.')).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Sign in to your office' })).toBeVisible()
})
