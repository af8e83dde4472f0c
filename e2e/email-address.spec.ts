import { type APIRequestContext, expect, test } from '@playwright/test'
import { findAxeViolations, findAxeViolationsInBothSchemes } from './axe.ts'
import { createMember, findEmailLink, join, openOffice, signIn } from './member.ts'
import { startOwnSite } from './own-site.ts'
import { newVisitor } from './visitor.ts'

const NEW_PASSWORD = 'Lemon-Tree-9'

test('21.14 a new member opens the welcome email, presses the link, and the notice is gone', async ({ page }) => {
  const visitor = newVisitor()
  await join(page, 'ana', visitor)
  const notice = page.locator('.notice', { hasText: 'Please confirm your email address' })
  await expect(notice).toContainText(visitor.email)
  await notice.getByRole('button', { name: 'Send the link again' }).click()
  await expect(notice.getByRole('status')).toHaveText('We sent the link. No email? Check your spam folder.')
  expect(await findAxeViolationsInBothSchemes(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  const link = await findEmailLink(page, visitor.email, 'confirm-email')
  await page.goto(link)
  expect(await findAxeViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Confirm email address' }).click()
  await expect(page.getByRole('heading', { name: 'Your email address is confirmed' })).toBeFocused()
  await page.getByRole('link', { name: 'Go to your office' }).click()
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
  await expect(notice).toHaveCount(0)
})

test('21.15 a member corrects a mistyped address and confirms it signed out', async ({ page, request, browser }) => {
  const { username, password, email: mistyped } = await createMember(request)
  await openOffice(page, username, password)
  const notice = page.locator('.notice', { hasText: 'Please confirm your email address' })
  await notice.getByRole('button', { name: 'Correct the address' }).click()
  const details = page.getByRole('region', { name: 'Your details' })
  const field = details.getByLabel('New email address')
  await expect(field).toBeFocused()
  const email = `${username}.right@mail.example`
  await field.fill(email)
  await details.getByLabel('Current password', { exact: true }).fill(password)
  expect(await findAxeViolations(page, '.change-form')).toEqual([])
  await details.getByRole('button', { name: 'Save' }).click()
  await expect(details.getByRole('status').first()).toHaveText(
    'Your address has been changed. Open the link in our email to confirm it.',
  )
  await expect(notice).toContainText(email)
  await expect(details).not.toContainText(mistyped)

  const mailProgram = await (await browser.newContext()).newPage()
  await mailProgram.goto(await findEmailLink(page, mistyped, 'confirm-email'))
  await mailProgram.getByRole('button', { name: 'Confirm email address' }).click()
  await expect(mailProgram.getByRole('heading', { name: 'This link no longer works' })).toBeFocused()
  await mailProgram.goto(await findEmailLink(page, email, 'confirm-email'))
  await mailProgram.getByRole('button', { name: 'Confirm email address' }).click()
  await expect(mailProgram.getByText(`We’ll send your email to ${email}.`)).toBeVisible()
  await page.reload()
  await expect(notice).toHaveCount(0)
})

test('21.16 a member with an unconfirmed address resets the password with the last four digits of the card', async ({
  page,
  request,
}) => {
  const { username, email, cc_number } = await createMember(request)
  await page.request.post('/api/office/forgotten-password', { data: { name: username } })
  await page.goto(await findEmailLink(page, email, 'new-password-with-card'))
  const digits = page.getByLabel('Last four digits of your card')
  await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD)
  await digits.fill('12')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Please enter the last four digits of your card.').first()).toBeVisible()
  await digits.fill('0001')
  await page.keyboard.press('Enter')
  await expect(page.getByText('These are not the last four digits of your card on file.').first()).toBeVisible()
  expect(await findAxeViolationsInBothSchemes(page)).toEqual([])
  await digits.fill(String(cc_number).slice(-4))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('status').getByText('Your password has been changed.')).toBeVisible()
  await signIn(page, username, NEW_PASSWORD)
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
  await expect(page.locator('.notice', { hasText: 'Please confirm your email address' })).toHaveCount(0)
})

test('21.19 where codes are sent, a new phone number counts once its code is entered', async ({ page, playwright }) => {
  const site = await startOwnSite({ LOG_LEVEL: 'silent' })
  const request: APIRequestContext = await playwright.request.newContext({ baseURL: site.at('') })
  const { username, password } = await createMember(request)
  site.world.config = { ...site.world.config, PHONE_VERIFICATION: true } // codes are sent from now on
  await page.request.post(site.at('/api/office/sign-in'), { data: { name: username, password } })
  await page.goto(site.at('/office#details'))
  const details = page.getByRole('region', { name: 'Your details' })
  await details.getByRole('button', { name: 'Change phone' }).click()
  await details.getByLabel('New mobile phone number').fill('202 555 0177')
  await details.getByLabel('Current password', { exact: true }).fill(String(password))
  await details.getByRole('button', { name: 'Save' }).click()
  const code = details.getByLabel('Code')
  await expect(code).toBeFocused()
  expect(await findAxeViolations(page, '.change-form')).toEqual([])
  const [{ body }] = await (await request.get(site.at('/__outbox.json?to=%2B12025550177'))).json()
  await page.reload()
  await expect(details).toContainText('We sent a code to')
  await details.getByRole('button', { name: 'Change phone' }).click()
  await code.fill('000000')
  await page.keyboard.press('Enter')
  await expect(details.getByText('This code is incorrect. Please check it and try again.').first()).toBeVisible()
  await code.fill(/\d{6}/.exec(body)?.[0] ?? '')
  await page.keyboard.press('Enter')
  await expect(details.getByText('Your phone number has been changed.')).toBeVisible()
  await expect(details).toContainText('+1 (202) 555-0177')
  await site.close()
})
