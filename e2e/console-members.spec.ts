import { readFile } from 'node:fs/promises'
import { expect, type Page, test } from '@playwright/test'
import { runJobs } from '#server/worker/jobs.ts'
import { allRows } from '../server/test/database-rows.ts'
import { checkScreen, enterAs, newMember } from './console.ts'
import { type OwnSite, startOwnSite } from './own-site.ts'
import { brokenWords } from './words.ts'

let site: OwnSite
test.beforeAll(async () => {
  site = await startOwnSite({ LOG_LEVEL: 'fatal' })
})
test.afterAll(() => site.close())
test.describe.configure({ mode: 'default' }) // one site for all journeys

const open = (page: Page, { id }: { id: string }) => page.goto(site.at(`/console/members/${id}`))

test('19.21 12.8 on a desktop a member takes two lines of the list, and no email address is broken', async ({
  page,
}) => {
  const sponsor = await newMember(site, { first_name: 'Juniper Fern Daughters and Son' })
  const email = `a.rather.long.name.of.a.person.${sponsor.username}@mail.example`
  const member = await newMember(site, { sponsor_site_name: sponsor.username, email: email.slice(-50) })
  await page.setViewportSize({ width: 1280, height: 900 })
  await enterAs(page, site, 'viewer')
  await page.goto(site.at(`/console/members?sponsor=${sponsor.username}`))
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Zoë Example' }) })
  expect.soft((await row.boundingBox())?.height).toBeLessThan(80)
  await open(page, member)
  await expect(page.getByRole('heading', { name: 'Details' })).toBeVisible()
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 900 })
    expect.soft(await brokenWords(page, '.lead, .facts dd'), `at ${width} pixels`).toEqual([])
  }
})

test('19.28 a manager exports the members that fit the filter', async ({ page }) => {
  await newMember(site, { first_name: '=Ana', last_name: 'Formula', sponsor_site_name: 'bluepier' })
  await newMember(site, { first_name: 'Ben', last_name: 'Elsewhere' })
  await enterAs(page, site, 'manager')
  await page.goto(site.at('/console/members?sponsor=bluepier'))
  await expect(page.getByRole('link', { name: '=Ana Formula' })).toBeVisible()
  await checkScreen(page, 'members')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export as CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^members-\d{4}-\d\d-\d\d\.csv$/)
  const text = await readFile(await download.path(), 'utf8')
  expect(text).toContain(`"'=Ana","Formula"`)
  expect(text).not.toContain('Elsewhere')
  await page.goto(site.at('/console/audit'))
  await expect(page.locator('.log').getByText('An export of members ended')).toBeVisible()
  await expect(page.locator('.log').getByText(/rows 1/)).toBeVisible()
})

test('19.32 a manager moves a member to another sponsor and sees both credits', async ({ page }) => {
  const member = await newMember(site, { first_name: 'Joy', last_name: 'Okafor' })
  await enterAs(page, site, 'manager')
  await open(page, member)
  await page.getByRole('button', { name: 'Move to another sponsor' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Link of the new sponsor').fill('nobodyhere')
  await dialog.getByLabel('Reason').fill('they met at the fair')
  await dialog.getByRole('button', { name: 'Move', exact: true }).click()
  await expect(dialog.getByText('There is no sponsor with this link.')).toBeVisible()
  await checkScreen(page, 'move')
  await dialog.getByLabel('Link of the new sponsor').fill('bluepier')
  await dialog.getByRole('button', { name: 'Move', exact: true }).click()
  await expect(page.getByText('The member has a new sponsor.')).toBeVisible()
  await expect(page.getByText(/Joined through \/ana/)).toBeVisible()
  await expect(page.getByText('sealed record, intact')).toBeVisible()
  await expect(page.getByText(/^Moved to \/bluepier/)).toBeVisible()
  await expect(page.getByText('“they met at the fair”').first()).toBeVisible()
  await checkScreen(page, 'member')
})

test('19.30 19.34 19.35 19.36 a manager corrects, waives, moves the renewal day and sends an email again', async ({
  page,
}) => {
  const member = await newMember(site, { first_name: 'Tom', last_name: 'Ibarra' })
  await enterAs(page, site, 'manager')
  await open(page, member)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Edit details', exact: true }).click()
  await dialog.getByLabel('City').fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('Please enter your city.')).toBeVisible()
  await checkScreen(page, 'details')
  await dialog.getByLabel('City').fill('Tonopah')
  await dialog.getByLabel('Email').fill('tom.new@mail.example')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('tom.new@mail.example has to confirm the new address first.')).toBeVisible()
  await expect(page.getByText('tom.new@mail.example, not confirmed yet')).toBeVisible()

  await page.getByRole('button', { name: 'Waive a month' }).click()
  await dialog.getByLabel('Reason').fill('the fair was closed')
  await dialog.getByRole('button', { name: 'Waive it' }).click()
  await expect(page.getByText('The month is waived.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Waive a month' })).toHaveCount(0)

  await page.getByRole('button', { name: 'Move the renewal day' }).click()
  const { anchor_on } = await site.db
    .selectFrom('membership')
    .select('anchor_on')
    .where('member_id', '=', member.id)
    .executeTakeFirstOrThrow()
  const day = Number(anchor_on.slice(8)) === 5 ? '6' : '5'
  await dialog.getByLabel('New day of the month').selectOption(day)
  await dialog.getByLabel('Reason').fill('payday')
  await checkScreen(page, 'renewal-day')
  const shown = await dialog.getByRole('status').locator('strong').textContent()
  expect(shown).toContain(` ${day}, `)
  await dialog.getByRole('button', { name: 'Move it' }).click()
  await expect(page.getByText(`The membership renews on ${shown}.`)).toBeVisible()

  await page.getByRole('button', { name: 'Send again: Welcome email sent' }).click()
  await dialog.getByRole('button', { name: 'Send it' }).click()
  await expect(page.getByText('The email is on its way.')).toBeVisible()
  while (await runJobs(site.world));
  const emails: { subject: string }[] = await (
    await fetch(site.at(`/__outbox.json?to=${encodeURIComponent(member.email)}`))
  ).json()
  expect(emails.filter(({ subject }) => subject.startsWith('Welcome'))).toHaveLength(2)
  expect(emails.map(({ subject }) => subject)).toContain('A month without a charge')
})

