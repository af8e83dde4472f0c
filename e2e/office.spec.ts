import { expect, test } from '@playwright/test'
import { findAxeViolations } from './axe.ts'
import { pressByKeyboard, typeByKeyboard } from './keyboard.ts'
import { confirmAddress, createMember, emailsTo, findEmailLink, join, openOffice, signIn } from './member.ts'
import { holdScript, newVisitor } from './visitor.ts'

const NEW_PASSWORD = 'Closed-Sesame-8'

test('15.14 when a visitor joins through a member’s link, the member sees the visit, the join and the name', async ({
  page,
  context,
  browser,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const first = { ...newVisitor(), first_name: 'Grace', last_name: 'Hopper' }
  await join(page, '/ana', first)
  await expect(page.getByText('No one has opened your link yet.')).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Copy link' }).click()
  await expect(page.getByRole('status').getByText('Link copied.')).toBeAttached()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  expect(new URL(link).pathname).toBe(`/${first.username}`)
  await page.getByText('Send it with a message, or show its QR code').click()
  const qrCode = page.getByRole('img', { name: 'QR code of your link' })
  await expect.poll(() => qrCode.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)

  const visitorPage = await (await browser.newContext()).newPage()
  const second = { ...newVisitor(), first_name: 'Ada', last_name: 'Lovelace' }
  await join(visitorPage, link, second)
  await expect(visitorPage.getByText('You joined with Grace Hopper on')).toBeVisible()
  await expect.poll(() => emailsTo(visitorPage, second.email)).toContain('You joined with Grace Hopper')
  await visitorPage.getByRole('button', { name: 'Sign out', exact: true }).click()
  await expect(visitorPage.getByRole('status').getByText('You are signed out.')).toBeVisible()
  await visitorPage.goBack()
  await expect(visitorPage.getByRole('heading', { name: 'Tell us about yourself' })).toBeVisible()
  await expect(visitorPage.getByText(second.email)).toHaveCount(0)

  await page.reload()
  const visits = page.getByRole('region', { name: 'Visits and joins' })
  await expect(visits).toContainText('1 visit, 1 join')
  await visits.getByRole('heading').click()
  await expect(visits.locator('dl')).toHaveText('visit1join1')
  await expect(visits.getByRole('row').last().getByRole('cell')).toHaveText(['1', '1'])
  const referrals = page.getByRole('region', { name: 'People who joined through you' })
  await expect(referrals.getByRole('listitem')).toContainText('Ada Lovelace')
  for (const secret of [second.email, second.username, '555']) await expect(referrals).not.toContainText(secret)
  expect(await findAxeViolations(page)).toEqual([])
})

test('15.15 a member signs in and resets a forgotten password with the keyboard', async ({ page, request }) => {
  const { username, email, password } = await createMember(request)
  await confirmAddress(page, email)
  await page.goto('/office')
  expect(await findAxeViolations(page)).toEqual([])
  const name = page.getByLabel('Username or email address')
  await typeByKeyboard(page, name, username)
  await typeByKeyboard(page, page.getByLabel('Password', { exact: true }), 'Wrong-Sesame-7')
  await page.keyboard.press('Enter')
  await expect(page.locator('form').getByRole('alert')).toHaveText('Wrong username or password. Reset your password')
  await expect(name).toHaveValue(username)
  expect(await findAxeViolations(page)).toEqual([])

  await pressByKeyboard(page, page.getByRole('link', { name: 'Reset your password' }))
  await expect(page.getByRole('heading', { name: 'Forgot your password?' })).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])
  await typeByKeyboard(page, page.getByLabel('Username or email address'), username)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Check your inbox' })).toBeFocused()
  await expect(page.getByText('If that username or email address belongs to a member, we')).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])

  const link = await findEmailLink(page, email, 'new-password')
  await page.goto(link)
  const field = page.getByLabel('New password', { exact: true })
  await typeByKeyboard(page, field, 'short')
  await page.keyboard.press('Enter')
  await expect(field).toHaveAttribute('aria-invalid', 'true')
  expect(await findAxeViolations(page)).toEqual([])
  await field.fill(NEW_PASSWORD)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('status').getByText('Your password has been changed.')).toBeVisible()
  await expect(page).toHaveURL(/\/office$/)

  await signIn(page, email, password)
  await expect(page.locator('form').getByRole('alert')).toHaveText('Wrong username or password. Reset your password')
  await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Welcome, Zoë' })).toBeVisible()

  await page.goto(link)
  await page.getByLabel('New password', { exact: true }).fill('Other-Sesame-9')
  await page.keyboard.press('Enter')
  const expired = page.getByRole('heading', { name: 'This link no longer works' })
  await expect(expired).toBeFocused()
  expect(await findAxeViolations(page)).toEqual([])
  await page.goto(`${link}x`) // another link, in the same tab
  await page.getByLabel('New password', { exact: true }).fill('Other-Sesame-9')
  await page.keyboard.press('Enter')
  await expect(expired).toBeFocused()
  await pressByKeyboard(page, page.getByRole('link', { name: 'Request a new link' }))
  await expect(page.getByLabel('Username or email address')).toBeVisible()
})

