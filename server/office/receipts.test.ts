import { afterAll, beforeAll, expect, it } from 'vitest'
import { longDay } from '#contract/days.ts'
import { receiptTexts } from '#contract/receipt-texts.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import type { SandboxGateway } from '#server/gateways/payment/sandbox/sandbox.ts'
import { shareOf } from '#server/membership/credit-notes.ts'
import { resolveDiscrepancy } from '#server/payments/books/discrepancies.ts'
import { reconcile } from '#server/payments/books/reconciliation.ts'
import { requestRefund, requestVoid } from '#server/payments/refunds.ts'
import { cookieOf, emailsTo, joinedMember } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember } from '#server/test/staff.ts'
import { doEverythingDue } from '#server/worker/worker.ts'
import { todayOf } from '#server/world/time-zone.ts'
import { viewOffice } from './view.ts'

const DAY = 86_400
const request = { reason: 'A test', who: 'staff' }

let site: Site
beforeAll(async () => {
  site = await testSite({ TIME_ZONE: 'America/New_York' })
})
afterAll(() => site.close())

type Member = Awaited<ReturnType<typeof newMember>>
async function newMember(changes: Record<string, string> = {}) {
  const member = await joinedMember(site, changes)
  await doEverythingDue(site.world)
  return { ...member, ...(await paymentOf(member.username, 0)) }
}
const paymentOf = (username: string, period: number) =>
  site.db
    .selectFrom('payment')
    .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .select(['reference', 'transaction_id', 'member.id as member_id'])
    .where('username', '=', username)
    .where('period', '=', period)
    .executeTakeFirstOrThrow()
const viewOf = ({ member_id }: { member_id: string }) => viewOffice(site.world, member_id)
const statusOf = async (member: Member) => {
  const { receipt } = await viewOf(member)
  return receipt && receiptTexts(receipt)
}
/** Late in the evening in New York, when it is the next day in London. */
const untilEvening = (days: number) => site.advance(days * DAY + 14 * 3600)

it('15.21 the office shows what became of each charge: part and rest, void, dispute', async () => {
  const [refunded, voided, disputed] = [await newMember(), await newMember(), await newMember()]
  expect((await statusOf(refunded))?.status).toBeUndefined()
  await requestVoid(site.world, { reference: voided.reference, ...request })
  await doEverythingDue(site.world)
  expect(await statusOf(voided)).toMatchObject({
    status: 'Canceled',
    totals: [{ name: 'Total' }, { name: 'Canceled on November 15, 2026', amount: '-$99.00' }, { amount: '$0.00' }],
    sentences: ['This charge was canceled before it was collected.'],
  })
  untilEvening(4)
  const part = { reference: refunded.reference, amount_cents: 4000 }
  await requestRefund(site.world, { ...part, ...request })
  await doEverythingDue(site.world)
  expect(await statusOf(refunded)).toMatchObject({
    status: '$40.00 refunded',
    totals: [
      { name: 'Paid' },
      { name: 'Refunded on November 19, 2026' },
      { name: 'Total after refunds', amount: '$59.00' },
    ],
  })
  await requestRefund(site.world, { reference: refunded.reference, ...request })
  const gateway = site.world.payment as SandboxGateway
  await gateway.dispute(disputed.transaction_id ?? '', 'open')
  await reconcile(site.world, new Date(0))
  await doEverythingDue(site.world)
  expect(await statusOf(refunded)).toMatchObject({ status: 'Refunded' })
  expect((await viewOf(refunded)).receipt?.credit_notes).toHaveLength(2)
  expect(await statusOf(disputed)).toMatchObject({
    status: 'Disputed',
    sentences: ['This charge has been in dispute with your bank since November 19, 2026.'],
  })
  await gateway.dispute(disputed.transaction_id ?? '', 'won')
  await reconcile(site.world, new Date(0))
  expect(await statusOf(disputed)).toMatchObject({
    status: undefined,
    sentences: ['A bank dispute about this charge ended on November 19, 2026. The charge stands.'],
  })
})

it('15.21 a dispute that staff have closed as lost is over, until the bank says something else', async () => {
  const member = await newMember()
  const gateway = site.world.payment as SandboxGateway
  await gateway.dispute(member.transaction_id ?? '', 'open')
  await reconcile(site.world, new Date(0))
  untilEvening(2)
  const key = { reference: member.reference, kind: 'dispute' }
  await resolveDiscrepancy(site.world, { ...key, ...request, is_lost: true })
  await reconcile(site.world, new Date(0))
  const day = longDay(todayOf(site.world))
  expect(await statusOf(member)).toMatchObject({
    status: 'Returned by your bank',
    sentences: [`A bank dispute about this charge ended on ${day}. Your bank returned the payment to you.`],
  })
  await gateway.dispute(member.transaction_id ?? '', 'won')
  await reconcile(site.world, new Date(0))
  expect(await statusOf(member)).toMatchObject({
    status: undefined,
    sentences: [`A bank dispute about this charge ended on ${day}. The charge stands.`],
  })
})

it('15.21 a dispute that staff closed for a different reason is not shown as lost', async () => {
  const member = await newMember()
  await (site.world.payment as SandboxGateway).dispute(member.transaction_id ?? '', 'open')
  await reconcile(site.world, new Date(0))
  await resolveDiscrepancy(site.world, { reference: member.reference, kind: 'dispute', ...request })
  expect(await statusOf(member)).toMatchObject({ status: 'Disputed' })
})