test('19.37 19.39 a manager exports a person, erases them, and the database knows them no more', async ({ page }) => {
  const member = await newMember(site, {
    first_name: 'Maranella',
    last_name: 'Lindqvistova',
    username: 'maralind',
    email: 'maranella@mail.example',
    address: '77 Nightingale Lane',
    city: 'Winnemucca',
  })
  await enterAs(page, site, 'manager')
  await open(page, member)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as JSON' }).click(),
  ])
  const file = JSON.parse(await readFile(await download.path(), 'utf8'))
  expect(file.member).toMatchObject({ first_name: 'Maranella', address: '77 Nightingale Lane' })
  await page.getByRole('button', { name: 'Erase', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Type maralind to confirm').fill('maralin')
  await dialog.getByLabel('Reason').fill('asked in writing')
  await dialog.getByRole('button', { name: 'Erase permanently' }).click()
  await expect(dialog.getByText('This is not the username of this member.')).toBeVisible()
  await checkScreen(page, 'erase')
  await dialog.getByLabel('Type maralind to confirm').fill('maralind')
  await dialog.getByRole('button', { name: 'Erase permanently' }).click()
  await expect(page.getByRole('heading', { name: 'A former member' })).toBeVisible()
  await expect(page.getByText(/The personal data was erased on/)).toBeVisible()
  await checkScreen(page, 'erased')
  await page.goto(site.at('/console/members?search=maranella'))
  await expect(page.getByText('No members match.')).toBeVisible()
  const everything = JSON.stringify(await allRows(site.db)).toLowerCase()
  for (const value of ['maranella', 'lindqvistova', 'nightingale', 'winnemucca'])
    expect(everything).not.toContain(value)
})

test('19.14 19.89 an action that takes its own button away leaves the focus in its section', async ({ page }) => {
  const member = await newMember(site)
  await enterAs(page, site, 'support')
  await open(page, member)
  await page.setViewportSize({ width: 1280, height: 900 })
  const section = page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'Membership', exact: true }) })
  const dialog = page.getByRole('dialog')
  for (const [action, message] of [
    ['Hold', 'The membership is on hold.'],
    ['Release', 'The hold is released.'],
  ] as const) {
    await section.getByRole('button', { name: action }).press('Enter')
    await dialog.getByLabel('Reason').fill('Asked by phone.')
    await page.keyboard.press('Enter')
    await expect(page.getByText(message)).toBeVisible()
    await expect(section.getByRole('heading', { name: 'Membership', exact: true })).toBeFocused()
  }
})

test('19.18 the to-do about members who weren’t charged on time leads to a list of them', async ({ page }) => {
  const told = [await newMember(site, { first_name: 'Una' }), await newMember(site, { first_name: 'Vito' })]
  await newMember(site)
  const resumed = { at: site.world.now(), kind: 'email' as const, what: 'charging_resumed' }
  await site.db
    .insertInto('member_event')
    .values(told.map(({ id }) => ({ member_id: id, ...resumed })))
    .execute()
  await enterAs(page, site, 'support')
  await page.goto(site.at('/console/problems'))
  const todo = page.getByRole('listitem').filter({ hasText: '2 members weren’t charged on time' })
  await todo.getByRole('link', { name: 'See these members' }).click()
  await expect(page.getByText('2 members', { exact: true })).toBeVisible()
  await expect(page.getByRole('link', { name: /^(?:Una|Vito) / })).toHaveCount(2)
  await expect(page.getByLabel('Told about missed charges on')).toHaveValue(/^\d{4}-/)
  await checkScreen(page, 'the list of these members')
})
