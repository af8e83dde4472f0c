import { renewsOn } from '#contract/renewal.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { addJob } from '#server/jobs/queue.ts'
import { Refusal } from '#server/refusal.ts'
import type { Visitor } from '#server/visitor.ts'
import type { World } from '#server/world.ts'
import { requireDisplayedMember } from './session.ts'

type Displayed = { username: string }

/** Ends the membership and the member's site with the paid month. Canceling twice changes nothing. */
export async function cancelMembership(world: World, displayed: Displayed, visitor: Visitor): Promise<string> {
  const { id, joined_at } = await requireDisplayedMember(world, displayed, visitor)
  const now = world.now()
  const ends_at = endOf(renewsOn(joined_at, now))
  await inTransaction(world.db, async (db) => {
    const result = await db
      .updateTable('member')
      .set({ cancelled_at: now, ends_at })
      .where('id', '=', id)
      .where('cancelled_at', 'is', null)
      .executeTakeFirst()
    if (Number(result.numUpdatedRows) === 0) return
    await setSitesActiveUntil(db, id, ends_at)
    await addJob(db, 'cancelled', { member_id: id }, now)
  })
  return id
}

/** When a day has ended in every time zone: the last one is UTC-12. */
const endOf = (day: string) => new Date(new Date(day).getTime() + 36 * 3_600_000)

/** Undoes a cancellation while the paid month lasts. */
export async function resumeMembership(world: World, displayed: Displayed, visitor: Visitor): Promise<string> {
  const { id } = await requireDisplayedMember(world, displayed, visitor)
  const now = world.now()
  await inTransaction(world.db, async (db) => {
    const result = await db
      .updateTable('member')
      .set({ cancelled_at: null, ends_at: null })
      .where('id', '=', id)
      .where('ends_at', '>', now)
      .executeTakeFirst()
    if (Number(result.numUpdatedRows) === 0) return refuseIfOver(db, id)
    await setSitesActiveUntil(db, id, null)
    await addJob(db, 'kept', { member_id: id }, now)
  })
  return id
}

const setSitesActiveUntil = (db: Db, member_id: string, active_until: Date | null) =>
  db.updateTable('sponsor').set({ active_until }).where('member_id', '=', member_id).execute()

async function refuseIfOver(db: Db, id: string): Promise<void> {
  const { ends_at } = await db.selectFrom('member').select('ends_at').where('id', '=', id).executeTakeFirstOrThrow()
  if (ends_at) throw new Refusal(409, 'Your membership has ended. Please contact us if you want to restart it.')
}
