import { plainDay } from '#contract/days.ts'
import { addDays, MONTHS, NOTICE_DAYS, periodStart } from '#contract/renewal.ts'
import { firstDayFrom, MAX_FREE_DAYS, movedRenewal } from '#contract/renewal-day.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { addEvent } from '#server/events/events.ts'
import { addJob } from '#server/jobs/queue.ts'
import { Refusal, refuseFields } from '#server/refusal.ts'
import { todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { dueAt } from './due.ts'
import { type Anchor, startsOn } from './next-step.ts'
import { noticeTomorrow } from './notify.ts'
import { firstPeriodFrom, untold } from './prices.ts'
import { lockMembership, updateMembership, updatePeriod } from './rows.ts'
import { seenState } from './state.ts'
import { requireUndisturbed } from './waive.ts'

type NewDay = {
  day_of_month: number
  /** The next renewal, as it was shown before. */
  shown_on: string
  /** Staff give more free days than usual. */
  may_exceed?: boolean
}

/**
 * Moves the day on which a membership renews. The running period lasts until the first such day after what is paid: no day
 * is paid twice, and the days in between are free. The lock decides between this and a renewal that begins at the same moment.
 */
export const moveRenewalDay = (world: World, member_id: string, { day_of_month, shown_on, may_exceed }: NewDay) =>
  inTransaction(world.db, async (db) => {
    const membership = await lockMembership(db, member_id)
    const { period } = membership
    await requireUndisturbed({ ...world, db }, membership)
    if (membership.period_state === 'due')
      throw new Refusal(409, 'The running period is not paid yet. Waive it first, or wait for the next try.')
    const today = todayOf(world)
    const ends_on = startsOn(membership, period + 1)
    if (dayOf(membership.anchor_on) === day_of_month) throw new Refusal(409, 'This is the renewal day already.')
    const paid_until = addDays(ends_on, -membership.free_days)
    const { starts_on, free_days } = movedRenewal({ paid_until, today }, day_of_month)
    if (starts_on !== shown_on) throw new Refusal(409, 'The membership has changed meanwhile. Please reload the page.')
    const inYear = free_days + (await freeDaysGiven(db, member_id, today, period))
    if (inYear > MAX_FREE_DAYS && !may_exceed)
      throw refuseFields({
        day_of_month: `That makes ${inYear} free days in the past 12 months, and the limit is ${MAX_FREE_DAYS}. Choose a day closer to ${plainDay(paid_until)}, or check the box to give more.`,
      })
    await updatePeriod(db, member_id, period, { ends_on: starts_on, free_days })
    const anchor = anchorFor(membership, period + 1, starts_on, day_of_month)
    const moved = { ...membership, ...anchor }
    const isSoon = (from_on: string) => firstPeriodFrom(moved, from_on) <= addDays(today, NOTICE_DAYS)
    await updateMembership(db, member_id, {
      ...anchor,
      lines: JSON.stringify(untold(membership.lines, isSoon)),
      due_at: dueAt(world, member_id, starts_on),
      notice_at: noticeTomorrow(world, member_id),
      notified_period: null, // that email named the old day
    })
    await addEvent(db, world.now(), {
      type: 'membership.renewal_moved',
      member_id,
      payload: { renews_on: starts_on, former_renews_on: ends_on, state: seenState(membership) },
    })
    await addJob(db, 'renewal_moved', { member_id }, world.now())
    return { before: ends_on, after: starts_on, free_days }
  })

/** The free days of other periods in the past 12 months. */
export async function freeDaysGiven(db: Db, member_id: string, today: string, period: number): Promise<number> {
  const { sum } = await db
    .selectFrom('period')
    .select(({ fn }) => fn.sum<string | null>('free_days').as('sum'))
    .where('member_id', '=', member_id)
    .where('n', '<>', period)
    .where('ends_on', '>', periodStart(today, -1, 'year'))
    .executeTakeFirstOrThrow()
  return Number(sum)
}

const dayOf = (day: string) => Number(day.slice(8))
const monthOf = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7))

/**
 * The anchor when a period begins on a given day: in a month that has that day, so that a short month does not change it
 * permanently, and as early as possible, so that yearly reminders stay on schedule.
 */
export function anchorFor(
  { anchor_on, billing_interval }: Anchor,
  n: number,
  starts_on: string,
  day_of_month = dayOf(starts_on),
) {
  const step = MONTHS[billing_interval]
  const steps = Math.ceil((monthOf(starts_on) - monthOf(anchor_on)) / step) + 1
  const firstOfMonth = `${starts_on.slice(0, 7)}-01`
  const days = Array.from({ length: steps + 1 }, (_, n) =>
    firstDayFrom(periodStart(firstOfMonth, -n * step), day_of_month),
  ).filter((day) => dayOf(day) === day_of_month) // newest first
  const anchor = days.findLast((day) => day >= anchor_on) ?? days[0] ?? starts_on
  return { anchor_on: anchor, anchor_period: n - (monthOf(starts_on) - monthOf(anchor)) / step }
}
