import { MONTHS, periodStart } from '#contract/renewal.ts'
import { firstDayFrom } from '#contract/renewal-day.ts'
import { inTransaction } from '#server/db/db.ts'
import { addJob } from '#server/jobs/queue.ts'
import { Refusal } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import { dueAt } from './due.ts'
import { type Anchor, startsOn } from './next-step.ts'
import { noticeTomorrow } from './notify.ts'
import { lockMembership, updateMembership } from './rows.ts'
import { requireUndisturbed } from './waive.ts'

type NewDay = { day_of_month: number /** The next renewal, as it was shown before. */; shown_on: string }

/**
 * Moves the day on which a membership renews. The running period lasts until the first such day after its end: no day is paid
 * twice, and the days in between are free. The lock decides between this and a renewal that begins at the same moment.
 */
export const moveRenewalDay = (world: World, member_id: string, { day_of_month, shown_on }: NewDay) =>
  inTransaction(world.db, async (db) => {
    const membership = await lockMembership(db, member_id)
    await requireUndisturbed({ ...world, db }, membership)
    if (membership.period_state === 'due')
      throw new Refusal(409, 'The running period is not paid yet. Waive it first, or wait for the next try.')
    const ends_on = startsOn(membership, membership.period + 1)
    if (dayOf(membership.anchor_on) === day_of_month) throw new Refusal(409, 'This is the renewal day already.')
    const { starts_on, ...anchor } = movedAnchor(membership, day_of_month)
    if (starts_on !== shown_on) throw new Refusal(409, 'The membership has changed meanwhile. Please reload the page.')
    await db
      .updateTable('period')
      .set({ ends_on: starts_on })
      .where('member_id', '=', member_id)
      .where('n', '=', membership.period)
      .execute()
    const due_at = dueAt(world, member_id, starts_on)
    await updateMembership(db, member_id, { ...anchor, due_at, notice_at: noticeTomorrow(world, member_id) })
    await addJob(db, 'renewal_moved', { member_id }, world.now())
    return { before: ends_on, after: starts_on }
  })

const dayOf = (day: string) => Number(day.slice(8))
const monthOf = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7))

/** After the renewal day is moved: the first day of the next period, and the anchor that periods are counted from. */
export function movedAnchor(membership: Anchor & { period: number }, day_of_month: number) {
  const n = membership.period + 1
  const starts_on = firstDayFrom(startsOn(membership, n), day_of_month)
  return { starts_on, ...anchorFor(membership, n, starts_on, day_of_month) }
}

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