it('15.21 a renewal that was voided, and a charge that the gateway refused to collect, aren’t shown as paid', async () => {
  const { capture } = site.world.payment
  site.world.payment.capture = async () => 'refused'
  const refused = await newMember()
  site.world.payment.capture = capture
  expect(await statusOf(refused)).toMatchObject({ status: 'Not collected', totals: [{ name: 'Total' }] })
  const member = await newMember({ cc_number: cards.good })
  for (let day = 0; day < 30; day++) {
    site.advance(DAY)
    await doEverythingDue(site.world)
  }
  const { reference } = await paymentOf(member.username, 1)
  await requestVoid(site.world, { reference, ...request })
  await doEverythingDue(site.world)
  const [renewal] = (await viewOf(member)).renewals
  expect(renewal && receiptTexts(renewal)).toMatchObject({ status: 'Canceled' })
})

/** Two days without use end a session. */
const cookieFor = async ({ username: name, password }: Member) =>
  cookieOf(await site.post('office/sign-in', { name, password }))

it('17.45 a credit note is a page of the member it belongs to, and of staff', async () => {
  const [member, other] = [await newMember({ business_name: 'Zoë & Co.' }), await newMember()]
  site.advance(2 * DAY)
  await requestRefund(site.world, { reference: member.reference, amount_cents: 1000, ...request })
  await doEverythingDue(site.world)
  const number = (await viewOf(member)).receipt?.credit_notes[0]?.number
  const path = `/office/credit-notes/${number}`
  const [cookie, otherCookie] = [await cookieFor(member), await cookieFor(other)]
  const page = await site.get(path, { cookie })
  const note = {
    number,
    amount: '10.00',
    lines: [{ name: 'Founding Membership', price: '10.00' }],
    receipt: { reference: member.reference, total: '99.00', card: { last_four: '4242' } },
    member: { first_name: 'Zoë', business_name: 'Zoë & Co.' },
    operator: { name: 'Foyer Membership LLC', address: '500 Sample Street, Reno, NV 89501' },
  }
  expect(page.statusCode).toBe(200)
  expect(JSON.parse(/id="start">(.*)<\/script>/.exec(page.body)?.[1] ?? '')).toMatchObject({ note })
  expect((await site.get(path, { cookie: otherCookie })).statusCode, 'somebody else’s').toBe(404)
  expect((await site.get(path)).statusCode, 'signed out').toBe(401)
  for (const wrong of ['0', '-1', '1e3', '999999', '99999999999', 'x%00'])
    expect((await site.get(`/office/credit-notes/${wrong}`, { cookie })).statusCode, wrong).toBe(404)
  const support = await staffMember(site, 'support')
  expect((await support.get(`credit-notes/${number}`)).json()).toMatchObject(note)
  expect((await support.get('credit-notes/999999')).statusCode).toBe(404)
  const { payments, timeline } = (await support.get(`members/${member.member_id}`)).json()
  expect(payments[0]).toMatchObject({ state: 'captured', refunds: [{ state: 'done', credit_note: number }] })
  expect(timeline).toContainEqual(
    expect.objectContaining({ what: 'Refund made', detail: expect.stringContaining('CN-') }),
  )
})

it('15.12 the emails about a renewal and a refund have the refund terms', async () => {
  const member = await newMember()
  for (let day = 0; day < 31; day++) {
    site.advance(DAY)
    await doEverythingDue(site.world)
  }
  await requestRefund(site.world, { reference: member.reference, amount_cents: 1000, ...request })
  const messages = await emailsTo(site, member.email)
  for (const subject of ['Your refund of $10.00', 'Your receipt: $99.00 for your membership']) {
    const body = messages.find((message) => message.subject === subject)?.body
    expect(body, subject).toContain('Refunds: Tell us within 14 days of joining')
    expect(body).toContain('Questions about this payment? Contact us: ')
  }
})

it('19.23 the console shows a void as one, and since when a charge is disputed', async () => {
  const [voided, disputed] = [await newMember(), await newMember()]
  await requestRefund(site.world, { reference: voided.reference, ...request }) // before it settled
  await doEverythingDue(site.world)
  site.advance(2 * DAY)
  await (site.world.payment as SandboxGateway).dispute(disputed.transaction_id ?? '', 'open')
  await reconcile(site.world, new Date(0))
  const support = await staffMember(site, 'support')
  const pageOf = async ({ member_id }: Member) => (await support.get(`members/${member_id}`)).json()
  const { payments, timeline } = await pageOf(voided)
  expect(payments).toMatchObject([{ state: 'voided', refunds: [{ is_void: true }] }])
  expect(timeline.map(({ what }: { what: string }) => what)).toContain('Payment voided before it was collected')
  expect(timeline.map(({ what }: { what: string }) => what)).not.toContain('Payment collected')
  const page = await pageOf(disputed)
  expect(page.payments).toMatchObject([{ state: 'disputed', disputed_on: expect.any(String) }])
  const money = page.timeline.filter(({ kind }: { kind: string }) => kind === 'money' || kind === 'membership')
  expect(money.map(({ what }: { what: string }) => what).sort()).toEqual([
    'Dispute reported by the gateway',
    'Joined',
    'Membership put on hold: a payment is disputed',
    'Payment collected',
  ])
})

it('17.45 a part takes the same share of each line, to the cent', () => {
  const lines = [
    { name: 'A', cents: 9900 },
    { name: 'B', cents: 2400 },
    { name: 'Free', cents: 0 },
  ]
  expect(shareOf(lines, 12_300)).toEqual([
    { name: 'A', price: '99.00' },
    { name: 'B', price: '24.00' },
  ])
  for (const cents of [1, 2, 4000, 12_299]) {
    const shares = shareOf(lines, cents).map(({ price }) => Math.round(Number(price) * 100))
    expect(shares.reduce((sum, share) => sum + share, 0)).toBe(cents)
  }
})
