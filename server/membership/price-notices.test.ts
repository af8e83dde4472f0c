import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { longDay } from '#contract/days.ts'
import { periodStart } from '#contract/renewal.ts'
import { emailsTo } from '#server/test/member.ts'
import { DAY, daysUntil, newMember, pass, work } from '#server/test/membership.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { cancel, resume } from './cancellation.ts'
import { liftHold, putOnHold } from './hold.ts'
import { changePrice } from './price-change.ts'
import { waivePeriod } from './waive.ts'

/** Emails about prices when something gets in between: an outage, a cancellation, a hold, a waived month. */

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())
beforeEach(async () => {
  await site.db.updateTable('membership').set({ due_at: null, notice_at: null, state: 'ended' }).execute() // other tests' members
  await site.db.deleteFrom('job').execute()
  await site.db.updateTable('package').set({ renewal_cents: 9900 }).where('product_id', '=', 34).execute()
})

type Member = Awaited<ReturnType<typeof newMember>>

const rise = { product_id: 34, new_cents: 12_900, notice_days: 7, reason: 'costs', who: 'Rosa' }

const noticesTo = async ({ email }: Member) =>
  (await emailsTo(site, email)).filter(({ subject }) => subject.startsWith('Your price changes on '))

const amountsOf = async ({ id }: Member) =>
  (
    await site.db
      .selectFrom('payment')
      .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
      .select('amount_cents')
      .where('member.id', '=', id)
      .where('period', '>', 0)
      .orderBy('attempt')
      .execute()
  ).map(({ amount_cents }) => amount_cents)

/** A member who was told of a higher price from their next renewal on. */
async function toldMember() {
  const member = await newMember(site)
  const renews_on = periodStart(member.joined_on, 1)
  await pass(site, daysUntil(site, renews_on) - 20)
  await changePrice(site.world, rise)
  await work(site.world)
  expect(await noticesTo(member)).toMatchObject([{ subject: `Your price changes on ${longDay(renews_on)}` }])
  return { ...member, renews_on }
}

it('17.42 one higher price is one email, however long the mail server was down', async () => {
  const member = await newMember(site)
  await pass(site, 2)
  const { send, isAnswering } = site.world.mail
  site.world.mail.isAnswering = () => false
  site.world.mail.send = () => Promise.reject(new Error('The mail server is down.'))
  await changePrice(site.world, rise)
  await pass(site, 14)
  Object.assign(site.world.mail, { send, isAnswering })
  await pass(site, 1)
  expect(await noticesTo(member)).toHaveLength(1)
})

it('17.46 a member who cancels right after a price change and resumes pays the new price', async () => {
  const member = await newMember(site)
  await changePrice(site.world, rise)
  site.advance(60)
  await cancel(site.world, member.id) // before the job reaches the member
  await pass(site, 1)
  await resume(site.world, member.id)
  await pass(site, daysUntil(site, periodStart(member.joined_on, 2)))
  expect(await noticesTo(member)).toHaveLength(1)
  expect((await amountsOf(member)).at(-1)).toBe(12_900)
})

it('17.46 a replaced price change is not applied on resuming, even if its job finishes late', async () => {
  const member = await newMember(site)
  await changePrice(site.world, rise)
  const [late] = await site.db.selectFrom('job').selectAll().where('kind', '=', 'price_change').execute()
  await site.db
    .updateTable('job')
    .set({ run_at: new Date('2999-01-01') })
    .where('id', '=', late?.id ?? '')
    .execute()
  site.advance(60)
  await changePrice(site.world, { ...rise, new_cents: 9900 })
  await work(site.world)
  site.advance(60)
  await cancel(site.world, member.id)
  await site.db
    .updateTable('job')
    .set({ run_at: site.world.now() })
    .where('id', '=', late?.id ?? '')
    .execute()
  await pass(site, 1)
  await resume(site.world, member.id)
  await pass(site, daysUntil(site, periodStart(member.joined_on, 2)))
  expect(await amountsOf(member)).toEqual([9900, 9900])
})

describe('17.46 a price change doesn’t apply to members who joined after it', () => {
  /** The price for new members, which no one else is told of. */
  const setPrice = (renewal_cents: number) =>
    site.db.updateTable('package').set({ renewal_cents }).where('product_id', '=', 34).execute()
  const linesOf = async ({ id }: Member) =>
    (await site.db.selectFrom('membership').select('lines').where('member_id', '=', id).executeTakeFirstOrThrow()).lines

  it('even if its job reaches them later, or they resume before it is done', async () => {
    const earlier = await newMember(site)
    site.advance(60)
    await changePrice(site.world, rise)
    await site.db
      .updateTable('job')
      .set({ run_at: new Date('2999-01-01') })
      .where('kind', '=', 'price_change')
      .execute()
    site.advance(60)
    await setPrice(14_900)
    const [later, resumed] = [await newMember(site), await newMember(site)]
    await cancel(site.world, resumed.id)
    await resume(site.world, resumed.id)
    await site.db.updateTable('job').set({ run_at: site.world.now() }).where('kind', '=', 'price_change').execute()
    await work(site.world)
    for (const member of [later, resumed]) expect(await linesOf(member)).toMatchObject([{ renewal_cents: 14_900 }])
    expect(await linesOf(earlier)).toMatchObject([{ renewal_cents: 9900, announced: { renewal_cents: 12_900 } }])
  })
})

