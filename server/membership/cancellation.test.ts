import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { periodStart } from '#contract/renewal.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import { viewOffice } from '#server/office/view.ts'
import { DAY, newMember, pass } from '#server/test/membership.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { todayOf } from '#server/world/time-zone.ts'
import { cancel, resume } from './cancellation.ts'
import { chargePastDue } from './card.ts'
import { liftHold, putOnHold } from './hold.ts'
import { comeBack } from './return.ts'

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())
beforeEach(async () => {
  await site.db.updateTable('membership').set({ due_at: null, state: 'ended' }).execute() // other tests' members
})

const join = async (cc_number: string = cards.good) => (await newMember(site, { cc_number })).id
const officeOf = async (id: string) => (await viewOffice(site.world, id)).membership

it('17.43 the dialog names the day until which a member has paid, and a past-due membership ends immediately', async () => {
  const [paid, unpaid] = [await join(), await join(cards.renewalNoFunds)]
  await pass(site, 31)
  const { renews_on, cancel_ends_on } = await officeOf(paid)
  expect(cancel_ends_on).toBe(renews_on)
  const pastDue = await officeOf(unpaid)
  expect([pastDue.state, pastDue.cancel_ends_on]).toEqual(['past_due', undefined])
  await cancel(site.world, unpaid, { shown_end: '' })
  expect(await officeOf(unpaid)).toMatchObject({ is_over: true, state: 'ended' })
})

it('17.43 a cancellation is refused if the dialog named a different day', async () => {
  const id = await join()
  const { cancel_ends_on: shown_end = '' } = await officeOf(id)
  await cancel(site.world, id, { shown_end })
  await resume(site.world, id)
  await pass(site, 31)
  await expect(cancel(site.world, id, { shown_end })).rejects.toThrow('has changed')
  expect((await officeOf(id)).cancelled_on).toBeUndefined()
  await cancel(site.world, id, { shown_end: periodStart(shown_end, 1) })
})

it('17.43 a canceled membership keeps its last day, even while renewals are switched off', async () => {
  const id = await join()
  await cancel(site.world, id)
  const { renews_on } = await officeOf(id)
  site.advance((Date.parse(renews_on) - Date.parse(todayOf(site.world))) / 1000)
  const off = { ...site.world, config: { ...site.world.config, RENEWALS: 'off' as const } }
  expect((await viewOffice(off, id)).membership).toMatchObject({ renews_on, is_over: false })
})

it('17.43 after a time without charges there is nothing paid to wait for: canceling ends it immediately', async () => {
  const id = await join()
  site.advance(45 * DAY)
  expect((await officeOf(id)).cancel_ends_on).toBeUndefined()
  await cancel(site.world, id, { shown_end: '' })
  expect(await officeOf(id)).toMatchObject({ is_over: true, state: 'ended' })
})

it('17.43 a membership canceled on hold ends with the paid month, and its member can come back', async () => {
  const id = await join()
  await putOnHold(site.world, id, 'dispute')
  await cancel(site.world, id)
  await pass(site, 33)
  expect(await officeOf(id)).toMatchObject({ is_over: true, state: 'ended', is_on_hold: false })
  await comeBack(site.world, id, { shown_price: '99.00' })
  expect(await officeOf(id)).toMatchObject({ is_over: false, state: 'active' })
})

it('17.43 a canceled membership that is put on hold also ends, and its member can come back', async () => {
  const id = await join()
  await cancel(site.world, id)
  await putOnHold(site.world, id, 'dispute')
  await pass(site, 33)
  expect(await officeOf(id)).toMatchObject({ is_over: true, is_on_hold: false, state: 'ended' })
  expect(await comeBack(site.world, id, { shown_price: '99.00' })).toBe('Approved')
})

it('17.43 a new card right after downtime pays for a month from today, not for one that is over', async () => {
  const id = await join(cards.renewalDeclinedOnce)
  await pass(site, 31)
  expect((await officeOf(id)).state).toBe('past_due')
  await putOnHold(site.world, id, 'staff')
  await site.advance(40 * DAY)
  await liftHold(site.world, id)
  await chargePastDue(site.world, id)
  expect(await officeOf(id)).toMatchObject({ state: 'active', renews_on: periodStart(todayOf(site.world), 1) })
})
