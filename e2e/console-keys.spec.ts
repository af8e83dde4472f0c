import { expect, test } from '@playwright/test'
import { authenticate } from '../server/connect/keys/keys.ts'
import { findAxeViolations } from './axe.ts'
import { checkScreen, enterAs } from './console.ts'
import { type OwnSite, startOwnSite } from './own-site.ts'

let site: OwnSite
test.beforeAll(async () => {
  site = await startOwnSite({ LOG_LEVEL: 'fatal' })
})
test.afterAll(() => site.close())

test('29.7 29.10 an owner creates an API key, copies it, and revokes it', { tag: '@width' }, async ({ page }) => {
  await enterAs(page, site, 'owner')
  await page.goto(site.at('/console/keys'))
  await expect(page.getByText('No active API keys.')).toBeVisible()
  await page.getByRole('button', { name: 'Create a key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create an API key' })
  await dialog.getByRole('button', { name: 'Create the key' }).click()
  await expect(dialog.getByText('Please enter a name, such as the system that will use it.')).toBeVisible()
  await expect(dialog.getByText('Please choose what this key may do.')).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])
  await dialog.getByLabel('Name').fill('Commission engine')
  await dialog.getByLabel('members:read').check()
  await expect(dialog.getByText('Please choose what this key may do.')).toHaveCount(0)
  await dialog.getByLabel('events:read').check()
  await dialog.getByRole('button', { name: 'Create the key' }).click()

  const created = page.getByRole('dialog', { name: 'The key for Commission engine' })
  const key = (await created.getByText(/^foyer_live_\w{36}$/).textContent())?.trim() ?? ''
  expect(await findAxeViolations(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(created).toBeVisible()
  await created.getByRole('button', { name: 'I’ve saved it' }).click()
  await authenticate(site.world, `Bearer ${key}`)
  await page.reload()
  const row = page.getByRole('listitem').filter({ has: page.getByText('Commission engine') })
  await expect(row).toContainText(`ends with ${key.slice(-4)} · last used`)
  await expect(row).toContainText('members:read')
  await checkScreen(page, 'API keys')

  await page.getByRole('button', { name: 'Revoke Commission engine' }).click()
  const revoke = page.getByRole('dialog', { name: 'Revoke Commission engine?' })
  await revoke.getByLabel('Reason').fill('A new engine')
  await revoke.getByRole('button', { name: 'Revoke' }).click()
  await expect(page.getByText('Commission engine is revoked.')).toBeVisible()
  await expect(authenticate(site.world, `Bearer ${key}`)).rejects.toMatchObject({ status: 401 })
  await expect(page.getByText(key)).toHaveCount(0)
})
