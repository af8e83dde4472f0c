import { afterAll, beforeAll, expect, it } from 'vitest'
import { periodStart } from '#contract/renewal.ts'
import { main } from '#server/cli/payments.ts'
import { showPayment } from '#server/cli/show-payment.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import type { SandboxGateway } from '#server/gateways/payment/sandbox/sandbox.ts'
import { renewMemberships } from '#server/membership/membership.ts'
import { callCommand } from '#server/test/command.ts'
import { isPostgres, testDatabase } from '#server/test/database.ts'
import { emailsTo, joinedMember } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { runJobs } from '#server/worker/jobs.ts'
import { todayOf } from '#server/world/time-zone.ts'
import { backfillCards } from './backfill.ts'
import { openDiscrepancies, resolveDiscrepancy } from './books/discrepancies.ts'
import { reconcile } from './books/reconciliation.ts'
import { requestRefund, requestVoid } from './refunds.ts'

const DAY = 86_400
const request = { reason: 'A test', who: 'staff' }

let site: Site
let transactions: Site['world']['payment']['transactions']
beforeAll(async () => {
  site = await testSite()
  transactions = site.world.payment.transactions
})
afterAll(() => site.close())

let count = 0
async function newMember(cc_number: string = cards.good) {
  const username = `refunded${++count}`
  const member = await joinedMember(site, { username, email: `${username}@example.com`, cc_number })
  await jobs()
  return { ...member, ...(await paymentOf(username, 0)) }
}
const jobs = async () => {
  while (await runJobs(site.world));
}
const paymentOf = (username: string, period: number) =>
  site.db
    .selectFrom('payment')
    .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .innerJoin('membership', 'membership.member_id', 'member.id')
    .select(['reference', 'payment.state', 'refunded_cents', 'transaction_id', 'member.id as member_id'])
    .select(['due_at', 'hold_reason', 'payment.enrollment_id', 'attempt'])
    .where('username', '=', username)
    .where('payment.period', '=', period)
    .orderBy('attempt', 'desc')
    .executeTakeFirstOrThrow()

/** Charges the first renewal of everybody. */
const renewAll = async () => {
  const today = todayOf(site.world)
  site.advance((Date.parse(periodStart(today, 1)) - Date.parse(today)) / 1000)
  while (await renewMemberships(site.world));
  await jobs()
}
const bookOf = async (reference: string) =>
  (await transactions(new Date(0), AbortSignal.timeout(1000))).find((line) => line.reference === reference)
const discrepanciesOf = async (reference: string) => {
  const { discrepancies } = await reconcile(site.world, new Date(0))
  return discrepancies.filter((each) => each.reference === reference).map(({ kind }) => kind)
}

it('17.17 the first charge and a renewal are refunded once, and the member gets an email', async () => {
  const { username, email } = await newMember()
  await renewAll()
  for (const period of [0, 1]) {
    const { reference } = await paymentOf(username, period)
    await requestRefund(site.world, { reference, ...request })
    await jobs()
    expect(await paymentOf(username, period)).toMatchObject({ state: 'refunded', refunded_cents: 9900 })
    expect(await bookOf(reference)).toMatchObject({ state: period ? 'voided' : 'refunded' })
    expect(await discrepanciesOf(reference)).toEqual([])
    await expect(requestRefund(site.world, { reference, ...request })).rejects.toThrow('already been refunded')
  }
  const emails = await emailsTo(site, email, 'Your refund of $99.00')
  expect(emails).toHaveLength(1)
  expect(await emailsTo(site, email, 'Your charge of $99.00 was canceled')).toHaveLength(1)
  expect(emails[0]?.body).toContain('Visa ending in 4242')
  expect(emails[0]?.body).toMatch(/It can take 5 to 10 days[\s\S]*Your membership continues\. Your next charge is/)
})

it('17.17 parts that are requested at once never exceed what was paid', async () => {
  const { reference, username } = await newMember()
  site.advance(2 * DAY)
  const part = () => requestRefund(site.world, { reference, amount_cents: 4000, ...request })
  const results = await Promise.allSettled([part(), part(), part(), part()])
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  await expect(part()).rejects.toThrow('$40.00 is too much: of $99.00, $19.00 can still be refunded.')
  await jobs()
  expect(await paymentOf(username, 0)).toMatchObject({ state: 'captured', refunded_cents: 8000 })
  expect(await bookOf(reference)).toMatchObject({ state: 'captured', refunded_cents: 8000 })
  expect(await discrepanciesOf(reference)).toEqual([])
})

