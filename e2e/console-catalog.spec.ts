import { expect, type Page, test } from '@playwright/test'
import type { Role } from '../contract/console-permissions.ts'
import { createInvitation } from '../server/console/invitations.ts'
import { runJobs } from '../server/jobs/jobs.ts'
import { validAnswers } from '../server/test/answers.ts'
import { solve } from '../server/test/solve-captcha.ts'
import { addAuthenticator } from './authenticator.ts'
import { findAxeViolations } from './axe.ts'
import { type OwnSite, startOwnSite } from './own-site.ts'
import { enterOffice, fillPayment, pay, reachPayment } from './visitor.ts'

let site: OwnSite
test.beforeAll(async () => {
  site = await startOwnSite({ LOG_LEVEL: 'fatal' })
})
test.afterAll(() => site.close())
test.describe.configure({ mode: 'serial' })

let staffCount = 0

/** Gets in as a new colleague with a passkey. */
async function enterAs(page: Page, role: Role) {
  const email = `${role}${++staffCount}@staff.example`
  const link = await createInvitation(site.world, { email, role, actor: { id: null, role: 'command line' } })
  await addAuthenticator(page)
  await page.goto(link)
  await page.getByLabel('Your name').fill(`Max ${role}`)
  await page.getByRole('button', { name: 'Create a passkey' }).click()
  await expect(page.getByRole('heading', { name: 'Today' })).toBeVisible()
}

let memberCount = 0

async function newMember(changes: Partial<ReturnType<typeof validAnswers>> = {}) {
  const captcha = await solve(await (await fetch(site.at('/api/captcha/challenge'))).json())
  const reply = await fetch(site.at('/api/enrollment/add-enrollment'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...validAnswers(`catalog${++memberCount}`), captcha, ...changes }),
  })
  expect((await reply.json()).payment).toBe('Approved')
  while (await runJobs(site.world));
}

async function look(page: Page, name: string) {
  await expect(page.getByRole('progressbar')).toHaveCount(0)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await findAxeViolations(page), `${name} ${colorScheme}`).toEqual([])
  }
  const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth
  expect(await page.evaluate(overflow), name).toBe(0)
  await page.emulateMedia({ colorScheme: 'light' })
  if (process.env.SHOTS)
    await page.screenshot({ path: `${process.env.SHOTS}/${name}-${page.viewportSize()?.width}.png`, fullPage: true })
}

