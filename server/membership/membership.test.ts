import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cards } from '#server/gateways/payment/cards.ts'
import { viewOffice } from '#server/office/view.ts'
import { emailsTo, joinedMember } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { settleAttempts } from '#server/worker/janitor.ts'
import { runJobs } from '#server/worker/jobs.ts'
import { todayOf } from '#server/world/time-zone.ts'
import { cancel } from './cancellation.ts'
import { chargePastDue } from './card.ts'
import { renewMemberships } from './membership.ts'
import { writeNotices } from './notify.ts'
import { comeBack } from './return.ts'

const DAY = 86_400

let site: Site
beforeAll(async () => {
  site = await testSite({ PAYMENT_IN_FLIGHT_SECONDS: '60' })
})
afterAll(() => site.close())
beforeEach(async () => {
  await site.db.updateTable('membership').set({ due_at: null }).execute() // members of other tests
})

let count = 0
async function join(cc_number: string = cards.good) {
  const username = `renewing${++count}`
  const member = await joinedMember(site, { username, email: `${username}@example.com`, cc_number })
  await emailsTo(site, member.email)
  return member
}

/** Moves the clock day by day and does everything that is due, as the worker would. */
async function pass(days: number) {
  for (let day = 0; day < days; day++) {
    site.advance(DAY)
    await work()
  }
}
async function work() {
  while (await renewMemberships(site.world));
  await settleAttempts(site.world)
  while (await runJobs(site.world));
}

const membershipOf = ({ username }: { username: string }) =>
  site.db
    .selectFrom('membership')
    .innerJoin('member', 'member.id', 'membership.member_id')
    .select([
      'membership.member_id',
      'membership.state',
      'period',
      'declines',
      'due_at',
      'never_retry_since',
      'ends_at',
    ])
    .where('username', '=', username)
    .executeTakeFirstOrThrow()

const paymentsOf = async ({ username }: { username: string }) =>
  (
    await site.db
      .selectFrom('payment')
      .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
      .select(['period', 'payment.state', 'amount_cents'])
      .where('username', '=', username)
      .where('period', '>', 0)
      .orderBy('attempt')
      .execute()
  ).map(({ period, state, amount_cents }) => `${period} ${state} ${amount_cents}`)

const periodsOf = async ({ username }: { username: string }) =>
  (
    await site.db
      .selectFrom('period')
      .innerJoin('member', 'member.id', 'period.member_id')
      .select(['n', 'starts_on', 'period.state'])
      .where('username', '=', username)
      .orderBy('n')
      .execute()
  ).map(({ n, starts_on, state }) => `${n} ${starts_on} ${state}`)

const subjectsTo = async ({ email }: { email: string }) => (await emailsTo(site, email)).map(({ subject }) => subject)

it('17.1 charges every month once, at the price the member agreed to, and sends a receipt', async () => {
  const member = await join()
  await site.db.updateTable('package').set({ renewal_cents: 12_900 }).where('product_id', '=', 34).execute()
  await pass(95)
  await site.db.updateTable('package').set({ renewal_cents: 9_900 }).where('product_id', '=', 34).execute()
  expect(await paymentsOf(member)).toEqual(['1 captured 9900', '2 captured 9900', '3 captured 9900'])
  const periods = await periodsOf(member)
  expect(periods.map((period) => period.split(' ')[2])).toEqual(['paid', 'paid', 'paid', 'paid'])
  expect(new Set(periods.map((period) => period.slice(-7, -5))).size).toBe(1)
  const receipts = (await emailsTo(site, member.email)).filter(({ subject }) => subject.startsWith('Your receipt'))
  expect(receipts).toHaveLength(3)
  expect(receipts[0]?.body).toContain('Visa ending in 4242')
  expect(receipts[0]?.body).toContain('Your next charge is $99.00 on')
  expect(await membershipOf(member)).toMatchObject({ state: 'active', period: 3 })
})

it('17.1 two processes that run at the same time charge a period once', async () => {
  const members = await Promise.all([join(), join(), join(), join()])
  const { member_id } = await membershipOf(members[0])
  const { renews_on } = (await viewOffice(site.world, member_id)).membership
  site.advance((Date.parse(renews_on) - Date.parse(todayOf(site.world))) / 1000)
  await Promise.all([work(), work(), work()])
  for (const member of members) expect(await paymentsOf(member)).toEqual(['1 captured 9900'])
})

