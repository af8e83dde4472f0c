import { inTransaction } from '#server/db/db.ts'
import { addJob } from '#server/jobs/queue.ts'
import { Refusal } from '#server/refusal.ts'
import { todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { dueAt } from './due.ts'
import { addWaived } from './membership-events.ts'
import { startsOn } from './next-step.ts'
import { noticeTomorrow } from './notify.ts'
import { untold } from './prices.ts'
import { hasOpenCharge, type LockedMembership, lockMembership, setPeriod, updateMembership } from './rows.ts'

export type WaivedPeriod = { n: number; starts_on: string; ends_on: string }

/**
 * The next period that would be charged costs nothing: the running one if its charge was declined, or else the one that
 * follows. One at a time. The lock decides between this and a renewal that begins at the same moment.
 */
export const waivePeriod = (world: World, member_id: string): Promise<WaivedPeriod> =>
  inTransaction(world.db, async (db) => {
    const membership = await lockMembership(db, member_id)
    await requireUndisturbed({ ...world, db }, membership)
    const { period, period_state, waived_period } = membership
    if (waived_period !== null && waived_period > period)
      throw new Refusal(409, 'The next period is waived already. One at a time.')
    const isPastDue = period_state === 'due'
    const n = isPastDue ? period : period + 1
    const days = { starts_on: startsOn(membership, n), ends_on: startsOn(membership, n + 1) }
    if (isPastDue) {
      await setPeriod(db, member_id, n, 'waived')
      const after = { state: 'active' as const, declines: 0, due_at: dueAt(world, member_id, days.ends_on) }
      await updateMembership(db, member_id, after)
      await addWaived({ ...world, db }, { ...membership, ...after }, { period: n, ...days })
    } else {
      const lines = untold(membership.lines, (from_on) => from_on > days.starts_on)
      const notice_at = noticeTomorrow(world, member_id)
      await updateMembership(db, member_id, { waived_period: n, lines: JSON.stringify(lines), notice_at })
    }
    await addJob(db, 'waived', { member_id, ...days }, world.now())
    return { n, ...days }
  })

/** The membership renews, and nothing is happening to it right now. */
export async function requireUndisturbed(world: World, membership: LockedMembership): Promise<void> {
  const { state, cancelled_at, on_hold_since, lines, enrollment_id, period } = membership
  if (world.config.RENEWALS === 'off') throw new Refusal(409, 'Renewals are not charged here.')
  if (state === 'ended' || cancelled_at) throw new Refusal(409, 'This membership does not renew.')
  if (on_hold_since) throw new Refusal(409, 'This membership is on hold: nothing is charged.')
  if (!lines.length) throw new Refusal(409, 'Nothing of this membership renews.')
  if (await hasOpenCharge(world.db, enrollment_id))
    throw new Refusal(409, 'A charge is under way. Please try again when it has ended.')
  if (startsOn(membership, period + 1) <= todayOf(world))
    throw new Refusal(409, 'A renewal is due right now. Please try again when it has ended.')
}
