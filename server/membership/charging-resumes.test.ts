import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { addDays, periodStart } from '#contract/renewal.ts'
import { firstDayFrom } from '#contract/renewal-day.ts'
import { listProblems } from '#server/console/overview/problems.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import { viewOffice } from '#server/office/view.ts'
import { emailsTo } from '#server/test/member.ts'
import { DAY, daysUntil, newMember, pass, work } from '#server/test/membership.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { liftHold, putOnHold } from './hold.ts'
import { moveRenewalDay } from './renewal-day.ts'

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())
beforeEach(async () => {
  await site.db.updateTable('membership').set({ due_at: null, state: 'ended' }).execute() // other tests' members
  await site.db.deleteFrom('member_event').execute()
})

type Member = Awaited<ReturnType<typeof newMember>>

const chargesOf = async ({ id }: Member) =>
  (
    await site.db
      .selectFrom('payment')
      .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
      .innerJoin('period', (join) =>
        join.onRef('period.member_id', '=', 'member.id').onRef('period.n', '=', 'payment.period'),
      )
      .select(['starts_on', 'payment.state'])
      .where('member.id', '=', id)
      .where('period', '>', 0)
      .orderBy('attempt')
      .execute()
  ).map(({ starts_on, state }) => `${starts_on} ${state}`)

const periodsOf = ({ id }: Member) =>
  site.db
    .selectFrom('period')
    .select(['starts_on', 'ends_on', 'state'])
    .where('member_id', '=', id)
    .orderBy('n')
    .execute()

/** One charge today, none within the month after it, and no day without a period. */
async function expectNewMonth(member: Member, missed_from: string, world: World = site.world) {
  const today = todayOf(site.world)
  const next = periodStart(today, 1)
  expect(await chargesOf(member)).toEqual([`${today} captured`])
  const periods = await periodsOf(member)
  expect(periods.at(-1)).toEqual({ starts_on: today, ends_on: next, state: 'paid' })
  expect(periods.slice(1, -1).map(({ state }) => state)).toEqual(periods.slice(1, -1).map(() => 'waived'))
  for (const [n, { starts_on }] of periods.entries()) if (n) expect(starts_on).toBe(periods[n - 1]?.ends_on)
  expect((await viewOffice(world, member.id)).membership.renews_on).toBe(next)
  const [email] = await emailsTo(site, member.email, 'Your renewal date has changed')
  expect(email?.body).toContain(`You weren’t charged from ${longDay(missed_from)} until ${longDay(today)}`)
  const { problems } = await listProblems(site.world)
  expect(problems).toContainEqual(
    expect.objectContaining({ kind: 'resumed', member: expect.objectContaining({ id: member.id }) }),
  )
  await pass(site, daysUntil(site, next) - 1, world)
  expect(await chargesOf(member)).toHaveLength(1)
  await pass(site, 1, world)
  expect(await chargesOf(member)).toEqual([`${today} captured`, `${next} captured`])
}
const resumedEmails = async ({ email }: Member) =>
  (await emailsTo(site, email, 'Your renewal date has changed')).map(({ body }) => body)
const longDay = (day: string) => new Date(day).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })

it('17.38 a hold lifted the day before a renewal starts a new month and charges it once', async () => {
  const member = await newMember(site)
  await putOnHold(site.world, member.id, 'dispute')
  await pass(site, daysUntil(site, periodStart(member.joined_on, 2)) - 1)
  await liftHold(site.world, member.id)
  await work(site.world)
  await expectNewMonth(member, periodStart(member.joined_on, 1))
})

it('17.38 so does downtime, even of one day', async () => {
  for (const days of [1, 45]) {
    const member = await newMember(site)
    const due = periodStart(member.joined_on, 1)
    site.advance((daysUntil(site, due) + days) * DAY)
    await work(site.world)
    await expectNewMonth(member, due)
    await site.db.updateTable('membership').set({ due_at: null }).execute()
    await site.db.deleteFrom('member_event').execute()
  }
})

