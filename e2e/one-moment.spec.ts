import { expect, type Page, type Route, test } from '@playwright/test'
import { loadShell } from '#server/site/shell.ts'
import { findAxeViolationsInBothSchemes } from './axe.ts'
import { enterAs, newMember, overflowOf } from './console.ts'
import { signIn } from './member.ts'
import { type OwnSite, startOwnSite } from './own-site.ts'
import {
  enterOffice,
  fillAccountCreation,
  fillPayment,
  next,
  pay,
  reachAccountCreation,
  reachPayment,
} from './visitor.ts'

// While the database moves, the server answers 503 with Retry-After: every screen waits, says so, and goes on by itself.

let site: OwnSite
test.beforeAll(async () => {
  site = await startOwnSite({ LOG_LEVEL: 'fatal' })
})
test.afterAll(() => site.close())

const PAY = '**/api/enrollment/add-enrollment'

type Try = { key: string | undefined; body: string | null }

/** Until `comeBack`, the server can't do anything for this call. Lists what it was sent, and what it could do. */
async function moveDatabase(page: Page, call: string | RegExp) {
  const refused: Try[] = []
  const done: Try[] = []
  let isAway = true
  await page.route(call, async (route: Route) => {
    const request = route.request()
    const list = isAway ? refused : done
    list.push({ key: request.headers()['idempotency-key'], body: request.postData() })
    if (!isAway) return route.continue()
    await route.fulfill({ status: 503, headers: { 'retry-after': '1' }, json: { message: 'Please try again.' } })
  })
  return {
    refused,
    done,
    comeBack: () => {
      isAway = false
    },
  }
}

const oneMoment = (page: Page) => page.getByRole('status').getByText('One moment, please', { exact: true })

/** The screen says so, in both color schemes and on a narrow one, and nothing on it has moved. */
async function expectOneMoment(page: Page, pressed: string) {
  const button = page.getByRole('button', { name: pressed }).last()
  const [title, before] = [await page.title(), await button.boundingBox()]
  await expect(oneMoment(page)).toBeVisible()
  await expect(oneMoment(page)).toBeInViewport({ ratio: 1 })
  expect(await button.boundingBox()).toEqual(before)
  await expect(page).toHaveTitle(title)
  expect(await findAxeViolationsInBothSchemes(page)).toEqual([])
  const size = page.viewportSize()
  await page.setViewportSize({ width: 320, height: 568 })
  await expect(oneMoment(page)).toBeInViewport({ ratio: 1 })
  expect(await overflowOf(page)).toBe(0)
  if (size) await page.setViewportSize(size)
}

test('33.6 a payment waits for the database, continues by itself, and charges once', async ({ page }) => {
  const { username } = await reachPayment(page, site.at('/ana'))
  await fillPayment(page)
  await expect(page.getByText('Thank you.')).toBeVisible() // the captcha
  const database = await moveDatabase(page, PAY)
  await pay(page)
  await expectOneMoment(page, 'Confirm and Pay')
  await expect(page.locator('.paying-status')).toHaveText('You won’t be charged twice.')
  await pay(page) // a second press changes nothing
  await expect.poll(() => database.refused.length).toBeGreaterThan(2)
  await expect(page.getByLabel('Card number')).toHaveValue('4242 4242 4242 4242')
  await expect(page.getByLabel('City')).toHaveValue('Reno')
  database.comeBack()
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
  await expect(oneMoment(page)).toHaveCount(0)
  expect(database.done).toEqual([database.refused[0]])
  expect(new Set(database.refused.map((sent) => JSON.stringify(sent))).size, 'the same key and values').toBe(1)
  expect(database.done[0]?.key).toMatch(/\.1$/)
  const payments = site.db
    .selectFrom('payment')
    .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .where('username', '=', username)
  expect(await payments.select('payment.attempt').execute()).toEqual([{ attempt: 1 }])
  await enterOffice(page)
})

test('33.6 Next continues by itself once the username could be looked up', async ({ page }) => {
  const visitor = await reachAccountCreation(page, site.at('/ana'))
  const database = await moveDatabase(page, '**/api/enrollment/validate_username')
  await fillAccountCreation(page, visitor)
  await next(page)
  await expectOneMoment(page, 'Next')
  await expect(page.getByLabel('Username')).toHaveValue(visitor.username)
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue(visitor.password)
  database.comeBack()
  await expect(page.getByRole('button', { name: /^Confirm and Pay/ })).toBeVisible()
  await expect(oneMoment(page)).toHaveCount(0)
})

test('a visitor who goes back while a screen waits stays where they went, and nothing waits any longer', async ({
  page,
}) => {
  const visitor = await reachAccountCreation(page, site.at('/ana'))
  const database = await moveDatabase(page, '**/api/enrollment/validate_username')
  await fillAccountCreation(page, visitor)
  await next(page)
  await expect(oneMoment(page)).toBeVisible()
  await page.goBack()
  await expect(page.getByLabel('First name')).toHaveValue(visitor.first_name)
  await expect(oneMoment(page)).toHaveCount(0)
  database.comeBack()
  await next(page)
  await expect(page.getByLabel('Username')).toHaveValue(visitor.username)
  await next(page)
  await expect(page.getByRole('button', { name: /^Confirm and Pay/ })).toBeVisible()
})

