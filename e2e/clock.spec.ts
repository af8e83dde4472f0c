import { expect, test } from '@playwright/test'
import { createMember } from './member.ts'
import { type OwnSite, startOwnSite } from './own-site.ts'

let site: OwnSite
test.beforeAll(async () => {
  site = await startOwnSite()
})
test.afterAll(() => site.close())

test('17.26 a newcomer advances the clock to the next renewal, and sees the charge and the receipt', async ({
  playwright,
  page,
}) => {
  const request = await playwright.request.newContext({ baseURL: site.at('') })
  const { username, email } = await createMember(request)
  await request.dispose()
  await page.goto(site.at('/__clock'))
  await expect(page.getByText(`${username} joined and paid $99.00 (Visa 4242)`)).toBeVisible()
  await page.getByRole('button', { name: 'To the next renewal' }).click()
  await expect(page.getByText(`charged $99.00 to ${username} (Visa 4242), receipt sent`)).toBeVisible()
  await expect(page.getByText('1 charge, 0 declines, 1 email.')).toBeVisible()
  await page.getByRole('link', { name: 'Test payments' }).click()
  await expect(page.getByText('Renewal', { exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'Outbox' }).click()
  const receipt = page.getByRole('article').filter({ hasText: 'Your receipt: $99.00 for your membership' })
  await expect(receipt).toContainText(email)
})
