import { expect, type Page, test } from '@playwright/test'
import { enter, linkTo, member, signIn } from './member.ts'

// The office, where an answer is lost on the way, or what it brings is not kept.

const NEW_PASSWORD = 'Closed-Sesame-8'
const SILENT = 'The office does not answer. Please check your connection and try again.'
const MAYBE = 'Your press before was not answered, but it may have worked.'

/** The server does it, and the page does not hear of it. */
const loseAnswer = (page: Page, call: string) =>
  page.route(
    `**/api/office/${call}`,
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )

/** Presses twice: the first answer is lost. */
async function pressTwice(page: Page, name: string) {
  await page.getByRole('button', { name }).click()
  await expect(page.getByRole('alert').getByText(SILENT)).toBeVisible()
  await page.getByRole('button', { name }).click()
}

test('15.16 a changed password of which nobody heard', async ({ page, request }) => {
  const { username, password } = await member(request)
  await enter(page, username, password)
  const details = page.getByRole('region', { name: 'Your details' })
  const current = details.getByLabel('Current password', { exact: true })
  const maybe = details.getByRole('alert').getByText(`${MAYBE} Then your new password counts already.`)
  await details.getByRole('button', { name: 'Change password' }).click()
  await current.fill('Wrong-Sesame-7')
  await details.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD)
  await details.getByRole('button', { name: 'Save' }).click()
  await expect(details.getByText('This is not your current password.').first()).toBeVisible()
  await expect(maybe).toHaveCount(0)
  await loseAnswer(page, 'password')
  await current.fill(password)
  await pressTwice(page, 'Save')
  await expect(details.getByText('This is not your current password.').first()).toBeVisible()
  await expect(maybe).toBeVisible()
})

test('15.16 a new password of which nobody heard', async ({ page, request }) => {
  const { username, email } = await member(request)
  await page.request.post('/api/office/forgotten-password', { data: { name: username } })
  await page.goto(await linkTo(page, email, 'new-password'))
  await loseAnswer(page, 'new-password')
  await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD)
  await pressTwice(page, 'Save my new password')
  await expect(page.getByRole('heading', { name: 'Your new password may be set' })).toBeFocused()
  await expect(page.getByText(MAYBE)).toBeVisible()
  await expect(page.getByRole('link', { name: 'Ask for another letter' })).toBeVisible()
  await page.getByRole('link', { name: 'Sign in' }).click()
  await signIn(page, username, NEW_PASSWORD)
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
})

test('15.16 a confirmed address of which nobody heard', async ({ page, request }) => {
  const { username, password } = await member(request)
  const email = `${username}.new@mail.example`
  await enter(page, username, password)
  await page.request.post('/api/office/email', { data: { email, current_password: password } })
  await page.goto(await linkTo(page, email, 'confirm-email'))
  await loseAnswer(page, 'confirm-email')
  await pressTwice(page, 'Confirm my new address')
  await expect(page.getByRole('heading', { name: 'Your address may be confirmed' })).toBeFocused()
  await expect(page.getByText(MAYBE)).toBeVisible()
  await page.getByRole('link', { name: 'Go to your office' }).click()
  await expect(page.getByRole('region', { name: 'Your details' })).toContainText(email)
})

test('15.16 a cancellation without a network says so in the words of the office', async ({ page, request }) => {
  const { username, password } = await member(request)
  await enter(page, username, password)
  await page.route('**/api/office/cancel*', (route) => route.abort(), { times: 1 })
  await page.getByRole('button', { name: 'Cancel membership' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel your membership?' })
  await dialog.getByRole('button', { name: 'Cancel my membership' }).click()
  await expect(dialog.getByRole('alert')).toContainText(SILENT)
  await dialog.getByRole('button', { name: 'Cancel my membership' }).click()
  await expect(page.getByText('Your membership is cancelled. A letter confirms it.')).toBeVisible()
})

const needsCookies = (page: Page) => page.getByRole('status').getByText('The office needs cookies')

test('4.17 where no cookie is kept, a right password says that the office needs them', async ({ page, request }) => {
  const { username, password, door } = await member(request)
  for (const call of ['session', 'sign-in'])
    await page.route(`**/api/office/${call}`, (route) => route.fulfill({ json: {} })) // and the cookie is not there
  await page.goto(door)
  await page.getByRole('button', { name: 'Yes, open my office' }).click()
  await expect(needsCookies(page)).toBeVisible()
  await page.goto('/office')
  await expect(page.getByRole('heading', { name: 'Sign in to your office' })).toBeVisible()
  await expect(needsCookies(page)).toHaveCount(0)
  await signIn(page, username, password)
  await expect(needsCookies(page)).toBeVisible()
})

test('4.17 who was signed in for a while is told nothing about cookies', async ({ page, request }) => {
  const { username, password } = await member(request)
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