describe('17.4 a declined renewal', () => {
  it('is tried again, and a success makes the membership active', async () => {
    const member = await join(cards.renewalDeclinedOnce)
    await pass(31)
    expect(await membershipOf(member)).toMatchObject({ state: 'past_due', declines: 1 })
    expect(await subjectsTo(member)).toEqual(expect.arrayContaining(['Your payment did not go through']))
    await pass(4)
    expect(await paymentsOf(member)).toEqual(['1 declined 9900', '1 captured 9900'])
    expect(await membershipOf(member)).toMatchObject({ state: 'active', declines: 0 })
  })

  it('ends the membership after four tries in two weeks, and never charges again', async () => {
    const member = await join(cards.renewalNoFunds)
    await pass(80)
    expect(await paymentsOf(member)).toEqual(Array(4).fill('1 declined 9900'))
    expect(await membershipOf(member)).toMatchObject({ state: 'ended', due_at: null })
    expect((await periodsOf(member)).at(-1)).toMatch(/unpaid$/)
    const subjects = await subjectsTo(member)
    expect(subjects.filter((subject) => subject === 'Your payment did not go through')).toHaveLength(2)
    expect(subjects.filter((subject) => subject.startsWith('Last try'))).toHaveLength(1)
    expect(subjects.filter((subject) => subject === 'Your membership has ended')).toHaveLength(1)
    const reply = await site.get(`/api/enrollment/get_enrollment_sponsor?sponsor_site=${member.username}`)
    expect(reply.json().active).toBe('No')
  })

  it('is never repeated on a card that the bank forbids', async () => {
    const member = await join(cards.renewalStolen)
    await pass(60)
    expect(await paymentsOf(member)).toEqual(['1 declined 9900'])
    expect(await membershipOf(member)).toMatchObject({ state: 'ended' })
  })
})

it('17.5 a lost answer is looked up, and the period is charged once', async () => {
  const member = await join(cards.renewalResponseLost)
  await pass(32)
  site.advance(60)
  await work()
  expect(await paymentsOf(member)).toEqual(['1 captured 9900'])
  expect(await membershipOf(member)).toMatchObject({ state: 'active', period: 1 })
})

it('17.5 a request that never arrived is sent again, with a new reference', async () => {
  const member = await join(cards.renewalRequestLost)
  await pass(31)
  site.advance(300)
  await work()
  await work()
  const payments = await paymentsOf(member)
  expect(payments[0]).toBe('1 abandoned 9900')
  expect(payments.length).toBeGreaterThan(1)
})

it('17.32 a member who cancels while a request is lost is not charged, and has no unpaid month', async () => {
  const member = await join(cards.renewalRequestLost)
  await pass(30)
  while (!(await paymentsOf(member)).length) await pass(1)
  const { member_id } = await membershipOf(member)
  await cancel(site.world, member_id)
  site.advance(300)
  await work()
  expect(await paymentsOf(member)).toEqual(['1 abandoned 9900'])
  const { state, ends_at } = await membershipOf(member)
  expect(state).toBe('ended')
  expect(ends_at?.getTime()).toBeLessThanOrEqual(site.world.now().getTime())
})

it('17.6 after months without a run only a month from today is charged', async () => {
  const member = await join()
  site.advance(100 * DAY)
  await work()
  expect(await paymentsOf(member)).toEqual(['4 captured 9900'])
  const states = (await periodsOf(member)).map((period) => period.split(' ')[2])
  expect(states).toEqual(['paid', 'waived', 'waived', 'waived', 'paid'])
})

it('17.7 RENEWALS=off charges nothing', async () => {
  const off = await testSite({ RENEWALS: 'off' })
  const { username } = await joinedMember(off)
  off.advance(40 * DAY)
  expect(await renewMemberships(off.world)).toBe(0)
  expect(await off.db.selectFrom('payment').select('attempt').where('period', '>', 0).execute()).toEqual([])
  const { id } = await off.db
    .selectFrom('member')
    .select('id')
    .where('username', '=', username)
    .executeTakeFirstOrThrow()
  await off.db.updateTable('membership').set({ state: 'past_due', notice_at: off.world.now() }).execute()
  await chargePastDue(off.world, id)
  await writeNotices(off.world)
  await off.db.updateTable('member').set({ ends_at: off.world.now() }).execute()
  await expect(comeBack(off.world, id, { shown_price: '99.00' })).rejects.toThrow('Please contact us to come back.')
  expect((await viewOffice(off.world, id)).membership.return_price).toBeUndefined()
  expect(await off.db.selectFrom('payment').select('attempt').where('period', '>', 0).execute()).toEqual([])
  const kinds = (await off.db.selectFrom('job').select('kind').execute()).map(({ kind }) => kind)
  expect(kinds.filter((kind) => /renew|card_expires|yearly/.test(kind))).toEqual([])
  await off.close()
})
