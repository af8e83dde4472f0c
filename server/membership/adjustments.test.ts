import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addDays } from '#contract/renewal.ts'
import { firstDayFrom, movedRenewal } from '#contract/renewal-day.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import { viewOffice } from '#server/office/view.ts'
import { isPostgres } from '#server/test/database.ts'
import { emailsTo } from '#server/test/member.ts'
import { DAY, newMember, pass } from '#server/test/membership.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { cancel } from './cancellation.ts'
import { putOnHold } from './hold.ts'
import { renewMemberships } from './membership.ts'
import { moveRenewalDay } from './renewal-day.ts'
import { waivePeriod } from './waive.ts'

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())
beforeEach(async () => {
  await site.db.updateTable('membership').set({ due_at: null, notice_at: null, state: 'ended' }).execute() // other tests' members
})

async function join(changes: Record<string, string> = {}) {
  const member = await newMember(site, changes)
  return { ...member, anchor_on: (await membershipOf(member.id)).anchor_on }
}

const membershipOf = (member_id: string) =>
  site.db.selectFrom('membership').selectAll().where('member_id', '=', member_id).executeTakeFirstOrThrow()

const periodsOf = async (member_id: string) =>
  (
    await site.db
      .selectFrom('period')
      .select(['n', 'starts_on', 'ends_on', 'state'])
      .where('member_id', '=', member_id)
      .orderBy('n')
      .execute()
  ).map(({ starts_on, ends_on, state }) => ({ starts_on, ends_on, state }))

/** The golden rule: each period begins on the day on which the one before ends, and none is charged twice. */
async function expectNoGapOrOverlap(member_id: string) {
  const periods = await periodsOf(member_id)
  for (const [n, { starts_on }] of periods.entries()) if (n) expect(starts_on).toBe(periods[n - 1]?.ends_on)
  const charges = await site.db
    .selectFrom('payment')
    .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .select('period')
    .where('member.id', '=', member_id)
    .where('payment.state', '=', 'captured')
    .execute()
  const charged = charges.map(({ period }) => period)
  expect(new Set(charged).size).toBe(charged.length)
  const paid = periods.flatMap(({ state }, n) => (state === 'paid' ? [n] : []))
  expect(charged.sort((a, b) => a - b)).toEqual(paid)
}

describe('waiving a period', () => {
  it('19.34 the next period is not charged, the one after it is, and the member is told', async () => {
    const { id, email } = await join()
    const { starts_on, ends_on } = await waivePeriod(site.world, id)
    expect((await emailsTo(site, email, 'A month without a charge'))[0]?.body).toContain(
      'You pay nothing for the month from',
    )
    const { membership } = await viewOffice(site.world, id)
    expect(membership.waived).toEqual({ starts_on, ends_on })
    await expect(waivePeriod(site.world, id)).rejects.toThrow('One at a time.')
    await pass(site, 70)
    expect((await periodsOf(id)).map(({ state }) => state)).toEqual(['paid', 'waived', 'paid'])
    expect((await viewOffice(site.world, id)).membership.waived).toBe(undefined)
    await expectNoGapOrOverlap(id)
    await waivePeriod(site.world, id)
  })

  it('19.34 after a declined charge, the running period is waived and the member is active again', async () => {
    const { id } = await join({ cc_number: cards.renewalNoFunds })
    await pass(site, 32)
    expect((await membershipOf(id)).state).toBe('past_due')
    await waivePeriod(site.world, id)
    expect(await membershipOf(id)).toMatchObject({ state: 'active', declines: 0, waived_period: null })
    expect((await periodsOf(id)).map(({ state }) => state)).toEqual(['paid', 'waived'])
    await pass(site, 5)
    expect((await membershipOf(id)).state).toBe('active')
  })

  it('19.34 is refused where nothing would be charged', async () => {
    const { id } = await join()
    await putOnHold(site.world, id, 'a test')
    await expect(waivePeriod(site.world, id)).rejects.toThrow('on hold')
    const other = await join()
    await cancel(site.world, other.id)
    await expect(waivePeriod(site.world, other.id)).rejects.toThrow('does not renew')
  })

  it('19.34 is refused while a charge has no answer', async () => {
    const { id } = await join({ cc_number: cards.renewalNoFunds })
    await pass(site, 32)
    const { payment } = site.world
    const { charge } = payment
    payment.charge = async () => ({ outcome: 'unknown' })
    site.advance(4 * DAY)
    await renewMemberships(site.world)
    payment.charge = charge
    await expect(waivePeriod(site.world, id)).rejects.toThrow('A charge is under way.')
  })

  it.runIf(isPostgres)(
    '19.34 against a charge that is tried at the same moment, a period is either paid or waived',
    async () => {
      const outcomes = new Set<string | undefined>()
      for (let round = 0; round < 6; round++) {
        const { id } = await join({ cc_number: cards.renewalDeclinedOnce })
        await pass(site, 31)
        site.advance(4 * DAY)
        const waive = () => waivePeriod(site.world, id)
        await Promise.allSettled(
          round % 2 ? [renewMemberships(site.world), waive()] : [waive(), renewMemberships(site.world)],
        )
        await pass(site, 1)
        outcomes.add((await periodsOf(id))[1]?.state)
        await expectNoGapOrOverlap(id)
        await site.db
          .updateTable('membership')
          .set({ due_at: null, state: 'ended' })
          .where('member_id', '=', id)
          .execute()
      }
      expect([...outcomes].filter((state) => state !== 'paid' && state !== 'waived')).toEqual([])
    },
  )
})

