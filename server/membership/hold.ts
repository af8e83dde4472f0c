import { recordMembershipEvent } from '#server/audit/membership-history.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { addEvent } from '#server/events/events.ts'
import { addJob } from '#server/jobs/queue.ts'
import { todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { addResumed } from './membership-events.ts'
import { type NextStep, nextStep, type Situation } from './next-step.ts'
import { applyMissedChanges } from './price-change.ts'
import { type LockedMembership, lockMembership, updateMembership } from './rows.ts'
import { seenState } from './state.ts'

type Context = Pick<World, 'config' | 'db' | 'now'>

/** Nothing is charged until the hold is lifted. The membership and its link go on; one that is canceled still ends on its day. */
export const putOnHold = ({ db, now }: Context, member_id: string, hold_reason: string): Promise<boolean> =>
  changeHold(db, member_id, false, async (db, membership) => {
    const { cancelled_at, due_at } = membership
    const since = now()
    const change = { on_hold_since: since, hold_reason, due_at: cancelled_at ? due_at : null }
    await updateMembership(db, member_id, change)
    await recordMembershipEvent(db, member_id, 'on_hold', since)
    const state = seenState({ ...membership, on_hold_since: since })
    await addEvent(db, since, { type: 'membership.on_hold', member_id, payload: { why: 'staff', state } })
    await addJob(db, 'hold_began', { member_id, why: 'team', since: since.toISOString() }, since)
  })

/**
 * The worker decides what happens next: periods missed during the hold are waived, and the current one is charged. Price
 * changes made during the hold apply.
 */
export const liftHold = (context: Context, member_id: string): Promise<boolean> =>
  changeHold(context.db, member_id, true, async (db, { on_hold_since, ...held }) => {
    const now = context.now()
    const membership = { ...held, on_hold_since: null }
    const isCharged = !['waive', 'wait', 'nothing'].includes(stepOnRelease(context, held).step)
    await updateMembership(db, member_id, { on_hold_since: null, hold_reason: null, due_at: now })
    await recordMembershipEvent(db, member_id, 'hold_released', now)
    await addResumed({ ...context, db }, membership, 'on_hold')
    if (!isCharged) await addJob(db, 'hold_ended', { member_id }, now)
    if (nextStep(membership, todayOf(context)).step === 'end') return
    const tell = membership.cancelled_at ? 'later' : isCharged ? 'after_charge' : 'now'
    await applyMissedChanges({ ...context, db }, membership, on_hold_since ?? now, tell)
  })

type Held = Omit<Situation, 'on_hold_since'> & Pick<LockedMembership, 'lines'>

/** What follows when the hold is lifted. If it's a charge or the end, the member gets the emails about that. */
export function stepOnRelease(context: Pick<World, 'config' | 'now'>, held: Held): NextStep {
  if (context.config.RENEWALS === 'off' || !held.lines.length) return { step: 'nothing' }
  const membership = { ...held, on_hold_since: null }
  const today = todayOf(context)
  const next = nextStep(membership, today)
  if (next.step !== 'waive') return next
  const afterIt = nextStep({ ...membership, period: membership.period + 1, period_state: 'waived' }, today)
  return afterIt.step === 'wait' ? next : afterIt
}

/** False if nothing changes. */
const changeHold = (
  db: Db,
  member_id: string,
  wasOnHold: boolean,
  change: (db: Db, membership: LockedMembership) => Promise<void>,
): Promise<boolean> =>
  inTransaction(db, async (db) => {
    const membership = await lockMembership(db, member_id)
    if (Boolean(membership.on_hold_since) !== wasOnHold) return false
    await change(db, membership)
    return true
  })