test('19.84 a manager publishes a document, and the next visitor accepts the new text', async ({ page, browser }) => {
  test.setTimeout(180_000)
  await enterAs(page, 'manager')
  await page.goto(site.at('/console/documents'))
  await look(page, 'documents')
  await page.getByRole('link', { name: 'Membership Agreement' }).click()
  await expect(page.getByRole('heading', { name: 'Membership Agreement version 1' })).toBeVisible()
  await look(page, 'document')
  await page.getByRole('link', { name: 'Write a new version' }).click()
  const text = page.getByLabel('Text', { exact: true })
  await text.fill(`${await text.inputValue()}\n<h2>9. A new paragraph</h2><p>Be <b>kind</b>.<script>x</script></p>`)
  const preview = page.locator('.legal')
  await expect(preview.getByRole('heading', { name: '9. A new paragraph' })).toBeVisible()
  await expect(preview.locator('b')).toHaveText('kind')
  await page.getByRole('button', { name: 'Changes' }).click()
  await expect(page.locator('.diff ins')).toContainText('9. A new paragraph')
  await look(page, 'document-editor')
  await page.getByRole('button', { name: 'Publish version 2 now' }).click()
  await expect(page.getByText('Version 2 is live.')).toBeVisible()

  const visitor = await (await browser.newContext({ baseURL: site.at('/') })).newPage()
  const { username } = await reachPayment(visitor, site.at('/ana'))
  await visitor.getByRole('button', { name: 'Membership Agreement' }).click()
  await expect(visitor.getByRole('dialog')).toContainText('9. A new paragraph')
  await visitor.getByRole('button', { name: 'Close', exact: true }).click()
  await fillPayment(visitor)
  await pay(visitor)
  await enterOffice(visitor)
  const accepted = await site.db
    .selectFrom('acceptance')
    .innerJoin('member', 'member.id', 'member_id')
    .select(['title', 'version'])
    .where('username', '=', username)
    .where('title', '=', 'Membership Agreement')
    .execute()
  expect(accepted).toEqual([{ title: 'Membership Agreement', version: 2 }])

  await page.reload()
  await page.getByRole('link', { name: 'Who accepted version 2' }).click()
  await expect(page.getByRole('link', { name: 'Zoë Example' })).toBeVisible()
  await look(page, 'document-accepted')
  await page.getByRole('link', { name: 'Text of version 2' }).click()
  await expect(page.getByRole('heading', { name: 'Version 2, compared with version 1' })).toBeVisible()
  await expect(page.locator('.diff ins')).toContainText('9. A new paragraph')
  await look(page, 'document-changes')
  await page.getByRole('link', { name: 'Write a new version' }).click()
  await text.fill('<p>Quite short.</p>')
  const tomorrow = new Date(site.world.now().getTime() + 2 * 86_400_000).toISOString().slice(0, 10)
  await page.getByLabel('Publish on').fill(tomorrow)
  await page.getByRole('button', { name: /^Schedule for/ }).click()
  await expect(page.getByRole('heading', { name: /^Live from/ })).toBeVisible()
  await look(page, 'document-scheduled')
  await page.getByRole('button', { name: 'Take it back' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Take it back' }).click()
  await expect(page.getByText('The scheduled text is taken back.')).toBeVisible()

  const viewer = await (await browser.newContext()).newPage()
  await enterAs(viewer, 'viewer')
  await viewer.goto(site.at('/console/documents/3'))
  await expect(viewer.getByRole('heading', { name: 'Membership Agreement version 2' })).toBeVisible()
  await expect(viewer.getByRole('link', { name: 'Write a new version' })).toHaveCount(0)
  await expect(viewer.getByRole('main').getByRole('button')).toHaveCount(0)
})

test('19.89 a manager adds a package with a picture, moves it by keyboard, and changes a price after seeing what it does', async ({
  page,
  browser,
}) => {
  test.setTimeout(180_000)
  await newMember()
  const members = (await site.db.selectFrom('membership').select('member_id').execute()).length
  await enterAs(page, 'manager')
  await page.goto(site.at('/console/packages'))
  await look(page, 'packages')
  await page.getByRole('button', { name: 'Add a package' }).click()
  const adding = page.getByRole('dialog', { name: 'Add a package' })
  await adding.getByLabel('Name').fill('Evening Membership')
  await adding.getByLabel('Price today').fill('59')
  await adding.getByRole('button', { name: 'Add' }).click()
  await expect(adding.getByText('Please enter what it costs every month after the first.')).toBeVisible()
  await adding.getByLabel('Renewal price').fill('49')
  await look(page, 'package-add')
  await adding.getByRole('button', { name: 'Add' }).click()
  await expect(page.getByRole('heading', { name: 'Evening Membership offered' })).toBeVisible()
  const png = await page.screenshot({ clip: { x: 0, y: 0, width: 300, height: 200 } })
  await page.locator('input[type=file]').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: png })
  await expect(page.getByText('The picture is changed.')).toBeVisible()
  await expect(page.locator('.package-picture')).toHaveAttribute('src', /^\/assets\/pictures\/[0-9a-f]{32}\.jpg$/)

  await page.goto(site.at('/console/packages'))
  const up = page.getByRole('button', { name: 'Move Evening Membership up' })
  await up.focus()
  await page.keyboard.press('Enter')
  const names = page.locator('.panel').first().locator('.row-link')
  await expect(names).toHaveText([
    ...['Founding Membership', 'Welcome Kit Membership', 'Evening Membership', 'Guided Start Membership'],
  ])
  await expect(up).toBeFocused()

  await page.getByRole('link', { name: 'Founding Membership' }).click()
  await page.getByRole('button', { name: 'Change prices' }).click()
  const prices = page.getByRole('dialog', { name: 'Prices of Founding Membership' })
  await prices.getByLabel('Renewal price a month').fill('109')
  await expect(prices.getByText(/paying \$99\.00: \$109\.00 from the first renewal on or after/)).toBeVisible()
  await expect(prices.getByText(`Emails to send: ${members}.`)).toBeVisible()
  await prices.getByLabel('Price today').fill('79')
  await prices.getByLabel('Reason').fill('costs have risen')
  await look(page, 'package-prices')
  await prices.getByRole('button', { name: 'Change prices' }).click()
  await expect(page.getByText('The prices are changed.')).toBeVisible()
  await expect(page.getByText('telling members')).toBeVisible()
  while (await runJobs(site.world));
  await expect(page.getByText(/ told · 30 days of notice/)).toBeVisible()
  await look(page, 'package')

  const visitor = await (await browser.newContext({ baseURL: site.at('/') })).newPage()
  await visitor.goto(site.at('/ana'))
  await expect(visitor.locator('.order-price')).toHaveText('$79.00')

  const viewer = await (await browser.newContext()).newPage()
  await enterAs(viewer, 'viewer')
  await viewer.goto(site.at('/console/packages/34'))
  await expect(viewer.getByRole('heading', { name: 'Founding Membership offered' })).toBeVisible()
  await expect(viewer.getByRole('main').getByRole('button')).toHaveCount(0)
})

