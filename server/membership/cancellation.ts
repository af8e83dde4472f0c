import { toAmount } from '#contract/money.ts'
import { recordMembershipEvent } from '#server/audit/membership-history.ts'
import { inTransaction } from '#server/db/db.ts'
import { addEvent } from '#server/events/events.ts'
import { addJob } from '#server/jobs/queue.ts'
import { Refusal } from '#server/refusal.ts'
import { endOfDay, todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { requireShownPrice, type ShownPrice } from './card.ts'
import { endMembership } from './membership.ts'
import { addResumed } from './membership-events.ts'
import { type Anchor, nextStep, runningPeriod, type Situation, startsOn } from './next-step.ts'
import { priceToBegin } from './periods.ts'
import { applyMissedChanges } from './price-change.ts'
import { hasOpenCharge, type LockedMembership, lockMembership, setEnd, updateMembership } from './rows.ts'
import { seenState } from './state.ts'

/**
 * Ends the membership and the member's site with the paid month, or now if there is none. The lock decides between this and
 * a renewal that begins at the same moment; the call is refused if the dialog named a different day. Canceling twice changes nothing.
 */
export const cancel = (world: World, member_id: string, { shown_end }: { shown_end?: string } = {}): Promise<void> =>
  inTransaction(world.db, async (db) => {
    const membership = await lockMembership(db, member_id)
    if (membership.cancelled_at || membership.state === 'ended') return
    const now = world.now()
    const ends_on = endIfCanceled(world, membership, await hasOpenCharge(db, membership.enrollment_id))
    if (shown_end !== undefined && shown_end !== (ends_on ?? ''))
      throw new Refusal(409, 'Your membership has changed since this page was opened. Please reload it and try again.')
    await recordMembershipEvent(db, member_id, 'canceled', now)
    await addEvent(db, now, {
      type: 'membership.canceled',
      member_id,
      payload: { ends_on: ends_on ?? null, state: seenState({ ...membership, cancelled_at: now }) },
    })
    if (!ends_on) {
      await db.updateTable('member').set({ cancelled_at: now }).where('id', '=', member_id).execute()
      return endMembership({ ...world, db }, membership, 'canceled')
    }
    const ends_at = endOfDay(world, ends_on)
    await setEnd(db, member_id, ends_at, now)
    await updateMembership(db, member_id, { due_at: ends_at })
    await addJob(db, 'cancelled', { member_id }, now)
  })

type Canceled = Situation & Pick<LockedMembership, 'lines' | 'missed_from'>

/** What undoing the cancellation charges right away: the period that begins today. */
export function resumeCharge(world: World, membership: Canceled, isCharging: boolean): string | undefined {
  if (world.config.RENEWALS === 'off' || isCharging) return undefined
  const today = todayOf(world)
  const cents =
    nextStep({ ...membership, cancelled_at: null }, today).step === 'begin' ? priceToBegin(membership, today) : 0
  return cents ? toAmount(cents) : undefined
}

/** The end of what is paid, on which a membership ends if it is canceled today. Undefined: it ends immediately. */
export function endIfCanceled(
  world: World,
  membership: Anchor & Pick<LockedMembership, 'period' | 'period_state' | 'lines'>,
  isCharging: boolean,
): string | undefined {
  const ends_on = startsOn(membership, lastPeriod(world, membership) + 1)
  const hasPaidPeriod = membership.period_state !== 'due' && membership.lines.length > 0
  return (hasPaidPeriod || isCharging) && ends_on >= todayOf(world) ? ends_on : undefined
}

/** The period that the membership ends with. Where renewals are charged elsewhere, the running one counts as paid. */
export const lastPeriod = (world: World, membership: Parameters<typeof startsOn>[0] & { period: number }): number =>
  world.config.RENEWALS === 'on'
    ? membership.period
    : Math.max(membership.period, runningPeriod(membership, todayOf(world)))

/**
 * Undoes a cancellation while the paid month lasts. On its last day the next month has begun, and the worker charges it right
 * away: the member must have confirmed at least that amount.
 */
export const resume = (world: World, member_id: string, shown?: ShownPrice): Promise<void> =>
  inTransaction(world.db, async (db) => {
    const membership = await lockMembership(db, member_id)
    const { cancelled_at, ends_at } = membership
    const now = world.now()
    if (ends_at && ends_at <= now)
      throw new Refusal(409, 'Your membership has ended. You can come back with one payment.')
    if (!cancelled_at) return
    await setEnd(db, member_id, null, null)
    await addResumed({ ...world, db }, { ...membership, cancelled_at: null }, 'canceled')
    const tell = membership.on_hold_since ? 'later' : 'now'
    await applyMissedChanges({ ...world, db }, { ...membership, cancelled_at: null }, cancelled_at, tell)
    await recordMembershipEvent(db, member_id, 'cancellation_undone', now)
    const isCharging = await hasOpenCharge(db, membership.enrollment_id)
    const due = resumeCharge(world, await lockMembership(db, member_id), isCharging)
    if (shown && due && Number(due) > Number(shown.shown_price ?? 0)) requireShownPrice(due, shown)
    await updateMembership(db, member_id, { due_at: now }) // the worker decides what is next
    await addJob(db, 'kept', { member_id }, now)
  })
