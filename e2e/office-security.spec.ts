import { expect, type Page, test } from '@playwright/test'
import { codeOf, stepAt } from '#server/members/credentials/totp.ts'
import { addAuthenticator } from './authenticator.ts'
import { findAxeViolationsInBothSchemes } from './axe.ts'
import { pressByKeyboard, typeByKeyboard } from './keyboard.ts'
import { createMember, emailsTo, openOffice, signIn } from './member.ts'

const twoSteps = (page: Page) => page.getByRole('region', { name: 'Two-step sign-in' })
const openSecurity = async (page: Page) => {
  await page.getByRole('link', { name: 'Sign-in and security' }).click()
  await expect(page.getByRole('heading', { name: 'Sign-in and security' })).toBeVisible()
}
const isInOffice = (page: Page) => expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
const signOut = async (page: Page) => {
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Sign in to your office' })).toBeVisible()
}
async function expectAccessible(page: Page) {
  expect(await findAxeViolationsInBothSchemes(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
}

test('21.12 a member adds a passkey by keyboard, signs out, and signs in with it', { tag: '@width' }, async ({
  page,
  request,
}) => {
  await addAuthenticator(page)
  const { username, password, email } = await createMember(request)
  await openOffice(page, username, password)
  await openSecurity(page)
  await expectAccessible(page)
  const card = twoSteps(page)
  await pressByKeyboard(page, card.getByRole('button', { name: 'Add a passkey' }))
  await typeByKeyboard(page, card.getByLabel('Current password', { exact: true }), 'Wrong-Password-1')
  await page.keyboard.press('Enter')
  await expect(card.getByText('This is not your current password.')).toBeVisible()
  await card.getByLabel('Current password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await expect(card.getByRole('status').first()).toContainText('Your passkey has been added.')
  await expectAccessible(page)
  await pressByKeyboard(page, card.getByRole('button', { name: 'I have stored them' }))
  await expect(card.getByText('10 recovery codes left')).toBeVisible()
  await expect.poll(() => emailsTo(page, email)).toContain('A passkey was added.')

  await signOut(page)
  await expectAccessible(page)
  await pressByKeyboard(page, page.getByRole('button', { name: 'Sign in with a passkey' }))
  await isInOffice(page)

  await signOut(page)
  await signIn(page, username, password)
  await expect(page.getByRole('heading', { name: 'One more step' })).toBeFocused()
  await expectAccessible(page)
  await pressByKeyboard(page, page.getByRole('button', { name: 'Use your passkey' }))
  await isInOffice(page)
})

test('21.12 a member turns on an app, signs in with a code and a recovery code, and turns it off', {
  tag: '@width',
}, async ({ page, request }) => {
  const { username, password } = await createMember(request)
  await openOffice(page, username, password)
  await openSecurity(page)
  const card = twoSteps(page)
  await card.getByRole('button', { name: 'Turn on' }).click()
  const secret = ((await card.locator('.app-setup code').textContent()) ?? '').replaceAll(' ', '')
  await expectAccessible(page)
  await card.getByLabel('Code that the app shows').fill(codeOf(secret, stepAt(new Date())))
  await card.getByLabel('Current password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  const codes = ((await card.locator('.copy-text').textContent()) ?? '').split('\n')
  expect(codes).toHaveLength(10)
  await card.getByRole('button', { name: 'I have stored them' }).click()

  await signOut(page)
  await signIn(page, username, password)
  await page.getByLabel('Code').fill('000000')
  await page.keyboard.press('Enter')
  await expect(page.getByText('This code is not correct, or was used before.')).toBeVisible()
  await page.getByLabel('Code').fill(codeOf(secret, stepAt(new Date()) + 1)) // the clock of the phone is ahead
  await page.keyboard.press('Enter')
  await isInOffice(page)

  await signOut(page)
  await signIn(page, username, password)
  await page.getByLabel('Code').fill(codes[0] ?? '')
  await page.keyboard.press('Enter')
  await isInOffice(page)
  await openSecurity(page)
  await expect(card.getByText('9 recovery codes left')).toBeVisible()
  await card.getByRole('button', { name: 'Turn off' }).click()
  await card.getByLabel('Current password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await expect(card.getByRole('status').first()).toContainText('The authenticator app is off.')
})

test('21.13 a member sees the other browsers, signs one out, and then all others', { tag: '@width' }, async ({
  page,
  request,
  playwright,
  baseURL,
}) => {
  const { username: name, password } = await createMember(request)
  const agents = [
    'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1',
    'curl/8.5.0',
  ]
  const browsers = await Promise.all(
    agents.map(async (userAgent) => {
      const browser = await playwright.request.newContext({ userAgent, ...(baseURL ? { baseURL } : {}) })
      await browser.post('/api/office/sign-in', { data: { name, password } })
      return browser
    }),
  )
  const statuses = () => Promise.all(browsers.map(async (it) => (await it.get('/api/office/view')).status()))
  await openOffice(page, name, password)
  await openSecurity(page)
  const card = page.getByRole('region', { name: 'Where you’re signed in' })
  await expect(card.getByRole('listitem')).toHaveCount(4)
  await expect(card.getByRole('listitem').first()).toContainText('This browser')
  expect(await statuses()).toEqual([200, 200, 200])
  await expectAccessible(page)
  await pressByKeyboard(page, card.getByRole('button', { name: 'Sign out Safari on iPhone' }))
  await expect(card.getByRole('status')).toContainText('Safari on iPhone is signed out.')
  expect(await statuses()).toEqual([200, 401, 200])
  await pressByKeyboard(page, card.getByRole('button', { name: 'Sign out all others' }))
  await expect(card.getByRole('listitem')).toHaveCount(1)
  expect(await statuses()).toEqual([401, 401, 401])
  for (const browser of browsers) await browser.dispose()
})
