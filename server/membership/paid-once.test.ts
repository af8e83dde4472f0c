import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { periodStart } from '#contract/renewal.ts'
import { endedEmail, packageUnpaidEmail } from '#server/emails/renewals.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import type { SandboxGateway } from '#server/gateways/payment/sandbox/sandbox.ts'
import { viewOffice } from '#server/office/view.ts'
import { reconcile } from '#server/payments/books/reconciliation.ts'
import { requestRefund, requestVoid } from '#server/payments/refunds.ts'
import { emailsTo } from '#server/test/member.ts'
import { daysUntil, newMember, pass, work } from '#server/test/membership.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { settleAttempts } from '#server/worker/janitor.ts'
import { cancel } from './cancellation.ts'
import { liftHold, putOnHold } from './hold.ts'
import { dropPackage } from './lines.ts'
import { comeBack } from './return.ts'

/** A membership that is paid once, and packages next to it that renew. */

let site: Site
beforeAll(async () => {
  site = await testSite({ AUTOSHIP: 'on' })
})
afterAll(() => site.close())

const emailAbout = async ({ email }: { email: string }, subject: RegExp) =>
  (await emailsTo(site, email)).find((message) => subject.test(message.subject))?.body ?? ''

const setInterval = (billing_interval: 'once' | 'month', renewal_cents: number) =>
  site.db.updateTable('package').set({ billing_interval, renewal_cents }).where('product_id', '=', 34).execute()
beforeEach(() => setInterval('once', 0))

const chargesOf = ({ username }: { username: string }) =>
  site.db
    .selectFrom('payment')
    .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .select(['amount_cents', 'payment.state'])
    .where('username', '=', username)
    .where('period', '>', 0)
    .execute()

it('17.41 is never charged again, not even after a hold or for coming back', async () => {
  const member = await newMember(site)
  await pass(site, 40)
  await putOnHold(site.world, member.id, 'dispute')
  await liftHold(site.world, member.id)
  await pass(site, 2)
  expect(await chargesOf(member)).toEqual([])

  await cancel(site.world, member.id)
  const ended = (await viewOffice(site.world, member.id)).membership
  const today = site.world.now().toISOString().slice(0, 10)
  expect(ended).toMatchObject({ is_over: true, ended_on: today, cancelled_on: today, return_price: '0.00' })
  expect(await emailAbout(member, /^Your membership has ended$/)).toContain('As you asked')

  await comeBack(site.world, member.id, { shown_price: '0.00' })
  await pass(site, 40)
  const back = (await viewOffice(site.world, member.id)).membership
  expect(back).toMatchObject({ state: 'active', is_over: false, lines: [] })
  expect(back.cancelled_on).toBeUndefined()
  expect(await chargesOf(member)).toEqual([])
  const email = await emailAbout(member, /^Welcome back$/)
  expect(email).toContain('Your membership is active again. It’s paid for, and you won’t be charged again.')
  expect(await emailAbout(member, /continues/)).toBe('')
  expect(email).not.toContain('$0.00')
})

it('17.41 does not keep the card, because the consent excludes a series', async () => {
  const { authorize } = site.world.payment
  const holds: Parameters<typeof authorize>[0][] = []
  site.world.payment.authorize = (hold, signal) => {
    holds.push(hold)
    return authorize(hold, signal)
  }
  const once = await newMember(site)
  await setInterval('month', 9900)
  const monthly = await newMember(site)
  site.world.payment.authorize = authorize
  expect(holds.map(({ is_once }) => is_once)).toEqual([true, undefined])
  const stored = await site.db
    .selectFrom('membership')
    .select(['member_id', 'vault_reference'])
    .where('member_id', 'in', [once.id, monthly.id])
    .execute()
  const referenceOf = (id: string) => stored.find(({ member_id }) => member_id === id)?.vault_reference
  expect([referenceOf(once.id), referenceOf(monthly.id)]).toEqual(['', expect.stringMatching(/./)])
})

it.each(['responseLost', 'review'] as const)(
  '17.41 does not keep a card whose payment only a lookup found (%s)',
  async (card) => {
    const { world } = site
    const changes = { username: `once${card.toLowerCase()}`, email: `${card}@example.com`, cc_year: '2035' }
    const form = await filledForm(site, { ...changes, cc_number: cards[card] })
    const pending = await site.post('enrollment/add-enrollment', form)
    expect(pending.json().payment).toBe('Pending')
    for (const { transaction_id, state } of await world.payment.transactions(new Date(0), new AbortController().signal))
      if (state === 'review') await (world.payment as SandboxGateway).review(transaction_id, 'approve')
    site.advance(600)
    await settleAttempts(world)
    const { vault_reference } = await site.db
      .selectFrom('membership')
      .innerJoin('member', 'member.id', 'member_id')
      .select('vault_reference')
      .where('username', '=', changes.username)
      .executeTakeFirstOrThrow()
    expect(vault_reference).toBe('')
  },
)

