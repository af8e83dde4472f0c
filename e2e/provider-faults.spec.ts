import { expect, type Page, test } from '@playwright/test'
import type { Fault } from '#emulators/provider/faults.ts'
import { createApp } from '#server/site/app.ts'
import { loadShell } from '#server/site/shell.ts'
import { type ProviderSite, startProviderSite } from './provider-site.ts'
import {
  agreeToCharges,
  fillAccountCreation,
  fillBilling,
  fillPayment,
  newVisitor,
  next,
  pay,
  reachAccountCreation,
  reachPayment,
  standInOffice,
} from './visitor.ts'

// What a visitor sees, and the log says, of each way in which an operator's API host fails. The calls: faults.test.ts.

let site: ProviderSite
test.beforeAll(async () => {
  site = await startProviderSite()
})
test.beforeEach(async () => void (await site.reasons()))
test.afterEach(() => site.host.fail(undefined))
test.afterAll(() => site.close())

const shown = ['Tell us about yourself', '$99.00', 'You are joining with']
const waiting = ['One moment, please', 'We are loading your page.', 'This form needs JavaScript.']
type FirstPage = [texts: string[], why?: string]

/** The first page of a site that knows nothing of the host yet. The other faults leave it as it is. */
const pages: Partial<Record<Fault, FirstPage>> = {
  dropped_before: [waiting, 'it closed the connection'],
  silence: [waiting],
  half: [waiting, 'it closed the connection'],
  huge: [waiting, 'its reply is too long'],
  html: [waiting, 'the reply is HTML'],
  empty: [waiting, 'the reply is empty'],
  no_json: [waiting, 'the reply is not JSON'],
  redirect: [waiting, 'status 302'],
  status_401: [waiting, 'status 401'],
  status_503: [waiting, 'status 503'],
  null_body: [waiting, 'site is missing'],
  text_plain: [shown],
  byte_order_mark: [shown],
  in_data: [shown],
  sponsor_lost: [waiting, 'status 500'],
  sponsor_yes: [shown],
  sponsor_true: [shown],
  sponsor_without_active: [waiting, 'active is missing'],
  sponsor_without_site: [waiting, 'site is missing'],
  sponsor_site_is_html: [waiting, 'site is not a word for an address'],
  packages_lost: [waiting, 'status 500'],
  packages_empty: [['Choose your membership', 'There are no packages at the moment.']],
  packages_as_text: [shown],
  package_without_id: [shown, 'product_id of package 2 is missing or not a number'],
  package_twice: [shown],
  package_without_image: [shown],
  package_image_elsewhere: [shown],
  package_without_kind: [shown],
  orders_lost: [waiting, 'status 500'],
  total_as_number: [shown],
  total_with_sign: [shown],
  total_missing: [waiting, 'grand_total is missing'],
  total_negative: [waiting, 'grand_total is not an amount'],
}

test('26.26 the first page shows what the host says, or waits for it', async ({ isMobile }) => {
  test.skip(!isMobile)
  const shell = await loadShell()
  for (const [fault, [texts, why]] of Object.entries(pages) as [Fault, FirstPage][])
    await test.step(fault, async () => {
      const app = await createApp({ world: site.world, shell })
      site.host.fail(fault)
      const { body, statusCode } = await app.inject('/ana')
      expect.soft([fault, statusCode]).toEqual([fault, 200])
      for (const text of texts) expect.soft(body, fault).toContain(text)
      expect.soft(body, fault).not.toMatch(/NaN|undefined|\[object|&lt;b&gt;ana/)
      const reasons = await site.reasons()
      if (why) expect.soft(reasons, fault).toContain(why)
      await app.close()
    })
})

type Outcome = 'Payment Declined' | 'Error' | 'unknown' | 'taken' | 'joined'

/** One visitor after another presses Confirm and Pay on the same page. */
const payments: [fault: Fault, outcome: Outcome, text: string, why?: string][] = [
  ['payment_unknown_word', 'Payment Declined', 'Nothing was charged.', 'payment is neither Approved nor Declined'],
  ['payment_refused', 'taken', 'The address is unknown.'],
  ['status_429', 'Error', 'Nothing was charged.', 'status 429'],
  ['payment_lost', 'unknown', 'the answer got lost', 'it closed the connection'],
  ['payment_html', 'unknown', 'the answer got lost', 'the reply is HTML'],
  ['payment_failed', 'unknown', 'the answer got lost', 'status 500'],
  ['half', 'unknown', 'the answer got lost', 'it closed the connection'],
  ['payment_lowercase', 'joined', 'Please check for a second charge.'],
]

test('26.26 each way in which a payment can fail has its screen', async ({ page }) => {
  await reachPayment(page, site.at('/ana'))
  await fillPayment(page)
  await page.route('**/api/enrollment/add-enrollment', (route) => {
    const { username, email } = newVisitor() // the host keeps each of them
    return route.continue({ postData: { ...route.request().postDataJSON(), username, email } })
  })
  let isUnknown = false
  for (const [fault, outcome, text, why] of payments)
    await test.step(`${fault}: ${outcome}`, async () => {
      await site.reasons()
      site.host.fail(fault)
      await pay(page)
      if (isUnknown) await page.getByRole('button', { name: 'Pay $99.00 anyway' }).click()
      if (outcome === 'Payment Declined' || outcome === 'Error')
        await page.getByRole('alertdialog', { name: outcome }).getByRole('button', { name: 'OK' }).click()
      await expect(page.locator('main'), fault).toContainText(text)
      if (why) expect(await site.reasons(), fault).toContain(why)
      if (outcome !== 'unknown') return
      await page.getByRole('button', { name: 'Try again' }).click()
      isUnknown = true
    })
})

test('26.5 a visitor can join at a host that has no documents for checkout', async ({ page }) => {
  const bare = await startProviderSite()
  bare.host.fail('documents_empty')
  await reachPayment(page, bare.at('/ana'))
  await expect(page.locator('main')).not.toContainText('documents')
  await fillBilling(page)
  await page.getByRole('checkbox', { name: 'I agree to the terms of this membership.' }).check()
  await agreeToCharges(page)
  await standInOffice(page)
  await pay(page)
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
  await bare.close()
})

test('26.26 availability that the host can’t tell stops nobody, and its messages are shown however it writes them', async ({
  page,
}) => {
  const visitor = await reachAccountCreation(page, site.at('/ana'))
  const messages: [Fault, string][] = [
    ['email_message_as_text', 'This email address is taken.'],
    ['username_true', 'This username is already taken.'],
  ]
  for (const [fault, message] of messages) {
    site.host.fail(fault)
    await fillAccountCreation(page, { ...visitor, email: 'taken@host.example', username: 'ana' })
    await next(page)
    await expect(page.getByText(message, { exact: false }).first(), fault).toBeVisible()
    await expect(page.getByRole('button', { name: 'Next' }), 'the press has ended').not.toHaveAttribute('aria-busy')
    await forget(page)
  }
  site.host.fail('availability_lost')
  await fillAccountCreation(page, visitor)
  await next(page)
  await expect(page.getByRole('button', { name: /^Confirm and Pay/ })).toBeVisible()
  expect(await site.reasons()).toContain('status 500')
})

/** Types something else, so that the next press asks the host again. */
const forget = (page: Page) => fillAccountCreation(page, newVisitor())
