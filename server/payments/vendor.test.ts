import { afterAll, beforeAll, expect, it } from 'vitest'
import { authorizeNetEmulator } from '#emulators/authorizenet/emulator.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { settleAttempts } from '#server/worker/janitor.ts'
import { runJobs } from '#server/worker/jobs.ts'
import { freePort } from '../../scripts/port.mjs'
import { reconcile } from './books/reconciliation.ts'

const keys = { login_id: 'merchant-login', transaction_key: 'transactionkey16' }

let site: Site
let emulator: Awaited<ReturnType<typeof authorizeNetEmulator>>
beforeAll(async () => {
  emulator = await authorizeNetEmulator({ ...keys, port: await freePort(), now: () => site.world.now() })
  site = await testSite({
    PAYMENT: 'authorizenet',
    AUTHORIZENET_LOGIN_ID: keys.login_id,
    AUTHORIZENET_TRANSACTION_KEY: keys.transaction_key,
    AUTHORIZENET_BASE_URL: emulator.url,
  })
})
afterAll(async () => {
  await site.close()
  await emulator.close()
})

const settle = async () => {
  site.advance(61)
  while (await settleAttempts(site.world));
  while (await runJobs(site.world));
}

it.each([
  ['approved', cards.good, 'Approved', 'captured'],
  ['declined', cards.declined, 'Declined', 'declined'],
  ['held for review', cards.review, 'Pending', 'review'],
  ['charged, but its response is lost', cards.responseLost, 'Pending', 'captured'],
  ['rejected by the vendor as a bad request', cards.failed, undefined, 'abandoned'],
])('4.22 the whole site with the real gateway’s adapter: a card that is %s', async (_, cc_number, payment, state) => {
  const form = await filledForm(site, { cc_number })
  const reply = await site.post('enrollment/add-enrollment', form)
  expect(reply.json().payment).toBe(payment)
  await settle()
  const [newest] = await site.db.selectFrom('payment').selectAll().orderBy('created_at', 'desc').limit(1).execute()
  expect(newest).toMatchObject({ state, gateway: 'authorizenet' })
  if (state !== 'captured') return
  const membership = await site.db
    .selectFrom('membership')
    .innerJoin('member', 'member.id', 'membership.member_id')
    .select('vault_reference')
    .where('username', '=', form.username ?? '')
    .executeTakeFirst()
  expect(membership?.vault_reference).toMatch(/^\d+\/\d+$/)
})

it('4.22 the gateway’s books agree with ours before and after settlement', async () => {
  expect((await reconcile(site.world, new Date(0))).discrepancies).toEqual([])
  emulator.settle()
  expect(await reconcile(site.world, new Date(site.world.now().getTime() - 86_400_000))).toMatchObject({
    discrepancies: [],
    attempts: 5,
    transactions: 4,
  })
})
