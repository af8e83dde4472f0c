import { expect, type Page, test } from '@playwright/test'
import { findAxeViolations } from './axe.ts'
import { type OwnSite, startOwnSite } from './own-site.ts'
import { confirmCaptcha, enterOffice, fillCard, fillPayment, newVisitor, pay, reachPayment } from './visitor.ts'

let site: OwnSite
test.beforeAll(async () => {
  site = await startOwnSite()
})
test.afterAll(() => site.close())

const DECLINED_ONCE = '4000000000001513'

type Turn = { captured: number; declined: number; emails: number }
async function advanceClock(page: Page, days: number): Promise<Turn> {
  const reply = await page.request.post(site.at('/__clock'), { data: { days } })
  expect(reply.ok()).toBe(true)
  return reply.json()
}

test('17.16 three months with a decline and a new card, canceled, resumed, ended, and back: all books agree', async ({
  page,
}) => {
  test.setTimeout(90_000)
  const visitor = newVisitor()
  await reachPayment(page, site.at('/ana'), visitor)
  await fillPayment(page, DECLINED_ONCE)
  await pay(page)
  await enterOffice(page)
  const membership = page.getByRole('region', { name: 'Your membership' })
  const status = page.getByRole('region', { name: 'Status' })
  const dialog = page.getByRole('dialog', { name: 'Pay $99.00 now?' })
  await expect(membership).toContainText('Visa ending in 1513')

  expect(await advanceClock(page, 31)).toMatchObject({ captured: 0, declined: 1, emails: 1 })
  await page.reload()
  await expect(page.getByText('Your bank declined $99.00 for this month. Nothing was charged.')).toBeVisible()
  await expect(status).toContainText('Payment due')
  expect(await findAxeViolations(page)).toEqual([])
  await page.getByRole('link', { name: 'Update your card' }).click()
  await expect(page.getByLabel('Card number')).toBeFocused()
  await fillCard(page, '4242424242424242')
  await membership.getByLabel('Current password', { exact: true }).fill(visitor.password) // the sign-in was a month ago
  await confirmCaptcha(page)
  await expect(membership).toContainText('we charge $99.00 to it right away')
  await membership.getByRole('button', { name: 'Save card and pay $99.00' }).click()
  expect(await findAxeViolations(page, '.dialog')).toEqual([])
  await dialog.getByRole('button', { name: 'Not now' }).click()
  await expect(membership.getByLabel('Card number')).toHaveValue('4242 4242 4242 4242')
  await membership.getByRole('button', { name: 'Save card and pay $99.00' }).click()
  await dialog.getByRole('button', { name: 'Pay $99.00' }).click()
  await expect(membership).toContainText('Your new card is on file, and your membership is paid.')
  await expect(membership).toContainText('Visa ending in 4242')

  expect(await advanceClock(page, 62)).toMatchObject({ captured: 2, declined: 0 })
  await page.reload()
  await expect(status.getByText('Active', { exact: true })).toBeVisible()

  const cancel = async () => {
    await membership.getByRole('button', { name: 'Cancel membership' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel membership' }).click()
    await expect(status.getByText('Canceled', { exact: true })).toBeVisible()
  }
  await cancel()
  await advanceClock(page, 1) // sends the email
  await page.reload()
  await membership.getByRole('button', { name: 'Resume membership' }).click()
  await expect(membership).toContainText('Your membership has been resumed.')
  await advanceClock(page, 1)
  await page.reload()
  await cancel()

  expect(await advanceClock(page, 35)).toMatchObject({ captured: 0, declined: 0 })
  await page.reload()
  await expect(status.getByText('Ended', { exact: true })).toBeVisible()
  await expect(page.getByRole('heading', { name: `Welcome, ${visitor.first_name}` })).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])
  await status.getByRole('link', { name: 'Come back' }).click()
  await expect(membership.getByRole('button', { name: 'Come back for $99.00 a month' })).toBeInViewport()
  await membership.getByLabel('Current password', { exact: true }).fill(visitor.password)
  await membership.getByRole('button', { name: 'Come back for $99.00 a month' }).click()
  await dialog.getByRole('button', { name: 'Pay $99.00' }).click()
  await expect(membership).toContainText('Welcome back. Your membership and your link work again.')
  await advanceClock(page, 1)
  await page.reload()

  await expectSameNumbers(page, visitor.email, visitor.username)
})

/** The office, the emails, the gateway and our journal tell the same story. */
async function expectSameNumbers(page: Page, email: string, username: string) {
  const journal = await site.db
    .selectFrom('payment')
    .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .select(['reference', 'payment.state', 'amount_cents'])
    .where('username', '=', username)
    .orderBy('attempt')
    .execute()
  expect(journal.map(({ state }) => state)).toEqual([
    'captured',
    'declined',
    'captured',
    'captured',
    'captured',
    'captured',
  ])
  const paid = journal.filter(({ state }) => state === 'captured').map(({ reference }) => reference)
  expect(journal.every(({ amount_cents }) => amount_cents === 9900)).toBe(true)

  const transactions: { reference: string; state: string; amount: string; kind: string }[] = await (
    await page.request.get(site.at('/__payments.json'))
  ).json()
  const captured = transactions.filter(({ state, reference }) => state === 'captured' && paid.includes(reference))
  expect(captured.map(({ amount }) => amount)).toEqual(Array(5).fill('99.00'))
  expect(captured.map(({ kind }) => kind).sort()).toEqual(['first', ...Array(4).fill('renewal')])

  const { renewals, receipt } = await (await page.request.get(site.at('/api/office/view'))).json()
  expect([...renewals, receipt].map((each: { reference: string }) => each.reference)).toEqual(paid.toReversed())
  const payments = page.getByRole('region', { name: 'Payments' })
  await payments.getByRole('button', { name: 'Show all 5 payments' }).click()
  await expect(payments.getByRole('listitem')).toContainText(paid.toReversed())
  await expect(payments.getByRole('listitem').nth(3)).toBeFocused()

  const url = site.at(`/__outbox.json?to=${encodeURIComponent(email)}`)
  const emails: { subject: string; body: string }[] = await (await page.request.get(url)).json()
  const count = (subject: RegExp) => emails.filter((each) => subject.test(each.subject)).length
  const receipts = emails.filter(({ body }) => paid.some((reference) => body.includes(reference)))
  expect(receipts).toHaveLength(5)
  expect([count(/^Your receipt: \$99\.00/), count(/did not go through/), count(/^Your membership ends on/)]).toEqual([
    4, 1, 2,
  ])
  expect([count(/^Your membership continues/), count(/^Your membership has ended/)]).toEqual([1, 1])
}
