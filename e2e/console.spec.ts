import { expect, type Locator, type Page, test } from '@playwright/test'
import { verifyAudit } from '#server/audit/audit.ts'
import { advanceClock } from '#server/worker/advance-clock.ts'
import { runJobs } from '#server/worker/jobs.ts'
import { firstOwnerLink } from '../server/console/access/invitations.ts'
import { findAxeViolations, findAxeViolationsInBothSchemes } from './axe.ts'
import { enter, invite, newMember, overflowOf } from './console.ts'
import { type OwnSite, startOwnSite } from './own-site.ts'

let site: OwnSite
test.beforeAll(async () => {
  site = await startOwnSite({ LOG_LEVEL: 'fatal' })
})
test.afterAll(() => site.close())
test.describe.configure({ mode: 'default' }) // one site for all journeys

const search = async (page: Page, text: string) => {
  await page.keyboard.press('/')
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

const emailsTo = async (email: string): Promise<{ subject: string }[]> =>
  (await fetch(site.at(`/__outbox.json?to=${encodeURIComponent(email)}`))).json()

test('19.27 the first owner gets in with a passkey, finds a member by the last four digits and refunds half', {
  tag: '@width',
}, async ({ page }) => {
  const member = await newMember(site, { first_name: 'Mara', last_name: 'Lindqvist', cc_number: '5555 5555 5555 4444' })
  await newMember(site, { first_name: 'Tomás', last_name: 'Ibarra' })
  await enter(page, (await firstOwnerLink(site.world)) ?? '', { name: 'Ada Owner', email: 'ada@staff.example' })
  await search(page, '4444')
  await expect(page.getByRole('heading', { name: 'Mara Lindqvist' })).toBeFocused() // the only hit
  await expect(page).toHaveTitle('Mara Lindqvist · Console')

  await page.getByRole('button', { name: 'Refund' }).click()
  const dialog = page.getByRole('dialog', { name: 'Refund this payment' })
  await expect(dialog).toContainText('Mastercard •••• 4444, first charge')
  await dialog.getByLabel('Amount in dollars').fill('99.01')
  await dialog.getByRole('button', { name: 'Refund' }).click()
  await expect(dialog.getByText('At most $99.00 can be refunded.')).toBeVisible()
  await expect(dialog.getByText('Please say why.')).toBeVisible()
  await dialog.getByLabel('Amount in dollars').fill('49.50')
  await dialog.getByLabel('Reason').fill('half the month was down')
  expect(await findAxeViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Refund' }).click()
  await expect(page.getByText('The refund is on its way.')).toBeVisible()

  const { testClock } = site.world
  if (!testClock) throw new Error('The clock of this site can’t be advanced.')
  await advanceClock(site.world, testClock, new Date(site.world.now().getTime() + 3 * 86_400_000)) // the charge settles
  await page.reload()
  const timeline = page.getByRole('listitem').filter({ has: page.getByText('Refund made') })
  await expect(timeline).toContainText('$49.50')
  await expect(timeline).toContainText('half the month was down')
  const act = page.getByRole('listitem').filter({ has: page.getByText('Refunded a payment') })
  await expect(act).toContainText('Ada Owner, owner')
  await expect(page.getByText('Email about a refund sent')).toBeVisible()
  await expect(page.getByText('refunded $49.50')).toBeVisible()
  expect((await emailsTo(member.email)).map(({ subject }) => subject)).toContain('Your refund of $49.50')
  const payment = await site.db
    .selectFrom('payment')
    .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .select(['refunded_cents', 'payment.state'])
    .where('username', '=', member.username)
    .executeTakeFirstOrThrow()
  expect(payment).toEqual({ refunded_cents: 4950, state: 'captured' })

  for (const title of ['Membership Agreement', 'Subscription consent']) {
    await page.getByRole('button', { name: new RegExp(`^${title}`) }).click()
    await expect(page.getByRole('dialog')).toContainText('$99')
    await page.getByRole('button', { name: 'Close' }).click()
  }

  await page.goto(site.at('/console/audit'))
  await page.getByLabel('Action').selectOption('Refunded a payment')
  await expect(page.getByRole('listitem').filter({ has: page.getByText('Signed in') })).toHaveCount(0)
  const row = page.getByRole('listitem').filter({ has: page.getByText('Refunded a payment') })
  await expect(row).toContainText('“half the month was down”')
  await page.getByRole('button', { name: 'Check the chain' }).click()
  await expect(page.getByText(/^Intact: \d+ rows/)).toBeVisible()
  expect((await verifyAudit(site.world)).problem).toBe(undefined)
})

test('19.10 a colleague signs out and in again with a passkey, and proves it again before a refund', async ({
  page,
}) => {
  await enter(page, await invite(site, 'finance', 'finance@staff.example'), { name: 'Fay Finance' })
  await page.goto(site.at('/console/access'))
  await page.getByRole('button', { name: 'Menu' }).click() // on a phone, where this runs
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page.getByRole('heading', { name: 'Your access' }), '19.89 ready to go on by keyboard').toBeFocused()
  const member = await newMember(site, { first_name: 'Joy' })
  await site.db
    .updateTable('console_session')
    .set({ proved_until: new Date(0) })
    .execute()
  await search(page, member.username)
  await page.getByRole('button', { name: 'Void' }).click()
  const dialog = page.getByRole('dialog', { name: 'Void $99.00' })
  await dialog.getByLabel('Reason').fill('joined twice')
  await dialog.getByRole('button', { name: 'Void the charge' }).click()
  const proof = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await proof.getByRole('button', { name: 'Use your passkey' }).click()
  await expect(page.getByText('The charge is being voided.')).toBeVisible()
  await expect(page.getByText('Voided: “joined twice”, finance@staff.example')).toBeVisible()
})

test('19.12 support helps members and may not refund; a viewer may change nothing', async ({ browser }) => {
  const member = await newMember(site, { first_name: 'Ola' })
  const support = await (await browser.newContext({ baseURL: site.at('/') })).newPage()
  await enter(support, await invite(site, 'support', 'support@staff.example'), { name: 'Sam Support' })
  await search(support, member.email)
  await expect(support.getByRole('button', { name: 'Send a password link' })).toBeVisible()
  await expect(support.getByRole('button', { name: 'Refund' })).toHaveCount(0)
  await support.getByRole('button', { name: 'Cancel membership' }).click()
  const dialog = support.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('asked on the phone')
  await dialog.getByRole('button', { name: 'Cancel membership' }).click()
  await expect(support.getByText('The membership is canceled.')).toBeVisible()
  await expect(support.getByRole('heading', { name: /Ola Example canceled/ })).toBeVisible()
  await support.getByRole('button', { name: 'Send a password link' }).click()
  await support.getByRole('button', { name: 'Send it' }).click()
  await expect(support.getByText('The email is on its way.')).toBeVisible()
  while (await runJobs(site.world));
  expect((await emailsTo(member.email)).map(({ subject }) => subject).sort()).toContain('Reset your password')

  const viewer = await (await browser.newContext()).newPage()
  await enter(viewer, await invite(site, 'viewer', 'viewer@staff.example'), { name: 'Vi Viewer' })
  await viewer.goto(support.url())
  await expect(viewer.getByRole('heading', { name: /Ola Example/ })).toBeVisible()
  const main = viewer.getByRole('main')
  const buttons = await main.getByRole('button').allTextContents()
  const texts = ['Membership Agreement, version 1', 'Privacy Policy, version 1', 'Terms of Membership, version 1']
  const opening = [...texts, 'Subscription consent'].sort()
  expect(buttons.sort()).toEqual(['Emails', 'Everything', 'Links', 'Money', 'Sign-ins', 'Staff', ...opening].sort())
  await viewer.goto(site.at('/console/staff'))
  await expect(viewer.getByRole('heading', { name: 'Staff' })).toBeVisible()
  await expect(main.getByRole('button')).toHaveCount(0)
  await support.goto(site.at('/console/staff'))
  await expect(support.getByText('Your role doesn’t include this.')).toBeVisible()
})

test('19.11 a colleague gets in with a password and an app, and keeps recovery codes', async ({ page }) => {
  await page.goto(await invite(site, 'manager', 'manager@staff.example'))
  await page.getByRole('button', { name: 'Use a password instead' }).click()
  await page.getByLabel('Your name').fill('Max Manager')
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByLabel('New password', { exact: true }).fill('Tall-Ladder-77')
  const secret = (await page.locator('.app-setup code').textContent())?.replaceAll(' ', '') ?? ''
  const { codeOf, stepAt } = await import('#server/members/credentials/totp.ts')
  await page.getByLabel('Code that the app shows').fill(codeOf(secret, stepAt(new Date())))
  expect(await findAxeViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Finish' }).click()
  await expect(page.getByRole('heading', { name: 'Keep these codes' })).toBeVisible()
  const [code = ''] = ((await page.locator('.copy-text').textContent()) ?? '').split('\n')
  await page.getByRole('button', { name: 'I have stored them' }).click()
  await expect(page.getByRole('heading', { name: 'Today' })).toBeVisible()
  await page.context().clearCookies()
  await page.goto(site.at('/console'))
  await page.getByRole('button', { name: 'Use a password and a code' }).click()
  await page.getByLabel('Email address').fill('manager@staff.example')
  await page.getByLabel('Password', { exact: true }).fill('Tall-Ladder-77')
  await page.getByLabel('Code', { exact: true }).fill(code)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('heading', { name: 'Today' })).toBeFocused()
})

test('19.13 no screen has anything that axe finds, light or dark, or is wider than the window', {
  tag: '@width',
}, async ({ page, isMobile }) => {
  test.setTimeout(180_000)
  await page.goto(site.at('/console'))
  await expect(page.getByRole('heading', { name: 'Sign in to the console' })).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])
  await newMember(site)
  await enter(page, await invite(site, 'owner', 'oda@staff.example'), { name: 'Oda Owner' })
  const member = await site.db.selectFrom('member').select('id').executeTakeFirstOrThrow()
  const links = await page.locator('nav a').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
  expect(links.length).toBeGreaterThan(6)
  const screens = links.map((link) => link.replace(/^\/console\/?/, ''))
  const full = page.viewportSize() ?? { width: 0, height: 0 }
  const sponsor = await site.db.selectFrom('sponsor').select('id').where('site', '=', 'ana').executeTakeFirstOrThrow()
  const single = [`members/${member.id}`, `sponsors/${sponsor.id}`, 'packages/34', 'documents/1', 'nowhere']
  for (const screen of new Set([...screens, ...single])) {
    await page.setViewportSize(full)
    await page.goto(site.at(`/console/${screen}`))
    await expect(page.getByRole('progressbar')).toHaveCount(0)
    const find = isMobile ? findAxeViolationsInBothSchemes : findAxeViolations // the colors are the same on a desktop
    expect(await find(page), screen).toEqual([])
    expect(await overflowOf(page), screen).toBe(0)
    await page.setViewportSize({ width: Math.max(full.width / 2, 320), height: full.height / 2 }) // what a zoom of 200 % leaves
    expect(await overflowOf(page), `${screen} at 200 %`).toBe(0)
  }
})

test('19.14 with the keyboard alone, a colleague finds a member, opens the refund and leaves it again', {
  tag: '@width',
}, async ({ page }) => {
  for (const first_name of ['Kit', 'Kit']) await newMember(site, { first_name })
  await enter(page, await invite(site, 'manager', 'mo@staff.example'), { name: 'Mo Manager' })
  await search(page, 'Kit')
  await expect(page.getByRole('heading', { name: 'Members: “Kit”' })).toBeFocused()
  await tabTo(page, page.getByRole('link', { name: 'Kit Example' }).first())
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Kit Example' })).toBeFocused()
  const refund = page.getByRole('button', { name: 'Refund' })
  await tabTo(page, refund)
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Refund this payment' })
  await expect(dialog.getByLabel('Amount in dollars')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(refund).toBeFocused()
})

const MAX_TABS = 60

/** Presses Tab until this has the focus. */
async function tabTo(page: Page, target: Locator) {
  for (let tabs = 0; tabs < MAX_TABS; tabs++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error('The keyboard does not get there.')
}