describe('moving the renewal day', () => {
  const moveTo = async (member_id: string, day_of_month: number) => {
    const { ends_on, free_days } = await site.db
      .selectFrom('period')
      .select(['ends_on', 'free_days'])
      .where('member_id', '=', member_id)
      .orderBy('n', 'desc')
      .executeTakeFirstOrThrow()
    const today = site.world.now().toISOString().slice(0, 10)
    const { starts_on: shown_on } = movedRenewal({ paid_until: addDays(ends_on, -free_days), today }, day_of_month)
    await moveRenewalDay(site.world, member_id, { day_of_month, shown_on })
    return shown_on
  }

  it('19.35 the running period lasts until the new day, and the member is told', async () => {
    const { id, email, anchor_on } = await join()
    const day = (Number(anchor_on.slice(8)) % 28) + 5 > 28 ? 3 : (Number(anchor_on.slice(8)) % 28) + 5
    const next = await moveTo(id, day)
    expect((await viewOffice(site.world, id)).membership.renews_on).toBe(next)
    expect(await emailsTo(site, email, 'We moved your renewal date')).toHaveLength(1)
    await expect(moveTo(id, day)).rejects.toThrow('already')
    await pass(site, 130)
    const periods = await periodsOf(id)
    expect(periods.length).toBeGreaterThan(3)
    expect(periods.slice(1).map(({ starts_on }) => Number(starts_on.slice(8)))).toEqual(periods.slice(1).map(() => day))
    await expectNoGapOrOverlap(id)
  })

  it('19.35 several times, and together with a waived period, leaves no gap and charges no day twice', async () => {
    const { id } = await join()
    await moveTo(id, 31)
    await waivePeriod(site.world, id)
    await moveTo(id, 30)
    await pass(site, 75)
    await moveTo(id, 12)
    await pass(site, 60)
    await expectNoGapOrOverlap(id)
    expect((await periodsOf(id)).map(({ state }) => state).slice(0, 3)).toEqual(['paid', 'waived', 'paid'])
  })

  const daysBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 1000 / DAY
  const dayBefore = (day: string) => Number(addDays(day, -1).slice(8))

  it('19.35 again and again counts from the day until which the member has paid, so the free days don’t add up', async () => {
    const { id } = await join()
    const paid_until = (await periodsOf(id))[0]?.ends_on ?? ''
    const moved = await moveTo(id, dayBefore(paid_until))
    expect(daysBetween(paid_until, moved)).toBeGreaterThan(26)
    const shown_on = firstDayFrom(paid_until, dayBefore(moved))
    await moveRenewalDay(site.world, id, { day_of_month: dayBefore(moved), shown_on })
    expect((await periodsOf(id))[0]?.ends_on).toBe(shown_on)
    expect(daysBetween(paid_until, shown_on)).toBeLessThan(31)
    await moveRenewalDay(site.world, id, { day_of_month: Number(paid_until.slice(8)), shown_on: paid_until })
    expect((await periodsOf(id))[0]?.ends_on, 'moved back').toBe(paid_until)
  })

  it('19.35 gives at most 31 free days in 12 months, unless staff ask for more', async () => {
    const { id } = await join()
    const move = async (may_exceed = false) => {
      const { ends_on } = (await periodsOf(id)).at(-1) ?? { ends_on: '' }
      const day_of_month = dayBefore(ends_on)
      await moveRenewalDay(site.world, id, { day_of_month, shown_on: firstDayFrom(ends_on, day_of_month), may_exceed })
    }
    await move()
    await pass(site, 65)
    await expect(move()).rejects.toMatchObject({
      details: {
        fields: {
          day_of_month: [expect.stringMatching(/the limit is 31\. Choose a day closer to /)],
        },
      },
    })
    await move(true)
    await pass(site, 65)
    await expectNoGapOrOverlap(id)
  })

  it('19.35 is refused if the page has shown another day, or the running period is not paid', async () => {
    const { id } = await join()
    const stale = { day_of_month: 9, shown_on: '2020-01-09' }
    await expect(moveRenewalDay(site.world, id, stale)).rejects.toThrow('changed meanwhile')
    const declined = await join({ cc_number: cards.renewalNoFunds })
    await pass(site, 32)
    await expect(moveTo(declined.id, 9)).rejects.toThrow('not paid yet')
  })

  it.runIf(isPostgres)('19.35 of several changes at once, each is made after the other or refused', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await join()
      const changes = [moveTo(id, 20), moveTo(id, 8), waivePeriod(site.world, id), renewMemberships(site.world)]
      await Promise.allSettled(changes)
      await pass(site, 75)
      await expectNoGapOrOverlap(id)
      expect((await periodsOf(id)).filter(({ state }) => state === 'waived')).toHaveLength(1)
      await site.db
        .updateTable('membership')
        .set({ due_at: null, state: 'ended' })
        .where('member_id', '=', id)
        .execute()
    }
  })
})
