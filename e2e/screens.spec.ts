import { test } from '@playwright/test'

// Not tests, so npm test leaves them out: npm run screens takes the pictures of the docs.

test('the first step', async ({ page }, { project }) => {
  await page.goto('/ana')
  await page.getByLabel('First name').fill('Zoë')
  await page.getByLabel('Mobile phone number').fill('202 55')
  await page.getByLabel('Last name').focus()
  await page.waitForTimeout(300)
  await page.screenshot({ path: `docs/screens/account-${project.name}.png` })
})