test('after a minute the payment says what it always says, and the next press pays once', async ({ page }) => {
  await reachPayment(page, site.at('/ana'))
  await fillPayment(page)
  await expect(page.getByText('Thank you.')).toBeVisible() // the captcha
  const database = await moveDatabase(page, PAY)
  await page.clock.install()
  await pay(page)
  const dialog = page.getByRole('alertdialog', { name: 'Error' })
  for (let seconds = 0; seconds < 80 && !(await dialog.isVisible()); seconds += 2) {
    await page.clock.runFor(2_000)
    await page.evaluate(() => undefined) // so that the answer of that try arrives
  }
  await page.clock.resume()
  await dialog.getByRole('button', { name: 'OK' }).click()
  await expect(oneMoment(page)).toHaveCount(0)
  database.comeBack()
  await pay(page)
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
  expect(database.done).toHaveLength(1)
  expect(database.done[0]?.key).toBe(database.refused[0]?.key)
})

test('33.6 a change in the office waits for the database, continues by itself, and keeps what was typed', async ({
  page,
}) => {
  const { username, password } = await newMember(site)
  await page.goto(site.at('/office'))
  const signingIn = await moveDatabase(page, '**/api/office/sign-in')
  await signIn(page, username, password)
  await expectOneMoment(page, 'Sign in')
  await expect(page.getByLabel('Username or email address')).toHaveValue(username)
  signingIn.comeBack()
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
  await page.goto(site.at('/office#details'))
  const details = page.getByRole('region', { name: 'Your details' })
  await details.getByRole('button', { name: 'Change password' }).click()
  await details.getByLabel('Current password', { exact: true }).fill(password)
  await details.getByLabel('New password', { exact: true }).fill('Closed-Sesame-8')
  const database = await moveDatabase(page, '**/api/office/password')
  await details.getByRole('button', { name: 'Save' }).click()
  await expectOneMoment(page, 'Save')
  await expect(details.getByLabel('New password', { exact: true })).toHaveValue('Closed-Sesame-8')
  database.comeBack()
  await expect(details.getByText(/^Your password has been changed/)).toBeVisible()
  await expect(oneMoment(page)).toHaveCount(0)
  expect(database.done).toEqual([database.refused[0]])
})

/** What the server sends instead of a page, see server/site/page.test.ts. */
async function pageWhileAway(retryAfter: string) {
  const { head, pages } = await loadShell()
  const script = `<script type="module" src="${head.reopenScript}"></script>`
  const start = `<!doctype html><html lang="en"><head><title>One moment, please</title>${script}<style>${head.officeCss}</style></head>`
  return {
    status: 503,
    headers: { 'retry-after': retryAfter, 'content-type': 'text/html; charset=utf-8' },
    body: `${start}<body>${pages.oneMoment()}</body></html>`,
  }
}

test('33.6 a page that the database was away for opens by itself', async ({ page }) => {
  const reply = await pageWhileAway('1')
  let isAway = true
  await page.route('**/office', (route) => (isAway ? route.fulfill(reply) : route.continue()))
  const asked = page.waitForRequest((request) => request.method() === 'HEAD')
  await page.goto(site.at('/office'))
  await expect(page.getByRole('heading', { name: 'One moment, please' })).toBeVisible()
  await expect(page.getByText('Sorry, something went wrong')).toBeHidden()
  await asked
  await expect(oneMoment(page), 'the page says it').toHaveCount(0)
  expect(await findAxeViolationsInBothSchemes(page)).toEqual([])
  isAway = false
  await expect(page.getByLabel('Username or email address')).toBeVisible()
})

test('a page that will be away for longer says that something went wrong', async ({ page }) => {
  const reply = await pageWhileAway('3600')
  await page.route('**/office', (route) => route.fulfill(reply))
  await page.goto(site.at('/office'))
  await expect(page.getByRole('alert').getByRole('heading', { name: 'Sorry, something went wrong' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'One moment, please' })).toBeHidden()
})

test('33.6 a list of the console stays while it is loaded again, and an action in a dialog is done once', async ({
  page,
}) => {
  const member = await newMember(site, { first_name: 'Joy', last_name: 'Okafor' })
  await enterAs(page, site, 'manager')
  await page.goto(site.at('/console/members'))
  const row = page.getByRole('link', { name: 'Joy Okafor' })
  await expect(row).toBeVisible()
  const list = await moveDatabase(page, /\/api\/console\/members(\?|$)/)
  await page.getByLabel('Search members').fill(member.username)
  await page.keyboard.press('Enter')
  await expect(oneMoment(page)).toBeVisible()
  await expect(row, 'the old list').toBeVisible()
  await expectOneMoment(page, 'Menu')
  list.comeBack()
  await expect(page.getByRole('heading', { name: 'Details' })).toBeVisible()
  await expect(oneMoment(page)).toHaveCount(0)

  await page.getByRole('button', { name: 'Move to another sponsor' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Link of the new sponsor').fill('bluepier')
  await dialog.getByLabel('Reason').fill('they met at the fair')
  const database = await moveDatabase(page, '**/api/console/members/sponsor')
  await dialog.getByRole('button', { name: 'Move', exact: true }).click()
  await expect(dialog.getByRole('status').getByText('One moment, please')).toBeVisible()
  await expectOneMoment(page, 'Move')
  await expect(dialog.getByLabel('Reason')).toHaveValue('they met at the fair')
  database.comeBack()
  await expect(page.getByText('The member has a new sponsor.')).toBeVisible()
  await expect(oneMoment(page)).toHaveCount(0)
  await expect(page.getByText(/^Moved to \/bluepier/)).toHaveCount(1)
  expect(database.done).toEqual([database.refused[0]])
})
