import { expect, test } from '@playwright/test'
import { checkScreen, enterAs, newMember } from './console.ts'
import { type OwnSite, startOwnSite } from './own-site.ts'

let site: OwnSite
test.beforeAll(async () => {
  site = await startOwnSite({ LOG_LEVEL: 'fatal' })
})
test.afterAll(() => site.close())

test('31.15 a manager sets the volumes of a price, and places a member', async ({ page }) => {
  const parent = await newMember(site, { first_name: 'Pia' })
  const member = await newMember(site, { first_name: 'Kim' })
  await enterAs(page, site, 'manager')
  await page.goto(site.at('/console/packages/34'))
  await expect(page.getByText('no volumes yet')).toHaveCount(2)
  await page.getByRole('button', { name: 'Set volumes for $99.00 at each renewal' }).click()
  await expect(page.getByRole('dialog').getByLabel('Paid')).toHaveValue('renewal')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Set volumes for $99.00 when joining' }).click()
  const volumes = page.getByRole('dialog')
  await expect(volumes.getByLabel('Price')).toHaveValue('99.00')
  await volumes.getByRole('button', { name: 'Set volumes' }).click()
  await expect(volumes.getByText('Please enter a volume such as 60.00. It can be 0.00.')).toHaveCount(2)
  await volumes.getByLabel('Business volume').fill('60')
  await volumes.getByLabel('Commissionable volume').fill('50.50')
  await volumes.getByRole('button', { name: 'Set volumes' }).click()
  await expect(page.getByText(/^60\.00 business, 50\.50 commissionable$/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Change volumes for $99.00 when joining' })).toBeFocused()
  await checkScreen(page, 'volumes')

  await page.goto(site.at(`/console/members/${member.id}`))
  await expect(page.getByText('Placement: automatic, under the sponsor')).toBeVisible()
  await page.getByRole('button', { name: 'Change placement' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Placement', { exact: true }).selectOption('Left')
  await dialog.getByLabel('Placed under (optional)').fill(`/${member.username}`)
  await dialog.getByLabel('Reason').fill('Agreed on the phone')
  await dialog.getByRole('button', { name: 'Change placement' }).click()
  await expect(dialog.getByText('Members can’t be placed under themselves.')).toBeVisible()
  await dialog.getByLabel('Placed under (optional)').fill(`/${parent.username}`)
  await dialog.getByRole('button', { name: 'Change placement' }).click()
  await expect(page.getByText(`Placement: left, under /${parent.username} Pia`)).toBeVisible()
  await checkScreen(page, 'placement')
})