it('17.17 a refund whose answer is lost is repeated, and made once', async () => {
  const { reference, username } = await newMember()
  site.advance(2 * DAY)
  const { refund } = site.world.payment
  site.world.payment.refund = async (...args) => {
    await refund(...args)
    return 'unknown'
  }
  await requestRefund(site.world, { reference, amount_cents: 2500, ...request })
  await jobs()
  expect(await paymentOf(username, 0)).toMatchObject({ refunded_cents: 0 })
  expect(await discrepanciesOf(reference), 'a refund that is running is not a discrepancy').toEqual([])
  site.world.payment.refund = refund
  site.advance(3600)
  await jobs()
  expect(await paymentOf(username, 0)).toMatchObject({ refunded_cents: 2500 })
  expect(await bookOf(reference)).toMatchObject({ refunded_cents: 2500 })
})

it('17.18 a part waits until the charge has settled, and a void is possible only before', async () => {
  const { reference, username } = await newMember()
  await requestRefund(site.world, { reference, amount_cents: 1000, ...request })
  await jobs()
  expect(await paymentOf(username, 0)).toMatchObject({ refunded_cents: 0 })
  await expect(requestVoid(site.world, { reference, ...request })).rejects.toThrow('already has a refund')
  site.advance(DAY + 3600)
  await jobs()
  expect(await paymentOf(username, 0)).toMatchObject({ refunded_cents: 1000 })
  const voided = await newMember()
  await requestVoid(site.world, { reference: voided.reference, ...request })
  await jobs()
  expect(await bookOf(voided.reference)).toMatchObject({ state: 'voided' })
  expect(await paymentOf(voided.username, 0)).toMatchObject({ state: 'refunded', refunded_cents: 9900 })
  expect(await discrepanciesOf(voided.reference)).toEqual([])
  const settled = await newMember()
  site.advance(DAY)
  const late = requestVoid(site.world, { reference: settled.reference, ...request })
  await expect(late).rejects.toThrow(/^This charge has settled, so it can no longer be voided\. Refund it instead\.$/)
})

it('17.20 a dispute puts the membership on hold, and a dispute that is won leaves the hold', async () => {
  const { username, member_id } = await newMember(cards.renewalDisputed)
  await renewAll()
  const { reference, transaction_id } = await paymentOf(username, 1)
  expect(await discrepanciesOf(reference)).toEqual([])
  site.advance(2 * DAY)
  expect(await discrepanciesOf(reference)).toEqual(['dispute'])
  expect(await paymentOf(username, 1)).toMatchObject({ state: 'disputed', due_at: null, hold_reason: 'dispute' })
  expect(site.log()).toContain('a payment is disputed; the membership is on hold')
  await expect(requestRefund(site.world, { reference, ...request })).rejects.toThrow('It is disputed')
  site.advance(40 * DAY)
  while (await renewMemberships(site.world));
  const renewals = site.db.selectFrom('payment').innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
  const periods = await renewals.select('period').where('member.id', '=', member_id).where('period', '>', 1).execute()
  expect(periods, 'nothing more is charged').toEqual([])
  await (site.world.payment as SandboxGateway).dispute(transaction_id ?? '', 'won')
  expect(await discrepanciesOf(reference)).toEqual([])
  expect(await paymentOf(username, 1)).toMatchObject({ state: 'captured', hold_reason: 'dispute' })
})

it('17.21 renewals of several months are not a double charge; two charges for one month are', async () => {
  const { username } = await newMember()
  await renewAll()
  const { reference, enrollment_id, attempt } = await paymentOf(username, 1)
  expect(await discrepanciesOf(reference)).toEqual([])
  const other = { ...(await bookOf(reference)), transaction_id: 'second' }
  site.world.payment.transactions = async (...args) => [...(await transactions(...args)), other as never]
  expect(await discrepanciesOf(reference)).toContain('charged twice')
  site.world.payment.transactions = transactions
  const key = site.db.updateTable('payment').where('enrollment_id', '=', enrollment_id).where('attempt', '=', attempt)
  await key.set({ state: 'abandoned' }).execute()
  site.advance(3600)
  expect(await discrepanciesOf(reference), 'captured there, abandoned here').toEqual(['state'])
  await key.set({ state: 'captured' }).execute()
  expect(await discrepanciesOf(reference)).toEqual([])
})

