import { renewsOn } from '#contract/renewal.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import type { Visitor } from '#server/enrollment/visitor.ts'
import { addJob } from '#server/jobs/queue.ts'
import { Refusal } from '#server/refusal.ts'
import type { World } from '#server/world.ts'
import { requireDisplayedMember } from './session.ts'

type Shown = { username: string }

/** The membership ends with the paid month, and the member's site with it. A second press changes nothing. */
export async function cancelMembership(world: World, shown: Shown, visitor: Visitor): Promise<string> {
  const { id, joined_at } = await requireDisplayedMember(world, shown, visitor)
  const now = world.now()
  const ends_at = endOf(renewsOn(joined_at, now))
  await inTransaction(world.db, async (db) => {
    const cancelled = await db
      .updateTable('member')
      .set({ cancelled_at: now, ends_at })
      .where('id', '=', id)
      .where('cancelled_at', 'is', null)
      .executeTakeFirst()
    if (Number(cancelled.numUpdatedRows) === 0) return
    await keepSitesUntil(db, id, ends_at)
    await addJob(db, 'cancelled', { member_id: id }, now)
  })
  return id
}

/** The end of a day everywhere: when it ends in the last time zone. */
const endOf = (day: string) => new Date(new Date(day).getTime() + 36 * 3_600_000)

/** Takes a cancellation back while the paid month lasts. */
export async function resumeMembership(world: World, shown: Shown, visitor: Visitor): Promise<string> {
  const { id } = await requireDisplayedMember(world, shown, visitor)
  const now = world.now()
  await inTransaction(world.db, async (db) => {
    const kept = await db
      .updateTable('member')
      .set({ cancelled_at: null, ends_at: null })
      .where('id', '=', id)
      .where('ends_at', '>', now)
      .executeTakeFirst()
    if (Number(kept.numUpdatedRows) === 0) return refuseIfOver(db, id)
    await keepSitesUntil(db, id, null)
    await addJob(db, 'kept', { member_id: id }, now)
  })
  return id
}

const keepSitesUntil = (db: Db, member_id: string, active_until: Date | null) =>
  db.updateTable('sponsor').set({ active_until }).where('member_id', '=', member_id).execute()

async function refuseIfOver(db: Db, id: string): Promise<void> {
  const { ends_at } = await db.selectFrom('member').select('ends_at').where('id', '=', id).executeTakeFirstOrThrow()
  if (ends_at) throw new Refusal(409, 'Your membership has ended. Please write to us if you would like it back.')
}