it('17.38 so does switching RENEWALS on', async () => {
  const off: World = { ...site.world, config: { ...site.world.config, RENEWALS: 'off' } }
  const member = await newMember(site)
  await pass(site, 50, off)
  await work(site.world)
  await expectNewMonth(member, periodStart(member.joined_on, 1))
})

it('17.38 so does a gateway that rejected every charge for days when no card was at fault', async () => {
  const member = await newMember(site)
  const due = periodStart(member.joined_on, 1)
  const { payment } = site.world
  const { charge } = payment
  payment.charge = async () => ({ outcome: 'failed', why: 'no account' })
  await pass(site, daysUntil(site, due) + 12)
  expect(await resumedEmails(member)).toEqual([])
  payment.charge = charge
  site.advance(DAY)
  await work(site.world)
  expect(await resumedEmails(member)).toEqual([
    expect.stringContaining(`You weren’t charged from ${longDay(due)} until ${longDay(todayOf(site.world))}`),
  ])
  const charges = await chargesOf(member)
  expect(charges.filter((each) => each.endsWith('captured'))).toEqual([`${todayOf(site.world)} captured`])
  expect((await viewOffice(site.world, member.id)).membership.renews_on).toBe(periodStart(todayOf(site.world), 1))
})

it('17.38 a bank that declines the first charge afterwards is an answer, and the email is sent once', async () => {
  const member = await newMember(site, { cc_number: cards.renewalNoFunds })
  const due = periodStart(member.joined_on, 1)
  site.advance((daysUntil(site, due) + 5) * DAY)
  const resumed_on = todayOf(site.world)
  await work(site.world)
  await pass(site, 15)
  expect(await resumedEmails(member)).toEqual([
    expect.stringContaining(`You weren’t charged from ${longDay(due)} until ${longDay(resumed_on)}`),
  ])
})

it('17.38 a gateway that rejects charges for exactly a month leaves the renewal day as it was', async () => {
  const member = await newMember(site)
  const due = periodStart(member.joined_on, 1)
  const { payment } = site.world
  const { charge } = payment
  payment.charge = async () => ({ outcome: 'failed', why: 'no account' })
  await pass(site, daysUntil(site, periodStart(member.joined_on, 2)) - 1)
  payment.charge = charge
  await pass(site, 1)
  expect(await resumedEmails(member)).toEqual([])
  const [email] = await emailsTo(site, member.email, 'Your membership charges have resumed')
  expect(email?.body).toContain(`You weren’t charged from ${longDay(due)} until ${longDay(todayOf(site.world))}`)
})

it('17.38 a declined charge gets a new month if its last try was missed, but not if a retry was on time', async () => {
  const [missed, retried] = [
    await newMember(site, { cc_number: cards.renewalDeclinedOnce }),
    await newMember(site, { cc_number: cards.renewalDeclinedOnce }),
  ]
  const due = periodStart(missed.joined_on, 1)
  await pass(site, daysUntil(site, due))
  await putOnHold(site.world, missed.id, 'staff')
  site.advance(10 * DAY)
  await work(site.world)
  expect(await chargesOf(retried)).toEqual([`${due} declined`, `${due} captured`])
  site.advance(18 * DAY)
  await liftHold(site.world, missed.id)
  await work(site.world)
  expect(await chargesOf(missed)).toEqual([`${due} declined`, `${addDays(due, 28)} captured`])
})

it('17.38 staff can move the renewal day back', async () => {
  const member = await newMember(site)
  const due = periodStart(member.joined_on, 1)
  site.advance((daysUntil(site, due) + 5) * DAY)
  await work(site.world)
  const day_of_month = Number(member.joined_on.slice(8))
  const shown_on = firstDayFrom(periodStart(todayOf(site.world), 1), day_of_month)
  await moveRenewalDay(site.world, member.id, { day_of_month, shown_on })
  expect((await viewOffice(site.world, member.id)).membership.renews_on).toBe(shown_on)
})