it('17.21 17.22 a refund by hand is one discrepancy, which can be resolved until the gateway says something else', async () => {
  const { reference, transaction_id } = await newMember()
  site.advance(2 * DAY)
  const byHand = async (refund_reference: string, amount_cents: number) =>
    site.world.payment.refund(
      { refund_reference, transaction_id: transaction_id ?? '', amount_cents },
      AbortSignal.timeout(1000),
    )
  await byHand('byhand1', 1500)
  expect(await discrepanciesOf(reference)).toEqual(['refund'])
  const before = await openDiscrepancies(site.world)
  const key = { reference, kind: 'refund', reason: 'Refunded at the gateway', who: 'Rosa' }
  expect(await resolveDiscrepancy(site.world, key)).toBe(true)
  expect(await openDiscrepancies(site.world)).toBe(before - 1)
  expect(await discrepanciesOf(reference), 'it stays resolved').toEqual([])
  expect(await showPayment(site.db, reference)).toMatch(/refund +0\.00 +15\.00 .*Refunded at the gateway/)
  await byHand('byhand2', 1000)
  expect(await discrepanciesOf(reference), 'the gateway says something else').toEqual(['refund'])
  await byHand('byhand3', 7400)
  expect(await discrepanciesOf(reference)).toEqual(['state'])
})

it('17.23 a silent gateway is logged and shown by /readyz, which stays ready', async () => {
  const { paymentCalls, payment } = site.world
  const lookup = (signal: AbortSignal) => payment.lookup({ reference: 'nobody' }, signal)
  const part = async () => {
    const reply = await site.get('/readyz')
    return [reply.statusCode, reply.json().parts.payment.answering]
  }
  await lookup(AbortSignal.abort())
  expect([await part(), paymentCalls.unanswered]).toEqual([[200, true], 1])
  await lookup(AbortSignal.abort())
  expect(await part()).toEqual([200, false])
  const logged = () => site.log().split('the payment gateway does not answer').length - 1
  const before = logged()
  expect(before).toBeGreaterThan(0)
  site.advance(59)
  await lookup(AbortSignal.abort())
  expect(logged(), 'within a minute').toBe(before)
  site.advance(1)
  await lookup(AbortSignal.abort())
  expect(logged()).toBe(before + 1)
  await lookup(AbortSignal.timeout(1000))
  expect(await part()).toEqual([200, true])
})

it('17.23 /metrics counts charges and renewals', async () => {
  const metric = async (name: string) => {
    const { body } = await site.get('/metrics')
    return Number(
      body
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    )
  }
  const approved = 'foyer_payments_total{outcome="approved",kind="first"}'
  const declined = 'foyer_payments_total{outcome="declined",kind="renewal"}'
  const before = [await metric(approved), await metric(declined)]
  await site.db.updateTable('membership').set({ due_at: null }).execute()
  await newMember(cards.renewalNoFunds)
  site.advance(32 * DAY)
  expect(await metric('foyer_renewals_due')).toBe(1)
  expect(await metric('foyer_renewals_oldest_due_seconds')).toBeGreaterThan(DAY)
  const pastDue = await metric('foyer_renewals_past_due')
  while (await renewMemberships(site.world));
  expect([await metric(approved), await metric(declined)]).toEqual(before.map((value) => value + 1))
  expect([await metric('foyer_renewals_due'), await metric('foyer_renewals_past_due')]).toEqual([0, pastDue + 1])
})

