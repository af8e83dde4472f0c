import type { UpdateObject } from 'kysely'
import type { Db } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import { AWAITING_GATEWAY } from '#server/payments/payments.ts'
import type { World } from '#server/world/world.ts'
import { addWaived, daysOf } from './membership-events.ts'

/** The rows of a membership: everything that changes them holds the lock. */

/** The membership with its newest period, locked until the transaction ends. */
export async function lockMembership(db: Db, member_id: string) {
  const membership = await db
    .selectFrom('membership')
    .selectAll()
    .where('member_id', '=', member_id)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const rest = await db
    .selectFrom('member')
    .innerJoin('period', 'period.member_id', 'member.id')
    .select(['enrollment_id', 'cancelled_at', 'ends_at'])
    .select(['period.state as period_state', 'period.lines as period_lines', 'missed_from', 'free_days'])
    .where('member.id', '=', member_id)
    .where('period.n', '=', membership.period)
    .executeTakeFirstOrThrow()
  return { ...membership, ...rest }
}
export type LockedMembership = Awaited<ReturnType<typeof lockMembership>>

export const hasOpenCharge = async (db: Db, enrollment_id: string) =>
  Boolean(
    await db
      .selectFrom('payment')
      .select('attempt')
      .where('enrollment_id', '=', enrollment_id)
      .where('period', '>', 0)
      .where('state', 'in', AWAITING_GATEWAY)
      .executeTakeFirst(),
  )

type MembershipChange = UpdateObject<Tables, 'membership'>

export const updateMembership = (db: Db, member_id: string, change: MembershipChange) =>
  db.updateTable('membership').set(change).where('member_id', '=', member_id).execute()

export const setDue = (db: Db, member_id: string, due_at: Date | null) => updateMembership(db, member_id, { due_at })

/** Nothing in the membership renews anymore, and we never charge $0.00. */
export async function stopCharging(context: Pick<World, 'db' | 'now'>, membership: LockedMembership): Promise<void> {
  const { db } = context
  const { member_id, period, period_state } = membership
  const after = { state: 'active' as const, declines: 0, due_at: null }
  await updateMembership(db, member_id, after)
  if (period_state !== 'due') return
  await setPeriod(db, member_id, period, 'waived')
  await addWaived(context, { ...membership, ...after }, daysOf(membership, period))
}

/** When the membership ends, or ended; null while it continues. The member's sites are active until then. */
export async function setEnd(db: Db, member_id: string, ends_at: Date | null, cancelled_at?: Date | null) {
  const change = { ends_at, ...(cancelled_at === undefined ? {} : { cancelled_at }) }
  await db.updateTable('member').set(change).where('id', '=', member_id).execute()
  await db.updateTable('sponsor').set({ active_until: ends_at }).where('member_id', '=', member_id).execute()
}

export const updatePeriod = (db: Db, member_id: string, n: number, change: UpdateObject<Tables, 'period'>) =>
  db.updateTable('period').set(change).where('member_id', '=', member_id).where('n', '=', n).execute()

export const setPeriod = (db: Db, member_id: string, n: number, state: Tables['period']['state']) =>
  updatePeriod(db, member_id, n, { state })