test('19.96 a manager adds a sponsor, renames the link and switches it off, and visitors see each of it', async ({
  page,
  browser,
}) => {
  test.setTimeout(180_000)
  await enterAs(page, 'manager')
  await page.goto(site.at('/console/sponsors'))
  await look(page, 'sponsors')
  await page.getByRole('button', { name: 'Add a sponsor' }).click()
  const adding = page.getByRole('dialog', { name: 'Add a sponsor' })
  await adding.getByLabel('Name').fill('New Pier')
  await adding.getByLabel('Word of the link').fill('ana')
  await adding.getByRole('button', { name: 'Add' }).click()
  await expect(adding.getByText('This word is taken.')).toBeVisible()
  await adding.getByLabel('Word of the link').fill('newpier')
  await adding.getByRole('button', { name: 'Add' }).click()
  await expect(page.getByRole('heading', { name: 'New Pier active' })).toBeVisible()
  await newMember({ sponsor_site_name: 'newpier' })
  const png = await page.screenshot({ clip: { x: 0, y: 0, width: 300, height: 200 } })
  await page.locator('input[type=file]').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: png })
  await expect(page.getByText('The picture is changed.')).toBeVisible()

  await page.getByRole('button', { name: 'Rename' }).click()
  const renaming = page.getByRole('dialog', { name: 'Rename /newpier?' })
  await renaming.getByLabel('Word of the link').fill('oldpier')
  await renaming.getByLabel('Reason').fill('new brand')
  await renaming.getByRole('button', { name: 'Rename' }).click()
  await expect(page.getByText('The old one leads to it.')).toBeVisible()
  await expect(page.getByText('0 visits, 1 join')).toBeVisible()
  await look(page, 'sponsor')
  const visitor = await (await browser.newContext()).newPage()
  await visitor.goto(site.at('/newpier'))
  await expect(visitor).toHaveURL(site.at('/oldpier'))

  await page.getByRole('button', { name: 'Deactivate' }).click()
  const ending = page.getByRole('dialog', { name: 'Deactivate /oldpier?' })
  await ending.getByLabel('Reason').fill('moved away')
  await look(page, 'sponsor-deactivate')
  await ending.getByRole('button', { name: 'Deactivate' }).click()
  await expect(page.getByRole('heading', { name: 'New Pier inactive' })).toBeVisible()
  await visitor.reload()
  await expect(visitor.getByRole('heading', { name: /website is currently inactive/ })).toBeVisible()

  const viewer = await (await browser.newContext()).newPage()
  await enterAs(viewer, 'viewer')
  await viewer.goto(page.url())
  await expect(viewer.getByRole('heading', { name: 'New Pier inactive' })).toBeVisible()
  await expect(viewer.getByRole('main').getByRole('button')).toHaveCount(0)
})
