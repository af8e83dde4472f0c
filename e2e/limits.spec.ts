import { expect, type Page, test } from '@playwright/test'
import { cards } from '../server/gateways/payment/cards.ts'
import { acceptRealCards, realCards } from '../server/test/real-cards.ts'
import { type OwnSite, startOwnSite } from './own-site.ts'
import { enterOffice, fillPayment, pay, reachPayment } from './visitor.ts'

// What a visitor reads when a limit is reached, and when it is not.

const oneDecline = {
  LIMIT_DECLINES: '1/86400',
  LIMIT_DECLINES_BY_CARD: '1/86400',
  LIMIT_DECLINES_BY_PHONE: '1/86400',
  LIMIT_DECLINES_BY_ENROLLMENT: '1/86400',
}

let site: OwnSite
test.describe.configure({ mode: 'default' }) // one site for all journeys; the last one uses up its limits
test.beforeAll(async () => {
  site = await startOwnSite(oneDecline)
})
test.afterAll(() => site.close())

async function payDeclined(page: Page) {
  await pay(page)
  await page.getByRole('alertdialog', { name: 'Payment Declined' }).getByRole('button', { name: 'OK' }).click()
}

test('6.8 a test card is declined again and again, and the next card still joins', async ({ page }) => {
  await reachPayment(page, site.at('/ana'))
  await fillPayment(page, cards.declined)
  for (let round = 0; round < 3; round++) await payDeclined(page)
  await page.getByLabel('Card number').fill(cards.good)
  await pay(page)
  await enterOffice(page)
})

test('6.9 while joining is closed, the payment says so', async ({ page }) => {
  const { LIMIT_ENROLLMENTS } = site.world.config
  Object.assign(site.world.config, { LIMIT_ENROLLMENTS: { max: 0, seconds: 3600 } })
  await reachPayment(page, site.at('/ana'))
  await fillPayment(page)
  await pay(page)
  await expect(page.getByText('Joining is closed at the moment. Please come back later.').first()).toBeVisible()
  Object.assign(site.world.config, { LIMIT_ENROLLMENTS })
})

test('6.4 a visitor whose cards were declined too often is told to come back tomorrow', async ({ page }) => {
  acceptRealCards(site)
  await reachPayment(page, site.at('/ana'))
  await fillPayment(page, realCards.declined)
  await payDeclined(page)
  await pay(page)
  await expect(page.getByText('Too many attempts. Please try again tomorrow.').first()).toBeVisible()
})
