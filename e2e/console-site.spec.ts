import { expect, test } from '@playwright/test'
import { plainDay } from '#contract/days.ts'
import { dayOf } from '#server/world/time-zone.ts'
import { firstOwnerLink } from '../server/console/access/invitations.ts'
import { flushFunnel } from '../server/funnel/funnel.ts'
import { findAxeViolations } from './axe.ts'
import { checkScreen, enter, enterAs, newMember } from './console.ts'
import { type OwnSite, startOwnSite } from './own-site.ts'
import { fillAccount, newVisitor, next } from './visitor.ts'

let site: OwnSite
test.beforeAll(async () => {
  site = await startOwnSite({ LOG_LEVEL: 'fatal' })
})
test.afterAll(() => site.close())
test.describe.configure({ mode: 'default' }) // one site for all journeys

test('19.63 19.64 staff pause joining and block a network, and visitors read it', async ({ page, browser }) => {
  await enter(page, (await firstOwnerLink(site.world)) ?? '', { name: 'Ada Owner', email: 'ada@staff.example' })
  await page.goto(site.at('/console/abuse'))
  await page.getByRole('button', { name: 'Pause joining' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('What visitors read').fill('')
  await dialog.getByRole('button', { name: 'Pause' }).click()
  await expect(dialog.getByText('Please enter what visitors read.')).toBeVisible()
  await dialog.getByLabel('What visitors read').fill('We are back on Monday.')
  expect(await findAxeViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Pause' }).click()
  await expect(page.getByText('paused', { exact: true })).toBeVisible()

  await page.getByRole('button', { name: 'Block a network' }).click()
  await dialog.getByLabel('Address or network').fill('somewhere')
  await dialog.getByLabel('Note').fill('card testing')
  await dialog.getByRole('button', { name: 'Block' }).click()
  await expect(dialog.getByText('Please enter an address such as')).toBeVisible()
  await dialog.getByLabel('Address or network').fill('203.0.113.0/24')
  await dialog.getByRole('button', { name: 'Block' }).click()
  await expect(page.getByText('203.0.113.0/24')).toBeVisible()
  await page.getByRole('button', { name: 'Require phone codes' }).click()
  await dialog.getByRole('button', { name: 'Require phone codes' }).click()
  await expect(page.getByText('turned on by staff')).toBeVisible()
  await checkScreen(page, 'abuse')
  await page.getByRole('button', { name: 'Back to normal' }).click()
  await dialog.getByRole('button', { name: 'Back to normal' }).click()
  await expect(page.getByText('set back to normal by staff')).toBeVisible()

  const visitor = await browser.newPage()
  await visitor.goto(site.at('/master'))
  await expect(visitor.getByRole('complementary', { name: 'Joining is closed for now.' })).toContainText(
    'We are back on Monday.',
  )
  expect(await findAxeViolations(visitor)).toEqual([])
  await expect(visitor.getByRole('heading', { level: 1 })).toBeVisible()
  await page.getByRole('button', { name: 'Open joining again' }).click()
  await dialog.getByRole('button', { name: 'Open joining' }).click()
  await expect(page.getByRole('button', { name: 'Pause joining' })).toBeVisible()
  await visitor.reload()
  await expect(visitor.getByText('Joining is closed')).toHaveCount(0)
  await visitor.close()
})

const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 30"><circle cx="15" cy="15" r="14" fill="#7a1fa2"/></svg>'

test('19.69 19.73 staff change accent and logo, and the wizard and the next email follow', async ({
  page,
  browser,
}) => {
  await enterAs(page, site, 'manager')
  await page.goto(site.at('/console/brand'))
  await page.getByLabel('Name').fill('Acme')
  await page.getByLabel('Accent color').fill('#d9a6f0')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('is too light for white text; the nearest that works is').first()).toBeVisible()
  await page.getByRole('button', { name: /^Take #/ }).click()
  const accent = await page.getByLabel('Accent color').inputValue()
  await page.getByLabel('Welcome text').fill('Good to have you.')
  const preview = page.frameLocator('iframe[title="Preview of the form"]')
  await expect(preview.getByText('Acme').first()).toBeVisible()
  await expect
    .poll(() => page.frame({ url: /welcome=Good/ })?.title(), 'the preview loads after a pause')
    .toBe('Preview · Acme')
  await checkScreen(page, 'brand')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved. Open pages show it after a reload.')).toBeVisible()
  const file = { name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(logo) }
  await page.locator('input[name=logo]').setInputFiles(file)
  await expect(page.getByText('The logo is changed.')).toBeVisible()
  await page.getByRole('link', { name: 'An email' }).click()
  await expect(page.frameLocator('iframe').getByText('Welcome to Acme')).toBeVisible()

  const visitor = await browser.newPage()
  const errors: string[] = []
  visitor.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  await visitor.goto(site.at('/master'))
  await expect(visitor).toHaveTitle('Join Acme')
  const next = visitor.getByRole('button', { name: 'Next' })
  const rgb = `rgb(${[1, 3, 5].map((start) => Number.parseInt(accent.slice(start, start + 2), 16)).join(', ')})`
  await expect(next).toHaveCSS('background-color', rgb)
  const mark = visitor.locator('header img')
  await expect(mark).toHaveAttribute('src', /^\/assets\/brand\//)
  await expect.poll(() => mark.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
  expect(await findAxeViolations(visitor)).toEqual([])
  await visitor.getByLabel('First name').fill('Zoë')
  await visitor.getByLabel('Last name').fill('Example')
  await visitor.getByLabel('Mobile phone number').fill('2025550143')
  await next.click()
  await expect(visitor).toHaveTitle(/ · Acme$/)
  await expect(visitor.getByRole('banner').getByText('Acme')).toBeVisible()
  expect(errors).toEqual([])
  await visitor.close()

  await newMember(site)
  const email = await site.db
    .selectFrom('message')
    .select(['html', 'body'])
    .where('subject', '=', 'Welcome to Acme')
    .executeTakeFirstOrThrow()
  expect(email.html).toContain(`bgcolor="${accent}"`)
  expect(email.body).toContain('Good to have you.')
})

test('19.76 the funnel has its filter in the address, and Today the week', async ({ page, browser }) => {
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36' // not a robot
  const visitor = await browser.newPage({ userAgent })
  const counted = visitor.waitForResponse(/page-hits/)
  await visitor.goto(site.at('/ana?utm_source=newsletter'))
  await counted
  await visitor.close()
  await flushFunnel(site.world)
  await enterAs(page, site, 'finance')
  const week = page.getByRole('heading', { name: 'Funnel of the week' })
  await expect(week).toBeVisible()
  await page.goto(site.at('/console/funnel'))
  await expect(page.getByRole('row', { name: 'ana' })).toBeVisible()
  await page.getByLabel('Source').selectOption('email')
  await expect(page).toHaveURL(/source=email/)
  await page.getByRole('link', { name: 'ana', exact: true }).click()
  await expect(page).toHaveURL(/site=ana/)
  await expect(page.getByRole('listitem').filter({ hasText: 'Opened the page' })).toContainText('1')
  await expect(page.locator('main')).not.toContainText(/\d{4}-\d\d-\d\d/) // days as people write them
  await checkScreen(page, 'funnel')
  await page.goto(site.at('/console'))
  await expect(page.getByText(plainDay(dayOf(site.world, site.world.now())))).toBeVisible() // on a phone, too
  await expect(page.getByText('Opened the page')).toBeVisible()
  await checkScreen(page, 'today')
})

test('19.79 the funnel shows which messages stopped visitors, on the first step and on a later one', async ({
  page,
  browser,
}) => {
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36'
  const visitor = await browser.newPage({ userAgent })
  const reports: string[] = []
  visitor.on('response', (reply) => {
    if (reply.url().endsWith('/funnel/messages')) reports.push(reply.request().postData() ?? '')
  })
  await visitor.goto(site.at('/ana'))
  const person = newVisitor()
  await visitor.getByLabel('First name').fill('Zoë')
  await visitor.getByLabel('Mobile phone number').fill('202 55')
  await next(visitor)
  await expect(visitor.getByText('Invalid mobile phone number format.').first()).toBeVisible()
  await fillAccount(visitor, person)
  await next(visitor)
  await visitor.getByLabel('Email address').fill('zoe@nowhere')
  await next(visitor)
  await expect(visitor.getByText('Invalid email format.').first()).toBeVisible()
  await visitor.getByLabel('Email address').fill('zoe@elsewhere')
  await next(visitor)
  await expect.poll(() => reports.flatMap((report) => JSON.parse(report).messages).length).toBe(5)
  const fields = reports.flatMap((report) => JSON.parse(report).messages.map(({ field }: { field: string }) => field))
  expect(fields.sort()).toEqual(['email', 'last_name', 'mobile_phone', 'password', 'username'])
  expect(reports.join()).not.toMatch(/zoe|Zoë|202/)
  await visitor.close()

  await flushFunnel(site.world)
  await enterAs(page, site, 'viewer')
  await page.goto(site.at('/console/funnel'))
  const row = page.getByRole('listitem').filter({ hasText: 'Invalid email format.' })
  await expect(row).toContainText('email')
  await expect(row).toContainText('1')
  await checkScreen(page, 'funnel with messages')
})

test('19.12 a viewer sees these screens without a button that changes anything', async ({ page }) => {
  await enterAs(page, site, 'viewer')
  await page.goto(site.at('/console/abuse'))
  await expect(page.getByRole('heading', { name: 'Blocked networks' })).toBeVisible()
  await expect(page.getByRole('main').getByRole('button')).toHaveCount(0)
  await page.goto(site.at('/console/brand'))
  await expect(page.getByRole('heading', { name: 'Name, colors and texts' })).toBeVisible()
  await expect(page.getByRole('main').getByRole('button')).toHaveCount(0)
})