describe('17.46 a member who was on hold during a price change', () => {
  it('pays a lower price from the charge of that day on, and the email names that day', async () => {
    const member = await newMember(site)
    await putOnHold(site.world, member.id, 'staff')
    await changePrice(site.world, { ...rise, new_cents: 8_000 })
    await pass(site, 40)
    await liftHold(site.world, member.id)
    await work(site.world)
    expect(await amountsOf(member)).toEqual([8_000])
    const told = (await emailsTo(site, member.email)).find(({ subject }) => subject === 'You pay less from now on')
    expect(told?.body).toContain(`Your next charge, on ${longDay(todayOf(site.world))}, is at the new price.`)
  })

  it('is told on the day of the charge, 30 days before the next one', async () => {
    const member = await newMember(site)
    await putOnHold(site.world, member.id, 'staff')
    await changePrice(site.world, rise)
    await pass(site, 32)
    while (daysUntil(site, periodStart(todayOf(site.world), 1)) !== 30) site.advance(DAY)
    await liftHold(site.world, member.id)
    await work(site.world)
    expect(await amountsOf(member)).toEqual([9900])
    expect(await noticesTo(member)).toHaveLength(1)
  })

  it('is told on the day of the release if the paid month goes on', async () => {
    const [member, other] = [await newMember(site), await newMember(site)]
    await pass(site, 2)
    await putOnHold(site.world, member.id, 'staff')
    await changePrice(site.world, rise)
    await pass(site, 5)
    await liftHold(site.world, member.id)
    await work(site.world)
    const renews_on = periodStart(member.joined_on, 1)
    expect(await noticesTo(member)).toMatchObject([{ subject: `Your price changes on ${longDay(renews_on)}` }])
    await pass(site, daysUntil(site, renews_on))
    expect([await amountsOf(member), await amountsOf(other)]).toEqual([[12_900], [12_900]])
  })

  it.each([
    ['canceled first', [cancel, raisePrice, hold, resume, liftHold]],
    ['put on hold first', [hold, raisePrice, cancel, liftHold, resume]],
  ])('pays the new price after one email, even if they also canceled: %s', async (_, steps) => {
    const member = await newMember(site)
    for (const step of steps) {
      await step(site.world, member.id)
      await pass(site, 2)
    }
    await pass(site, daysUntil(site, periodStart(member.joined_on, 2)))
    expect(await noticesTo(member)).toHaveLength(1)
    expect((await amountsOf(member)).at(-1)).toBe(12_900)
  })
})
const hold = (world: World, member_id: string) => putOnHold(world, member_id, 'staff')
const raisePrice = (world: World) => changePrice(world, rise)

describe('17.42 a member who was told of a higher price', () => {
  it('is told again before paying it if they were on hold on its day', async () => {
    const member = await toldMember()
    await putOnHold(site.world, member.id, 'staff')
    await pass(site, 100)
    await liftHold(site.world, member.id)
    await work(site.world)
    expect(await amountsOf(member)).toEqual([9900])
    const next = periodStart(await startOfNewest(member), 1)
    await pass(site, daysUntil(site, next))
    const [again] = await noticesTo(member)
    expect(again?.subject).toBe(`Your price changes on ${longDay(next)}`)
    expect(await amountsOf(member)).toEqual([9900, 12_900])
  })

  it('is told again if the first month at it is waived, and the email names the month after it', async () => {
    const member = await toldMember()
    await waivePeriod(site.world, member.id)
    const first = periodStart(member.joined_on, 2)
    await pass(site, daysUntil(site, first))
    const notices = await noticesTo(member)
    expect(notices[0]?.subject).toBe(`Your price changes on ${longDay(first)}`)
    expect(notices).toHaveLength(2)
    expect(await amountsOf(member)).toEqual([12_900])
  })
})

it('17.44 the email about a higher price never names a waived month', async () => {
  const member = await newMember(site)
  await pass(site, 5)
  await waivePeriod(site.world, member.id)
  await changePrice(site.world, rise)
  const first = periodStart(member.joined_on, 2)
  await pass(site, daysUntil(site, first))
  const notices = await noticesTo(member)
  expect(notices.map(({ subject }) => subject)).toEqual([`Your price changes on ${longDay(first)}`])
  expect(await amountsOf(member)).toEqual([12_900])
})

it('17.12 no one is told of a price while RENEWALS is off; everyone is once it’s on', async () => {
  const early = await newMember(site)
  await pass(site, 12)
  const late = await newMember(site)
  const off: World = { ...site.world, config: { ...site.world.config, RENEWALS: 'off' } }
  await changePrice(off, { ...rise, notice_days: 15 })
  await pass(site, 4, off)
  expect([await noticesTo(early), await noticesTo(late)]).toEqual([[], []])
  await pass(site, 40)
  expect([await noticesTo(early), await noticesTo(late)]).toMatchObject([[{}], [{}]])
})

const startOfNewest = async ({ id }: Member) =>
  (
    await site.db
      .selectFrom('period')
      .select('starts_on')
      .where('member_id', '=', id)
      .orderBy('n', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
  ).starts_on