it('17.41 a package next to it can be stopped, even if its charge is past due', async () => {
  const member = await newMember(site, { autoship_product_ids: '41' })
  const { lines } = (await viewOffice(site.world, member.id)).membership
  expect(lines).toMatchObject([{ product_id: 41, can_stop: true }])
  const { charge } = site.world.payment
  site.world.payment.charge = async () => ({ outcome: 'declined', decline_class: 'card', issuer_code: '51' })
  await pass(site, daysUntil(site, periodStart(member.joined_on, 1)))
  site.world.payment.charge = charge
  expect((await viewOffice(site.world, member.id)).membership.state).toBe('past_due')
  await dropPackage(site.world, member.id, { product_id: 41 })
  await pass(site, 20)
  expect((await viewOffice(site.world, member.id)).membership).toMatchObject({ state: 'active', lines: [] })
  expect((await chargesOf(member)).map(({ state }) => state)).toEqual(['declined'])
})

const firstPayment = ({ username }: { username: string }) =>
  site.db
    .selectFrom('payment')
    .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .select(['reference', 'transaction_id'])
    .where('username', '=', username)
    .where('period', '=', 0)
    .executeTakeFirstOrThrow()

const requestFullRefund = async (member: { username: string }) => {
  const { reference } = await firstPayment(member)
  await requestRefund(site.world, { reference, reason: 'unhappy', who: 'test' })
}

it.each([
  ['', '0.00'],
  ['41', '24.00'], // a parcel, which would be charged alone
])('17.41 a member who got the payment back can’t come back without paying (%s)', async (parcels, shown_price) => {
  const member = await newMember(site, { autoship_product_ids: parcels })
  await pass(site, 2)
  await cancel(site.world, member.id)
  await pass(site, 35)
  expect((await viewOffice(site.world, member.id)).membership).toMatchObject({ return_price: shown_price })
  await requestFullRefund(member)
  await expect(comeBack(site.world, member.id, { shown_price })).rejects.toMatchObject({
    status: 409,
    message: 'Your payment was refunded. Please contact us to come back.',
  })
  await work(site.world)
  await expect(comeBack(site.world, member.id, { shown_price })).rejects.toThrow('Your payment was refunded.')
  const { is_over, return_price } = (await viewOffice(site.world, member.id)).membership
  expect({ is_over, return_price }).toEqual({ is_over: true, return_price: undefined })
})

it.each([
  ['has disputed the payment', 'open', 'You disputed your payment with your bank. Please contact us to come back.'],
  ['has had the payment voided', 'void', 'Your payment was canceled. Please contact us to come back.'],
] as const)('17.41 a member who %s is told so when coming back', async (_name, change, message) => {
  const member = await newMember(site)
  const { reference, transaction_id } = await firstPayment(member)
  if (change === 'void') await requestVoid(site.world, { reference, reason: 'unhappy', who: 'test' })
  else await (site.world.payment as SandboxGateway).dispute(transaction_id ?? '', change)
  await reconcile(site.world, new Date(0))
  await work(site.world)
  await cancel(site.world, member.id)
  await expect(comeBack(site.world, member.id, { shown_price: '0.00' })).rejects.toMatchObject({ status: 409, message })
})

it.each(['renewalNoFunds', 'renewalStolen'] as const)(
  '17.41 a package next to it that stays unpaid stops, and the membership goes on (%s)',
  async (card) => {
    const member = await newMember(site, { autoship_product_ids: '41', cc_number: cards[card] })
    await pass(site, daysUntil(site, periodStart(member.joined_on, 1)) + 8)
    const office = (await viewOffice(site.world, member.id)).membership
    expect(office).toMatchObject({ state: 'past_due', is_over: false })
    const declined = await emailAbout(member, /did not go through/)
    expect(declined).toContain('your package stops')
    expect(declined).not.toContain('your membership ends')
    await pass(site, 10)
    const after = (await viewOffice(site.world, member.id)).membership
    expect(after).toMatchObject({ state: 'active', is_over: false, lines: [] })
    expect(after.payment_problem).toBeUndefined()
    expect(await emailAbout(member, /^Your package has stopped$/)).toContain('Your membership continues, and your link')
    expect(await emailAbout(member, /^Your membership has ended$/)).toBe('')
    const before = await chargesOf(member)
    await pass(site, 40)
    expect(await chargesOf(member)).toEqual(before)
  },
)

it('17.41 an email about two packages that stopped names both', async () => {
  const { id } = await newMember(site)
  const stopped = (names: string[]) => packageUnpaidEmail(site.world, { member_id: id, names })
  expect(await stopped(['Tea'])).toMatchObject({
    subject: 'Your package has stopped',
    text: expect.stringContaining('for Tea, so it has stopped. You don’t owe anything, and it isn’t charged again.'),
  })
  expect(await stopped(['Tea', 'Honey'])).toMatchObject({
    subject: 'Your packages have stopped',
    text: expect.stringContaining(
      'for Tea and Honey, so they have stopped. You don’t owe anything, and they aren’t charged again.',
    ),
  })
})

it('17.41 the email about the end invites back only a member who still has paid', async () => {
  const member = await newMember(site)
  await pass(site, 2)
  await cancel(site.world, member.id)
  await pass(site, 35)
  const email = () => endedEmail(site.world, { member_id: member.id, why: 'unpaid' })
  expect((await email()).html).toContain('You can come back at any time.')
  expect((await email()).text).toContain('has ended. You don’t owe anything.')
  await requestFullRefund(member)
  expect((await email()).html).not.toContain('You can come back at any time.')
})
