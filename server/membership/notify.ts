import { sql } from 'kysely'
import { addDays } from '#contract/renewal.ts'
import { inTransaction } from '#server/db/db.ts'
import { addJob } from '#server/jobs/queue.ts'
import { dayOf, todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { dueAt } from './due.ts'
import { nextNotice, noticesBetween } from './notices.ts'
import { updateMembership } from './rows.ts'

const MEMBERS_AT_ONCE = 50
/** So that other work gets its turn; the rest follows a minute later. */
const MAX_BATCHES = 20

/** Writes the emails that are due ahead of time: a card that expires soon, another year. */
export async function writeNotices(world: World): Promise<void> {
  if (world.config.RENEWALS === 'off') return
  for (let batch = 0; batch < MAX_BATCHES; batch++) if ((await writeSomeNotices(world)) < MEMBERS_AT_ONCE) return
}

const writeSomeNotices = (world: World): Promise<number> =>
  inTransaction(world.db, async (db) => {
    const members = await db
      .selectFrom('membership')
      .innerJoin('member', 'member.id', 'membership.member_id')
      .select(['member_id', 'membership.state', 'anchor_on', 'card_expires', 'notice_at', 'on_hold_since', 'lines'])
      .select('cancelled_at')
      .where('notice_at', '<=', world.now())
      .orderBy('notice_at')
      .limit(MEMBERS_AT_ONCE)
      .forUpdate('membership')
      .skipLocked()
      .execute()
    const today = todayOf(world)
    for (const { member_id, notice_at, ...member } of members) {
      const isRenewing =
        member.state !== 'ended' && !member.cancelled_at && !member.on_hold_since && member.lines.length
      const since = notice_at ? dayOf(world, notice_at) : today
      for (const kind of isRenewing ? noticesBetween(member, since, today) : [])
        await addJob(db, kind, { member_id }, world.now())
      const next = nextNotice(member, addDays(today, 1))
      await updateMembership(db, member_id, {
        notice_at: next && member.state !== 'ended' ? dueAt(world, member_id, next) : null,
      })
    }
    return members.length
  })

/** After a change of the card or a return: looked at again tomorrow, unless something is due before. */
export const noticeTomorrow = (world: Pick<World, 'config' | 'now'>, member_id: string) =>
  sql<Date>`least(notice_at, ${dueAt(world, member_id, addDays(todayOf(world), 1))})`
