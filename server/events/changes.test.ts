import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { EventType } from '#contract/events.ts'
import { periodStart } from '#contract/renewal.ts'
import { movedRenewal } from '#contract/renewal-day.ts'
import { operatorNames } from '#server/brand/public-names.ts'
import { inTransaction } from '#server/db/db.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import { setEmail } from '#server/members/details.ts'
import { setName } from '#server/members/name.ts'
import { setPhone } from '#server/members/phone.ts'
import { cancel, resume } from '#server/membership/cancellation.ts'
import { liftHold, putOnHold } from '#server/membership/hold.ts'
import { changePrice } from '#server/membership/price-change.ts'
import { moveRenewalDay } from '#server/membership/renewal-day.ts'
import { comeBack } from '#server/membership/return.ts'
import { waivePeriod } from '#server/membership/waive.ts'
import { reconcileHourly } from '#server/payments/books/hourly.ts'
import { newEvents } from '#server/test/events.ts'
import { memberInOffice } from '#server/test/member.ts'
import { DAY, daysUntil, newMember, pass, work } from '#server/test/membership.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember } from '#server/test/staff.ts'
import { witnessLogs } from '#server/worker/witness.ts'
import { todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'

let site: Site
beforeAll(async () => {
  site = await testSite({ AUTOSHIP: 'on' })
})
afterAll(() => site.close())
beforeEach(async () => {
  await site.db.updateTable('membership').set({ due_at: null, notice_at: null, state: 'ended' }).execute() // other tests' members
  await site.db.updateTable('package').set({ renewal_cents: 9900 }).where('product_id', '=', 34).execute()
  await newEvents(site)
})

/** What was told of a member since the last call, apart from the payments themselves. */
const told = async ({ id }: { id: string }) =>
  (await newEvents(site, id)).filter(({ type }) => !type.startsWith('payment.') && type !== 'member.joined')

const idOf = async (username: string) =>
  (await site.db.selectFrom('member').select('id').where('username', '=', username).executeTakeFirstOrThrow()).id

const sponsorOf = async (word: string) =>
  (await site.db.selectFrom('sponsor').select('id').where('site', '=', word).executeTakeFirstOrThrow()).id

async function join(changes: Record<string, string> = {}) {
  const member = await newMember(site, changes)
  await newEvents(site)
  return member
}

const until = async (days: number) => {
  site.advance(days * DAY)
  await work(site.world)
}

/** Does it and then undoes all of it. Returns the types that it had written. */
async function rolledBack(change: (world: World) => Promise<unknown>) {
  let types: string[] = []
  await inTransaction(site.db, async (db) => {
    await change({ ...site.world, db })
    types = (await newEvents({ db })).map(({ type }) => type)
    throw new Error('rolled back')
  }).catch((error: unknown) => {
    if (String(error) !== 'Error: rolled back') throw error
  })
  return types
}

it('27.7 a renewal paid, declined or waived is an event with its period, and a decline with the next try', async () => {
  const member = await join({ cc_number: cards.renewalDeclinedOnce })
  await until(daysUntil(site, '2026-12-15'))
  const [failed, ...more] = await told(member)
  const first = { reference: expect.any(String), amount: '99.00', period: 1 }
  expect(more).toEqual([])
  expect(failed).toMatchObject({
    type: 'renewal.failed',
    payload: { ...first, starts_on: '2026-12-15', ends_on: '2027-01-15', next_try_on: '2026-12-18', state: 'past_due' },
  })
  await until(3)
  expect(await told(member)).toEqual([
    { type: 'renewal.paid', payload: { ...first, starts_on: '2026-12-15', ends_on: '2027-01-15', state: 'active' } },
  ])
  await waivePeriod(site.world, member.id)
  expect(await told(member)).toEqual([])
  await until(daysUntil(site, '2027-01-15'))
  const waived = { period: 2, starts_on: '2027-01-15', ends_on: '2027-02-15', state: 'active' }
  expect(await told(member)).toEqual([{ type: 'renewal.waived', payload: waived }])
})

it('27.8 canceling, undoing that, holding, releasing, ending and coming back are events with the new state', async () => {
  const member = await join()
  const { world } = site
  await cancel(world, member.id)
  await cancel(world, member.id)
  expect(await told(member)).toEqual([
    { type: 'membership.canceled', payload: { ends_on: expect.any(String), state: 'canceled' } },
  ])
  await putOnHold(world, member.id, 'a complaint')
  await putOnHold(world, member.id, 'a complaint')
  await liftHold(world, member.id)
  await liftHold(world, member.id)
  await resume(world, member.id)
  await resume(world, member.id)
  expect(await told(member)).toEqual([
    { type: 'membership.on_hold', payload: { why: 'staff', state: 'on_hold' } },
    { type: 'membership.resumed', payload: { from: 'on_hold', state: 'canceled' } },
    { type: 'membership.resumed', payload: { from: 'canceled', state: 'active' } },
  ])
  await cancel(world, member.id)
  await until(40)
  expect((await told(member)).slice(1)).toEqual([
    { type: 'membership.ended', payload: { why: 'canceled', state: 'ended' } },
  ])
  expect(await comeBack(world, member.id, { shown_price: '99.00' })).toBe('Approved')
  expect(await told(member)).toEqual([
    { type: 'membership.resumed', payload: { from: 'ended', state: 'active' } },
    { type: 'renewal.paid', payload: expect.objectContaining({ amount: '99.00', state: 'active' }) },
  ])
})

it('27.8 a membership that stays unpaid ends, and a card that may not be tried again has no next try', async () => {
  const member = await join({ cc_number: cards.renewalStolen })
  await until(daysUntil(site, periodStart(member.joined_on, 1)))
  const [failed] = await told(member)
  expect(failed).toMatchObject({ type: 'renewal.failed', payload: { next_try_on: null, state: 'past_due' } })
  await until(14)
  expect(await told(member)).toEqual([{ type: 'membership.ended', payload: { why: 'unpaid', state: 'ended' } }])
})

it('27.8 a dispute puts the membership on hold', async () => {
  const member = await join({ cc_number: cards.renewalDisputed })
  await until(daysUntil(site, periodStart(member.joined_on, 1)))
  await newEvents(site)
  site.advance(2 * DAY)
  for (let time = 0; time < 2; time++) await reconcileHourly(site.world)
  const held = { why: 'dispute', state: 'on_hold' }
  expect((await told(member)).filter(({ type }) => type === 'membership.on_hold')).toEqual([
    { type: 'membership.on_hold', payload: held },
  ])
})

it('27.9 a change of what renews, its price or its day is an event, and an announced price when it takes effect', async () => {
  const member = await join()
  const change = { product_id: 34, notice_days: 7, reason: 'costs', who: 'Rosa' }
  await changePrice(site.world, { ...change, new_cents: 12_900 })
  const renews_on = periodStart(member.joined_on, 1)
  await pass(site, daysUntil(site, renews_on) - 1)
  expect(await told(member)).toEqual([])
  await pass(site, 1)
  const packages = (price: string) => [{ product_id: 34, price }]
  const raised = { price: '129.00', former_price: '99.00', packages: packages('129.00'), state: 'active' }
  expect(await told(member)).toEqual([
    { type: 'membership.price_changed', payload: raised },
    { type: 'renewal.paid', payload: expect.objectContaining({ amount: '129.00' }) },
  ])
  await changePrice(site.world, { ...change, new_cents: 8900 })
  await work(site.world)
  const lowered = { price: '89.00', former_price: '129.00', packages: packages('89.00'), state: 'active' }
  expect(await told(member)).toEqual([{ type: 'membership.price_changed', payload: lowered }])
  const paid_until = periodStart(member.joined_on, 2)
  const { starts_on } = movedRenewal({ paid_until, today: todayOf(site.world) }, 20)
  await moveRenewalDay(site.world, member.id, { day_of_month: 20, shown_on: starts_on })
  const moved = { renews_on: starts_on, former_renews_on: paid_until, state: 'active' }
  expect(await told(member)).toEqual([{ type: 'membership.renewal_moved', payload: moved }])
})

it('27.10 a change of details names the fields, an erasure only the member', async () => {
  const support = await staffMember(site, 'owner')
  const { username, cookie } = await memberInOffice(site, { first_name: 'Mara', last_name: 'Lind' })
  const member = { id: await idOf(username) }
  await newEvents(site)
  const name = { username, first_name: 'Mara', last_name: 'Sol', business_name: '' }
  for (let time = 0; time < 2; time++) await site.post('office/name', name, { cookie })
  expect(await told(member)).toEqual([{ type: 'member.changed', payload: { fields: ['last_name'] } }])
  const { postal, ...page } = (await support.get(`members/${member.id}`)).json()
  const { details_version: version, first_name, last_name, business_name = '', email, mobile_phone } = page
  const details = { version, first_name, last_name, business_name, email, mobile_phone, ...postal }
  const changed = { ...details, member_id: member.id, city: 'Tonopah', mobile_phone: '+12025550188' }
  const reply = await support.post('members/details', changed)
  expect(reply.statusCode, reply.body).toBe(200)
  expect(await told(member)).toEqual([
    { type: 'member.changed', payload: { fields: ['city'] } },
    { type: 'member.changed', payload: { fields: ['mobile_phone'] } },
  ])
  await work(site.world)
  const erased = await support.post('members/erase', { member_id: member.id, username, reason: 'asked for it' })
  expect(erased.statusCode, erased.body).toBe(200)
  expect((await told(member)).map(({ type }) => type)).toEqual(['membership.ended', 'member.erased'])
})

it('27.11 a move to a different sponsor and a new link are events with the former one', async () => {
  const owner = await staffMember(site, 'owner')
  const { username, password, cookie } = await memberInOffice(site, { sponsor_site_name: 'ana' })
  const member = { id: await idOf(username) }
  await newEvents(site)
  const move = { member_id: member.id, sponsor_site: 'bluepier', reason: 'signed up at her table' }
  for (let time = 0; time < 2; time++) await owner.post('members/sponsor', move)
  const [ana, bluepier, own] = await Promise.all(['ana', 'bluepier', username].map(sponsorOf))
  const moved = { sponsor_id: bluepier, former_sponsor_id: ana }
  expect(await told(member)).toEqual([{ type: 'sponsor.moved', payload: moved }])
  const fresh = `new${username}`
  await site.post('office/username', { username: fresh, current_password: password }, { cookie })
  const renamed = { sponsor_id: await sponsorOf(fresh), former_sponsor_id: own }
  expect(await told(member)).toEqual([
    { type: 'member.changed', payload: { fields: ['username'] } },
    { type: 'sponsor.renamed', payload: renamed },
  ])
  const { version } = (await owner.get(`sponsors/${bluepier}`)).json()
  const rename = { sponsor_id: bluepier, site: 'greenpier', version, reason: 'new brand' }
  expect((await owner.post('sponsors/rename', rename)).statusCode).toBe(200)
  const house = { sponsor_id: bluepier, former_sponsor_id: bluepier }
  expect(await newEvents(site)).toEqual([{ type: 'sponsor.renamed', payload: house }])
})

it('27.12 the audit log’s seal is an event once a day, however many processes there are', async () => {
  await staffMember(site, 'owner')
  site.advance(2 * DAY)
  await newEvents(site)
  const processes = [1, 2].map(() => ({ ...site.world, keys: { ...site.world.keys } }))
  for (const process of processes) await witnessLogs(process)
  const seal = { position: expect.any(Number), hash: expect.any(String) }
  expect(await newEvents(site)).toEqual([{ type: 'audit.sealed', payload: seal }])
})

it('27.1 a change that is rolled back leaves no event', async () => {
  const { id } = await join()
  const { enrollment_id } = await site.db
    .selectFrom('member')
    .select('enrollment_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const names = { first_name: 'Zoe', last_name: 'Sol', business_name: '' }
  const unconfirmed = { email_confirmed_at: null, who: 'team' as const }
  const changes: [types: EventType[], change: (world: World) => Promise<unknown>][] = [
    [['membership.canceled'], (world) => cancel(world, id)],
    [['membership.on_hold'], (world) => putOnHold(world, id, 'a complaint')],
    [['membership.canceled', 'membership.resumed'], (world) => cancel(world, id).then(() => resume(world, id))],
    [['member.changed'], async (world) => setName(world, id, names, await operatorNames(world))],
    [['member.changed'], (world) => setPhone(world, id, '+12025550177', 'team')],
    [['member.changed'], (world) => setEmail(world, id, `${enrollment_id}@mail.example`, unconfirmed)],
  ]
  for (const [types, change] of changes) expect(await rolledBack(change)).toEqual(types)
  expect(await newEvents(site)).toEqual([])
})