test('15.6 15.15 a member changes phone, email and password with the keyboard', async ({ page, request, browser }) => {
  const { username, password, email: joinedWith } = await createMember(request)
  await confirmAddress(page, joinedWith)
  const elsewhere = await (await browser.newContext()).newPage()
  for (const browserPage of [page, elsewhere]) await openOffice(browserPage, username, password, '#details')
  const details = page.getByRole('region', { name: 'Your details' })
  const changeButton = (what: string) => details.getByRole('button', { name: `Change ${what}` })
  const current = details.getByLabel('Current password', { exact: true })
  const success = details.getByRole('status')

  await pressByKeyboard(page, changeButton('phone'))
  const phone = details.getByLabel('New mobile phone number')
  await expect(phone).toBeFocused()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('202 555 0177')
  await page.keyboard.press('Enter') // the next key on a phone
  await expect(current).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(details.getByText('Please enter your current password.').first()).toBeVisible()
  expect(await findAxeViolations(page, '.change-form')).toEqual([])
  await page.keyboard.type('Wrong-Sesame-7')
  await page.keyboard.press('Enter')
  await expect(details.getByText('This is not your current password.').first()).toBeVisible()
  await current.fill(password)
  await page.keyboard.press('Enter')
  await expect(success).toHaveText('Your phone number has been changed.')
  await expect(changeButton('phone')).toBeFocused()
  await expect(details).toContainText('+1 (202) 555-0177')

  const phoneChange = Promise.withResolvers<void>()
  await page.route('**/api/office/phone', (route) => phoneChange.promise.then(() => route.continue()))
  await pressByKeyboard(page, changeButton('phone'))
  await phone.fill('202 555 0188')
  await typeByKeyboard(page, current, password)
  await page.keyboard.press('Enter')
  await pressByKeyboard(page, details.getByRole('button', { name: 'Cancel' })) // the change is saved anyway
  await pressByKeyboard(page, changeButton('email'))
  const email = `${username}.new@mail.example`
  const address = details.getByLabel('New email address')
  await typeByKeyboard(page, address, email)
  phoneChange.resolve()
  await expect(success).toHaveText('Your phone number has been changed.')
  await expect(details).toContainText('+1 (202) 555-0188')
  await expect(address).toBeFocused()
  await expect(address).toHaveValue(email)
  await typeByKeyboard(page, current, password)
  await page.keyboard.press('Enter')
  await expect(success).toHaveText('Check your inbox. Open the link in our email to confirm your new address.')
  await expect(details).toContainText(`We sent a link to ${email}.`)

  await pressByKeyboard(page, changeButton('password'))
  await expect(current).toHaveAttribute('enterkeyhint', 'next')
  await typeByKeyboard(page, current, password)
  await typeByKeyboard(page, details.getByLabel('New password', { exact: true }), NEW_PASSWORD)
  expect(await findAxeViolations(page, '.change-form')).toEqual([])
  await page.keyboard.press('Enter')
  await expect(success).toHaveText('Your password has been changed. Every other browser is signed out.')
  await elsewhere.reload()
  await expect(elsewhere.getByRole('heading', { name: 'Sign in to your office' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Welcome, Zoë' })).toBeVisible()
})

test('15.15 a new email address is confirmed with one press', async ({ page, request }) => {
  const { username, password, email: joinedWith } = await createMember(request)
  await confirmAddress(page, joinedWith)
  const email = `${username}.new@mail.example`
  await openOffice(page, username, password)
  await page.request.post('/api/office/email', { data: { email, current_password: password } })
  await page.goto(await findEmailLink(page, email, 'confirm-email'))
  expect(await findAxeViolations(page)).toEqual([])
  await pressByKeyboard(page, page.getByRole('button', { name: 'Confirm email address' }))
  await expect(page.getByRole('heading', { name: 'Your email address is confirmed' })).toBeFocused()
  await page.evaluate(() => location.assign('#another-link'))
  await expect(page.getByRole('button', { name: 'Confirm email address' })).toBeVisible()
  await page.getByRole('button', { name: 'Confirm email address' }).click()
  await expect(page.getByRole('heading', { name: 'This link no longer works' })).toBeFocused()
  await pressByKeyboard(page, page.getByRole('link', { name: 'Go to your office' }))
  await expect(page.getByRole('region', { name: 'Your details' })).toContainText(email)
})

test('15.8 a new password that is saved before the script arrives is not lost', async ({ page, request }) => {
  const { username, email } = await createMember(request)
  await confirmAddress(page, email)
  await page.request.post('/api/office/forgotten-password', { data: { name: username } })
  const link = await findEmailLink(page, email, 'new-password')
  const releaseScript = await holdScript(page)
  await page.goto(link, { waitUntil: 'commit' })
  await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD)
  await page.getByRole('button', { name: 'Save new password' }).click()
  releaseScript()
  await expect(page.getByRole('status').getByText('Your password has been changed.')).toBeVisible()
})

test('15.8 a password that is typed before the script arrives gets its rules ticked', async ({ page }) => {
  const releaseScript = await holdScript(page)
  await page.goto('/office/new-password#token', { waitUntil: 'commit' })
  await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD)
  releaseScript()
  await expect(page.getByText('(done)')).toHaveCount(5)
})

test('15.8 a button of the office that is pressed before the script arrives does its work', async ({
  page,
  request,
}) => {
  const { username, password } = await createMember(request)
  await page.request.post('/api/office/sign-in', { data: { name: username, password } })
  const releaseScript = await holdScript(page)
  await page.goto('/office', { waitUntil: 'commit' })
  await page.getByRole('button', { name: 'Cancel membership' }).click()
  releaseScript()
  const dialog = page.getByRole('dialog', { name: 'Cancel your membership?' })
  await dialog.getByRole('button', { name: 'Keep membership' }).click()
  await expect(dialog).toBeHidden()
  await page.getByRole('button', { name: 'Cancel membership' }).click()
  await expect(dialog, 'a later press works as always').toBeVisible()
})

test('15.15 a member reads an accepted document, cancels and resumes with the keyboard', async ({ page, request }) => {
  const { username, email, password } = await createMember(request)
  await openOffice(page, username, password)
  await pressByKeyboard(page, page.getByRole('link', { name: 'Documents' }))
  const document = page.getByRole('button', { name: 'Membership Agreement' })
  expect((await document.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  await pressByKeyboard(page, document)
  const text = page.getByRole('dialog', { name: 'Membership Agreement, version 1' })
  await expect(text).toContainText('$99 per month')
  expect(await findAxeViolations(page, '.dialog')).toEqual([])
  await page.keyboard.press('Escape')
  await expect(document).toBeFocused()

  const membership = page.getByRole('region', { name: 'Your membership' })
  await pressByKeyboard(page, membership.getByRole('button', { name: 'Cancel membership' }))
  const dialog = page.getByRole('dialog', { name: 'Cancel your membership?' })
  await expect(dialog).toContainText('the end of the month you have paid for')
  expect(await findAxeViolations(page, '.dialog')).toEqual([])
  await pressByKeyboard(page, dialog.getByRole('button', { name: 'Cancel membership' }))
  await expect(membership.getByRole('status')).toHaveText(
    'Your membership is canceled. We’ve emailed you a confirmation.',
  )
  await expect(membership.getByRole('heading', { name: 'Your membership' })).toBeFocused()
  await expect.poll(() => emailsTo(page, email)).toMatch(/cancell?ed/i)
  expect(await findAxeViolations(page)).toEqual([])
  await pressByKeyboard(page, membership.getByRole('button', { name: 'Resume membership' }))
  await expect(membership.getByRole('status')).toHaveText('Your membership has been resumed.')
  await expect(membership.getByRole('heading', { name: 'Your membership' })).toBeFocused()
  await expect(membership).toContainText('Next charge')
})

test('15.3 after showing all referrals the focus is on the first new one', async ({
  page,
  playwright,
  request,
  baseURL,
}) => {
  const { username, password } = await createMember(request)
  // Separate cookies make each of them a new visitor.
  for (let count = 0; count < 6; count++)
    await createMember(await playwright.request.newContext({ baseURL }), { sponsor_site_name: username })
  await openOffice(page, username, password)
  const referrals = page.getByRole('region', { name: 'People who joined through you' })
  await pressByKeyboard(page, referrals.getByRole('button', { name: 'Show all 6' }))
  await expect(referrals.getByRole('listitem')).toHaveCount(6)
  await expect(referrals.getByRole('listitem').last()).toBeFocused()
})

test('15.15 4.16 a used sign-in link offers to sign in, and signing out everywhere ends every session', async ({
  page,
  request,
  browser,
}) => {
  const { username, password, grantLink } = await createMember(request)
  await page.goto(grantLink)
  // Asked because the link was not opened from our own page.
  await expect(page.getByRole('heading', { name: 'Is this your office?' })).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])
  await pressByKeyboard(page, page.getByRole('button', { name: 'Yes, open my office' }))
  await page.waitForURL('**/office')
  const other = await (await browser.newContext()).newPage()
  await other.goto(grantLink)
  await pressByKeyboard(other, other.getByRole('button', { name: 'Yes, open my office' }))
  await expect(other.getByRole('heading', { name: 'This sign-in link has expired' })).toBeFocused()
  await expect(other.getByRole('alert').first()).toContainText('Please sign in instead.')
  expect(await findAxeViolations(other)).toEqual([])
  await signIn(other, username, password)
  await expect(other.getByRole('heading', { name: 'Welcome, Zoë' })).toBeVisible()

  await pressByKeyboard(other, other.getByRole('link', { name: 'Sign-in and security' }))
  await pressByKeyboard(other, other.getByRole('button', { name: 'Sign out everywhere' }))
  await expect(other.getByRole('status').getByText('You are signed out here and in every other browser.')).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Sign in to your office' })).toBeVisible()
})