it('17.24 missing cards are looked up once, and a failure does not stop the others', async () => {
  const members = [await newMember(), await newMember(), await newMember()]
  const ids = members.map(({ member_id }) => member_id)
  const none = { network_transaction_id: null, card_brand: null, card_last_four: null, card_expires: null }
  await site.db.updateTable('membership').set(none).where('member_id', 'in', ids).execute()
  const { lookup } = site.world.payment
  site.world.payment.lookup = async (query, signal) => {
    if (query.reference === members[1]?.reference) throw new Error('connection reset')
    return lookup(query, signal)
  }
  expect(await backfillCards(site.world)).toEqual({ filled: 2, unchanged: 0, failed: 1 })
  site.world.payment.lookup = lookup
  expect(await backfillCards(site.world)).toEqual({ filled: 1, unchanged: 0, failed: 0 })
  expect(await backfillCards(site.world)).toEqual({ filled: 0, unchanged: 0, failed: 0 })
  const rows = await site.db.selectFrom('membership').selectAll().where('member_id', 'in', ids).execute()
  for (const row of rows)
    expect(row).toMatchObject({
      card_brand: 'visa',
      card_last_four: '4242',
      network_transaction_id: expect.any(String),
    })
})

it('17.12 17.15 17.17 17.19 the terminal shows and refunds a payment, holds a membership, and changes a price', async () => {
  const { username, email, reference } = await newMember()
  const nothing = async () => undefined
  const database = { db: site.db, description: 'a test', markInitialized: nothing, close: nothing }
  const run = async (...args: string[]) =>
    (await callCommand(main, args, { DATA_DIR: site.world.config.DATA_DIR }, database)).output
  const reason = ['--reason', 'A test', '--by', 'Rosa']
  expect(await run('refund', reference, '99.01', ...reason)).toContain('$99.01 is too much: of $99.00')
  expect(await run('refund', reference, ...reason)).toContain('Refunded $99.00.')
  expect(await run('hold', username, ...reason)).toContain('is on hold')
  expect(await paymentOf(username, 0)).toMatchObject({ state: 'refunded', hold_reason: 'A test (Rosa)', due_at: null })
  const shown = await run('show', reference)
  expect(shown).toMatch(new RegExp(`^Member +${username}, .*, ${email}$`, 'm'))
  expect(shown).toMatch(/^Membership +active, on hold since .* \(A test \(Rosa\)\)$/m)
  expect(shown).toMatch(/^For +joining, \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d$/m)
  expect(shown).toMatch(/^Amount +\$99\.00, \$99\.00 refunded$/m)
  expect(shown).toMatch(/^Card +Visa ending in 4242$/m)
  expect(shown).toMatch(/^Refunds:\n.*\n.*\$99\.00.* done +CN-\d{4} +A test +Rosa/m)
  expect(shown).toMatch(new RegExp(`^All payments of this member:\\n.*\\n.*${reference} +joining +refunded`, 'm'))
  expect(await run('release', username, ...reason)).toContain('is no longer on hold')
  expect(await paymentOf(username, 0)).toMatchObject({ hold_reason: null, due_at: expect.any(Date) })

  const price = await run('price', '34', '109.00', '--notice', '7', ...reason)
  expect(price).toContain('now renews at $109.00 a month for everyone who joins.')
  const change = site.db.selectFrom('price_change').select(['new_cents', 'notice_days', 'reason', 'made_by'])
  expect(await change.execute()).toEqual([{ new_cents: 10_900, notice_days: 7, reason: 'A test', made_by: 'Rosa' }])
  await site.db.updateTable('package').set({ renewal_cents: 9_900 }).where('product_id', '=', 34).execute()
})

it.runIf(isPostgres)(
  '17.19 npm run payments refuses wrong input in a sentence',
  async () => {
    const database = await testDatabase()
    const env = { DATABASE_URL: database.url ?? '' }
    const run = async (...args: string[]) => {
      const { code, output } = await callCommand(main, args, env)
      return [code, output.split('\n')[0]]
    }
    const reason = ['--reason', 'A test']
    expect(await run('--help')).toEqual([0, 'npm run payments -- COMMAND'])
    expect(await run('refund', 'nothing', ...reason)).toEqual([1, expect.stringContaining('no payment with the refe')])
    expect(await run('refund', 'nothing')).toEqual([2, 'A reason is missing: --reason "…"'])
    expect(await run('refund', 'nothing', '1,5', ...reason)).toEqual([2, expect.stringContaining('not an amount')])
    expect(await run('void', ...reason)).toEqual([2, 'REFERENCE is missing.'])
    expect(await run('resolve', 'nothing', 'state', ...reason)).toEqual([1, 'nothing has no open discrepancy.'])
    expect(await run('backfill')).toEqual([0, 'Nothing to complete.'])
    await database.close()
  },
  120_000,
)
