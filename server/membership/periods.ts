import { renewalTotal } from '#contract/renewal.ts'
import type { Db } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import { addJob } from '#server/jobs/queue.ts'
import { todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { addPriceChanged, addWaived } from './membership-events.ts'
import { type Anchor, runningPeriod, startsOn } from './next-step.ts'
import { noticeTomorrow } from './notify.ts'
import { linesDue, linesOn, priceOn, untold } from './prices.ts'
import { anchorFor } from './renewal-day.ts'
import { type LockedMembership, updateMembership, updatePeriod } from './rows.ts'

/**
 * Begins a period today. On the renewal day, that is the next one. If we couldn't charge until later, the missed time is
 * waived and the renewal day moves to today, so that two charges are never less than a period apart.
 */
export async function beginPeriod(world: World, membership: LockedMembership): Promise<LockedMembership> {
  const { db } = world
  const { member_id } = membership
  const today = todayOf(world)
  const { running, isRenewalDay, missed_from, lines } = periodBegun(membership, today)
  const n = isRenewalDay ? running : running + 1
  if (missed_from === today) return addPeriod(world, membership, n)

  await waiveUntil(world, membership, today)
  const anchor: Anchor = isRenewalDay ? membership : { ...membership, ...anchorFor(membership, n, today) }
  const { anchor_on, anchor_period } = anchor
  await updateMembership(db, member_id, { anchor_on, anchor_period, notice_at: noticeTomorrow(world, member_id) })
  return addPeriod(world, { ...membership, anchor_on, anchor_period, lines }, n, { missed_from })
}

type Beginning = Anchor & Pick<LockedMembership, 'period' | 'period_state' | 'missed_from' | 'lines'>

function periodBegun(membership: Beginning, today: string) {
  const { period, period_state } = membership
  const running = runningPeriod(membership, today)
  const isRenewalDay = startsOn(membership, running) === today
  const missed_from = membership.missed_from ?? startsOn(membership, period_state === 'due' ? period : period + 1)
  const lines =
    missed_from === today ? membership.lines : untold(membership.lines, (from_on) => isRenewalDay && from_on >= today)
  return { running, isRenewalDay, missed_from, lines }
}

/** What a period that begins today costs. */
export const priceToBegin = (membership: Beginning, today: string): number =>
  priceOn(periodBegun(membership, today).lines, today)

/** Emails a member we couldn't charge on time, once a bank has answered: until then, the period may begin on a later day. */
export async function announceResumed({ db, now }: World, membership: LockedMembership): Promise<void> {
  const { member_id, period, missed_from } = membership
  if (!missed_from) return
  const is_moved = startsOn(membership, runningPeriod(membership, missed_from)) !== missed_from
  const payload = { member_id, missed_from, starts_on: startsOn(membership, period), is_moved }
  await addJob(db, 'charging_resumed', payload, now())
  await updatePeriod(db, member_id, period, { missed_from: null })
}

type Context = Pick<World, 'db' | 'now'>

/** Nothing is owed for the time before a day: the unpaid period and those that should have followed it. */
async function waiveUntil(context: Context, membership: LockedMembership, day: string): Promise<void> {
  const { db } = context
  const { member_id, period, lines } = membership
  const end = (n: number) => (startsOn(membership, n + 1) < day ? startsOn(membership, n + 1) : day)
  const tell = (n: number) =>
    addWaived(context, membership, { period: n, starts_on: startsOn(membership, n), ends_on: end(n) })
  if (membership.period_state === 'due') {
    await updatePeriod(db, member_id, period, { state: 'waived', ends_on: end(period), missed_from: null })
    await tell(period)
  }
  for (let n = period + 1; startsOn(membership, n) < day; n++) {
    await db
      .insertInto('period')
      .values({
        member_id,
        n,
        starts_on: startsOn(membership, n),
        ends_on: end(n),
        amount_cents: renewalTotal(lines),
        lines: JSON.stringify(lines),
        state: 'waived',
      })
      .execute()
    await tell(n)
  }
}

/** Writes a period at the prices of the day on which it begins. It becomes the newest. */
export async function addPeriod(
  context: Context,
  membership: LockedMembership,
  n: number,
  { state = 'due', missed_from = null }: Partial<Pick<Tables['period'], 'state' | 'missed_from'>> = {},
): Promise<LockedMembership> {
  const { db } = context
  const { member_id } = membership
  const starts_on = startsOn(membership, n)
  const lines = linesOn(membership.lines, starts_on)
  await db
    .insertInto('period')
    .values({
      member_id,
      n,
      starts_on,
      ends_on: startsOn(membership, n + 1),
      amount_cents: renewalTotal(lines),
      lines: JSON.stringify(lines),
      state,
      missed_from,
    })
    .execute()
  await updateMembership(db, member_id, { period: n, declines: 0, lines: JSON.stringify(lines) })
  await addPriceChanged(context, membership, { before: membership.lines, after: lines })
  const newest = { period_state: state, period_lines: lines, missed_from, free_days: 0 }
  return { ...membership, ...newest, period: n, declines: 0, lines }
}

/** Updates what the newest period costs, and returns it. */
export async function pricePeriod(db: Db, membership: LockedMembership): Promise<number> {
  const lines = linesDue(membership.period_lines, membership.lines)
  const amount_cents = renewalTotal(lines)
  await updatePeriod(db, membership.member_id, membership.period, { amount_cents, lines: JSON.stringify(lines) })
  return amount_cents
}
