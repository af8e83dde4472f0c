import { expect, test } from '@playwright/test'
import { startWorker } from '../server/worker/worker.ts'
import { findAxeViolations } from './axe.ts'
import { checkScreen, enterAs } from './console.ts'
import { type OwnSite, startOwnSite } from './own-site.ts'

let site: OwnSite
let worker: ReturnType<typeof startWorker>
test.beforeAll(async () => {
  site = await startOwnSite({ LOG_LEVEL: 'fatal' })
  worker = startWorker(site.world) // checks and writes
})
test.afterAll(async () => {
  await worker.stop()
  await site.close()
})

const HEADER = 'username,first_name,last_name,email,sponsor,joined_on,membership,price'
const fileOf = (lines: string[]) => ({
  name: 'members.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from([HEADER, ...lines].join('\r\n')),
})

test('30.12 an owner chooses a file, sees its bad lines, corrects it, and imports it', { tag: '@width' }, async ({
  page,
}) => {
  await enterAs(page, site, 'owner')
  await page.goto(site.at('/console/members'))
  await page.getByRole('link', { name: 'Import' }).click()
  await expect(page.getByRole('heading', { name: 'Import members' })).toBeVisible()
  await checkScreen(page, 'Import members')

  const file = page.locator('input[type=file]')
  await file.setInputFiles({ name: 'members.xlsx', mimeType: 'text/csv', buffer: Buffer.from('PK\u0003\u0004') })
  await expect(page.getByText('This is a spreadsheet. Save it as CSV (UTF-8), and choose that file.')).toBeVisible()
  await page.getByLabel('Name of the old system').fill('Old System')
  await page.getByRole('button', { name: 'Choose a file' }).click()
  await expect(page.getByText('Please use up to 30 lowercase letters, digits and hyphens.')).toBeVisible()
  await expect(page.getByLabel('Name of the old system')).toBeFocused()
  await page.getByLabel('Name of the old system').fill('old-system')

  const good = 'mara,Mara,Berg,mara@example.com,,2024-01-31,,0.00'
  await file.setInputFiles(fileOf([good, 'ola,Ola,Li,ola@example.com,nobody,31.01.2024,,0.00']))
  const bad = page.getByRole('row').filter({ hasText: 'joined_on' })
  await expect(bad).toContainText('must be a day such as 2024-01-31.')
  await expect(bad).toContainText('3')
  await checkScreen(page, 'Import members')
  await page.getByRole('button', { name: 'Choose another file' }).click()
  await expect(page.getByRole('heading', { name: 'Choose a file' }), 'the button is gone').toBeFocused()
  await expect(page.getByLabel('Name of the old system')).toHaveValue('old-system')

  const corrected = [good, 'ola,Ola,Li,ola@example.com,mara,2024-01-31,,0.00']
  await file.setInputFiles(fileOf(corrected))
  await expect(page.getByRole('button', { name: 'Import 2 members' })).toBeVisible()
  await page.getByRole('button', { name: 'Import 2 members' }).click()
  await expect(page.getByText('2 members imported.')).toBeVisible()
  await checkScreen(page, 'Import members')
  await page.getByRole('button', { name: 'Email them a link' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Email them' }).click()
  await expect(page.getByText('The emails are on their way.')).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])
})
