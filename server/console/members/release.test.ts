import { afterAll, beforeAll, expect, it } from 'vitest'
import type { MemberPage } from '#contract/console/member-page.ts'
import { addDays, periodStart } from '#contract/renewal.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import { liftHold, putOnHold } from '#server/membership/hold.ts'
import { waivePeriod } from '#server/membership/waive.ts'
import { daysUntil, newMember, pass, work } from '#server/test/membership.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { viewMember } from './member-page.ts'

/** What the console says before a hold is released, and what happens then. */

let site: Site
beforeAll(async () => {
  site = await testSite({ AUTOSHIP: 'on' })
})
afterAll(() => site.close())

type Member = Awaited<ReturnType<typeof newMember>>
const until = (day: string) => pass(site, daysUntil(site, day))
const hold = ({ id }: Member) => putOnHold(site.world, id, 'asked by phone')

async function release({ id }: Member) {
  const before: MemberPage = await viewMember(site.world, id)
  await liftHold(site.world, id)
  await work(site.world)
  const after: MemberPage = await viewMember(site.world, id)
  const charges = after.payments.length - before.payments.length
  return { said: before.membership.on_release, charges, state: after.membership.state }
}

it('19.25 releasing a hold says that a new month is charged, and charges it', async () => {
  const member = await newMember(site)
  await hold(member)
  await until(periodStart(member.joined_on, 1))
  expect(await release(member)).toEqual({ said: { step: 'begin' }, charges: 1, state: 'active' })
})

it('19.25 releasing a hold between two tries names the day of the next one', async () => {
  const member = await newMember(site, { cc_number: cards.renewalNoFunds })
  const starts_on = periodStart(member.joined_on, 1)
  await until(addDays(starts_on, 1))
  await hold(member)
  await pass(site, 1)
  const said = { step: 'wait', until: addDays(starts_on, 3) }
  expect(await release(member)).toEqual({ said, charges: 0, state: 'past_due' })
  await hold(member)
  await pass(site, 1)
  expect(await release(member)).toMatchObject({ said: { step: 'retry' }, charges: 1 })
})

it('19.25 releasing a hold says when the membership ends because the card can’t be charged anymore', async () => {
  const member = await newMember(site, { cc_number: cards.renewalNoFunds })
  const starts_on = periodStart(member.joined_on, 1)
  await until(addDays(starts_on, 1))
  const change = { never_retry_since: site.world.now() }
  await site.db.updateTable('membership').set(change).where('member_id', '=', member.id).execute()
  await hold(member)
  const said = { step: 'end', until: addDays(starts_on, 14) }
  expect(await release(member)).toEqual({ said, charges: 0, state: 'past_due' })
  await hold(member)
  await until(addDays(starts_on, 15))
  expect(await release(member)).toEqual({ said: { step: 'end' }, charges: 0, state: 'ended' })
})

it('19.25 releasing a hold in a waived month says that nothing is charged', async () => {
  const member = await newMember(site)
  await waivePeriod(site.world, member.id)
  await hold(member)
  await until(addDays(periodStart(member.joined_on, 1), 2))
  expect(await release(member)).toEqual({ said: { step: 'waive' }, charges: 0, state: 'active' })
})

it('19.25 releasing a hold says that only the package next to a membership paid once stops', async () => {
  const price = { billing_interval: 'once', renewal_cents: 0 } as const
  await site.db.updateTable('package').set(price).where('product_id', '=', 34).execute()
  const member = await newMember(site, { autoship_product_ids: '41', cc_number: cards.renewalStolen })
  const starts_on = periodStart(member.joined_on, 1)
  await until(addDays(starts_on, 1))
  await hold(member)
  const said = { step: 'stop', until: addDays(starts_on, 14) }
  expect(await release(member)).toEqual({ said, charges: 0, state: 'past_due' })
  await until(addDays(starts_on, 15))
  expect((await viewMember(site.world, member.id)).membership).toMatchObject({ state: 'active', lines: [] })
})
