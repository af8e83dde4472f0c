import { sql } from 'kysely'
import { addDays } from '#contract/renewal.ts'
import { inTransaction } from '#server/db/db.ts'
import { addJob } from '#server/jobs/queue.ts'
import { startOfDay, todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { startsOn } from './next-step.ts'
import { inBatches, MEMBERS_AT_ONCE } from './notices.ts'
import { updateMembership } from './rows.ts'

/** The email that tells a member of the next charge, for those who ask for it. */

export const DAYS_AHEAD = 3

/** Switches the email on or off. */
export async function changeRenewalEmails(
  { db }: Pick<World, 'db'>,
  member_id: string,
  { renewal_emails }: { renewal_emails: boolean },
): Promise<void> {
  await db.updateTable('member').set({ renewal_emails }).where('id', '=', member_id).execute()
}

/** Writes the emails about charges of the next three days, one for each period. */
export const writeRenewalEmails = (world: World): Promise<void> => inBatches(() => writeSome(world))

const writeSome = (world: World): Promise<number> =>
  inTransaction(world.db, async (db) => {
    const today = todayOf(world)
    const begins = (days: number) => startOfDay(world.config.TIME_ZONE, addDays(today, days))
    const members = await db
      .selectFrom('membership')
      .innerJoin('member', 'member.id', 'membership.member_id')
      .innerJoin('period', (join) =>
        join.onRef('period.member_id', '=', 'member.id').onRef('period.n', '=', 'membership.period'),
      )
      .select(['membership.member_id', 'period', 'anchor_on', 'anchor_period', 'billing_interval'])
      .where('renewal_emails', '=', true)
      .where('membership.state', '=', 'active')
      .where('period.state', '!=', 'due')
      .where('cancelled_at', 'is', null)
      .where('on_hold_since', 'is', null)
      .where('never_retry_since', 'is', null)
      .where(sql<boolean>`jsonb_array_length(membership.lines) > 0`)
      .where((row) => row.or([row('waived_period', 'is', null), row('waived_period', '<=', row.ref('period'))]))
      .where((row) => row.or([row('notified_period', 'is', null), row('notified_period', '<=', row.ref('period'))]))
      .where('due_at', '>=', begins(1))
      .where('due_at', '<', begins(DAYS_AHEAD + 1))
      .orderBy('due_at')
      .limit(MEMBERS_AT_ONCE)
      .forUpdate('membership')
      .skipLocked()
      .execute()
    for (const { member_id, ...membership } of members) {
      const n = membership.period + 1
      await updateMembership(db, member_id, { notified_period: n })
      await addJob(db, 'renewal_ahead', { member_id, starts_on: startsOn(membership, n) }, world.now())
    }
    return members.length
  })
