import { test } from '@playwright/test'
import { personOf } from '../demo/people.ts'
import { PASSWORD } from '../demo/year.ts'
import { enter, invite } from './console.ts'
import { type OwnSite, startOwnSite } from './own-site.ts'
import { fillCard, pay, reachPayment } from './visitor.ts'

// Not tests: npm run screens takes the screenshots for the docs, on a site with the demo's year of business behind it.
const screenshotOptions = (name: string, project: { name: string }) => ({
  path: `docs/screens/${name}-${project.name}.png`,
  scale: 'css' as const,
})

let site: OwnSite
test.beforeAll(async () => {
  site = await startOwnSite()
})
test.afterAll(() => site.close())

test('the first step', async ({ page }, { project }) => {
  await page.goto(site.at('/ana'))
  await page.getByLabel('First name').fill('Zoë')
  await page.getByLabel('Mobile phone number').fill('202 55')
  await page.getByLabel('Last name').focus()
  await page.getByText('Invalid mobile phone number format.').waitFor()
  await page.screenshot(screenshotOptions('account', project))
})

test('the payment', async ({ page }, { project }) => {
  await reachPayment(page, site.at('/ana'))
  await page.getByLabel('Address', { exact: true }).fill('1600 Main St')
  await page.getByLabel('City').fill('Reno')
  await page.getByLabel('State').selectOption('NV')
  await fillCard(page, '4242424242424242')
  await pay(page)
  await page.getByText('Please confirm the captcha.').first().waitFor()
  await page.getByLabel('Post / ZIP code').fill('89501')
  await page.mouse.move(0, 0)
  await page.screenshot({ ...screenshotOptions('payment', project), fullPage: true })
})

test('the office', async ({ page }, { project }) => {
  const { username, first_name } = personOf(0)
  await page.goto(site.at('/office'))
  await page.getByLabel('Username or email address').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: new RegExp(first_name) }).waitFor()
  await page.waitForLoadState('networkidle')
  await page.screenshot(screenshotOptions('office', project))
})

test('the console', async ({ page }, { project }) => {
  await enter(page, await invite(site, 'owner'), { name: 'Alex Reed' })
  await page.getByText('Opened the page').waitFor()
  await page.waitForLoadState('networkidle')
  await page.screenshot(screenshotOptions('console-today', project))
  await page.goto(site.at('/console/funnel'))
  await page.getByRole('heading', { name: 'Messages at fields' }).waitFor()
  await page.screenshot(screenshotOptions('console-funnel', project))
  const { id } = await site.db
    .selectFrom('refund')
    .innerJoin('payment', 'payment.reference', 'refund.payment_reference')
    .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .select('member.id')
    .orderBy('refund.created_at', 'desc')
    .executeTakeFirstOrThrow()
  await page.goto(site.at(`/console/members/${id}`))
  await page.getByRole('heading', { name: 'Timeline' }).waitFor()
  await page.screenshot(screenshotOptions('console-member', project))
})
