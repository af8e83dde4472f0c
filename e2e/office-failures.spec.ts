import { expect, type Page, test } from '@playwright/test'
import { confirmAddress, createMember, findEmailLink, openOffice, signIn } from './member.ts'

// The office when a reply is lost, or when the browser does not keep the session cookie.

const NEW_PASSWORD = 'Closed-Sesame-8'
const UNREACHABLE = 'We couldn’t reach the server. Check your connection and try again.'
const UNANSWERED = 'We didn’t get a reply to your first try, but it may have worked.'

/** The server handles the call, but its reply does not reach the page. */
const loseReply = (page: Page, call: string) =>
  page.route(
    `**/api/office/${call}`,
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )

/** Presses a button whose first reply is lost, and presses it again. */
async function pressTwice(page: Page, name: string) {
  await page.getByRole('button', { name }).click()
  await expect(page.getByRole('alert').getByText(UNREACHABLE)).toBeVisible()
  await page.getByRole('button', { name }).click()
}

test('15.16 a password change whose reply was lost says that it may have worked', async ({ page, request }) => {
  const { username, password } = await createMember(request)
  await openOffice(page, username, password, '#details')
  const details = page.getByRole('region', { name: 'Your details' })
  const current = details.getByLabel('Current password', { exact: true })
  const warning = details
    .getByRole('alert')
    .getByText(`${UNANSWERED} In that case your new password is already active.`)
  await details.getByRole('button', { name: 'Change password' }).click()
  await current.fill('Wrong-Sesame-7')
  await details.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD)
  await details.getByRole('button', { name: 'Save' }).click()
  await expect(details.getByText('This is not your current password.').first()).toBeVisible()
  await expect(warning).toHaveCount(0)
  await loseReply(page, 'password')
  await current.fill(password)
  await pressTwice(page, 'Save')
  await expect(details.getByText('This is not your current password.').first()).toBeVisible()
  await expect(warning).toBeVisible()
})

test('15.16 a password reset whose reply was lost says that it may have worked', async ({ page, request }) => {
  const { username, email } = await createMember(request)
  await confirmAddress(page, email)
  await page.request.post('/api/office/forgotten-password', { data: { name: username } })
  await page.goto(await findEmailLink(page, email, 'new-password'))
  await loseReply(page, 'new-password')
  await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD)
  await pressTwice(page, 'Save new password')
  await expect(page.getByRole('heading', { name: 'Your password may have been changed' })).toBeFocused()
  await expect(page.getByText(UNANSWERED)).toBeVisible()
  await expect(page.getByRole('link', { name: 'Request a new link' })).toBeVisible()
  await page.getByRole('link', { name: 'Sign in' }).click()
  await signIn(page, username, NEW_PASSWORD)
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
})

test('15.16 an email confirmation whose reply was lost says that it may have worked', async ({ page, request }) => {
  const { username, password, email: joinedWith } = await createMember(request)
  await confirmAddress(page, joinedWith)
  const email = `${username}.new@mail.example`
  await openOffice(page, username, password)
  await page.request.post('/api/office/email', { data: { email, current_password: password } })
  await page.goto(await findEmailLink(page, email, 'confirm-email'))
  await loseReply(page, 'confirm-email')
  await pressTwice(page, 'Confirm email address')
  await expect(page.getByRole('heading', { name: 'Your email address may be confirmed' })).toBeFocused()
  await expect(page.getByText(UNANSWERED)).toBeVisible()
  await page.getByRole('link', { name: 'Go to your office' }).click()
  await expect(page.getByRole('region', { name: 'Your details' })).toContainText(email)
})

test('15.16 a cancellation without a network says so in the dialog', async ({ page, request }) => {
  const { username, password } = await createMember(request)
  await openOffice(page, username, password)
  await page.route('**/api/office/cancel*', (route) => route.abort(), { times: 1 })
  await page.getByRole('button', { name: 'Cancel membership' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel your membership?' })
  await dialog.getByRole('button', { name: 'Cancel membership' }).click()
  await expect(dialog.getByRole('alert')).toContainText(UNREACHABLE)
  await dialog.getByRole('button', { name: 'Cancel membership' }).click()
  await expect(page.getByText('Your membership is canceled. We’ve emailed you a confirmation.')).toBeVisible()
})

const needsCookies = (page: Page) => page.getByRole('status').getByText('The office needs cookies')

test('4.17 a browser that blocks cookies is told that the office needs them', async ({ page, request }) => {
  const { username, password, grantLink } = await createMember(request)
  for (const call of ['session', 'sign-in'])
    await page.route(`**/api/office/${call}`, (route) => route.fulfill({ json: {} })) // does not set the cookie
  await page.goto(grantLink)
  await page.getByRole('button', { name: 'Yes, open my office' }).click()
  await expect(needsCookies(page)).toBeVisible()
  await page.goto('/office')
  await expect(page.getByRole('heading', { name: 'Sign in to your office' })).toBeVisible()
  await expect(needsCookies(page)).toHaveCount(0)
  await signIn(page, username, password)
  await expect(needsCookies(page)).toBeVisible()
})

test('4.17 a member whose session ended later sees no message about cookies', async ({ page, request }) => {
  const { username, password } = await createMember(request)
  await page.goto('/office')
  await signIn(page, username, password)
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
  await page.waitForFunction(() => history.state === null)
  await page.context().clearCookies()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Sign in to your office' })).toBeVisible()
  await page.waitForTimeout(300)
  await expect(needsCookies(page)).toHaveCount(0)
})
