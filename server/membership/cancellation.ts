import { inTransaction } from '#server/db/db.ts'
import { addJob } from '#server/jobs/queue.ts'
import { Refusal } from '#server/refusal.ts'
import { endOfDay, todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { endMembership } from './membership.ts'
import { runningPeriod, startsOn } from './next-step.ts'
import { hasOpenCharge, lockMembership, setEnd, updateMembership } from './rows.ts'

/**
 * Ends the membership and the member's site with the paid month, or now if we couldn't charge the current month or
 * nothing renews.
 * The lock decides between this and a renewal that begins at the same moment. Canceling twice changes nothing.
 */
export const cancel = (world: World, member_id: string): Promise<void> =>
  inTransaction(world.db, async (db) => {
    const membership = await lockMembership(db, member_id)
    if (membership.cancelled_at || membership.state === 'ended') return
    const now = world.now()
    const hasPaidPeriod = membership.period_state !== 'due' && membership.lines.length > 0
    if (!hasPaidPeriod && !(await hasOpenCharge(db, membership.enrollment_id))) {
      await db.updateTable('member').set({ cancelled_at: now }).where('id', '=', member_id).execute()
      return endMembership({ ...world, db }, membership, 'canceled')
    }
    const ends_at = endOfDay(world, startsOn(membership, lastPeriod(world, membership) + 1))
    await setEnd(db, member_id, ends_at, now)
    await updateMembership(db, member_id, { due_at: ends_at })
    await addJob(db, 'cancelled', { member_id }, now)
  })

/** The period that the membership ends with. Where renewals are charged elsewhere, the running one counts as paid. */
export const lastPeriod = (world: World, membership: Parameters<typeof startsOn>[0] & { period: number }): number =>
  world.config.RENEWALS === 'on'
    ? membership.period
    : Math.max(membership.period, runningPeriod(membership, todayOf(world)))

/** Undoes a cancellation while the paid month lasts. */
export const resume = (world: World, member_id: string): Promise<void> =>
  inTransaction(world.db, async (db) => {
    const { cancelled_at, ends_at } = await lockMembership(db, member_id)
    const now = world.now()
    if (ends_at && ends_at <= now)
      throw new Refusal(409, 'Your membership has ended. You can come back with one payment.')
    if (!cancelled_at) return
    await setEnd(db, member_id, null, null)
    await updateMembership(db, member_id, { due_at: now }) // the worker decides what is next
    await addJob(db, 'kept', { member_id }, now)
  })
