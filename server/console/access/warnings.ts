import { inTransaction } from '#server/db/db.ts'
import { consumeKey } from '#server/db/one-time-keys.ts'
import { addJob, type StaffWarning } from '#server/jobs/queue.ts'
import { todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'

/** Tells a colleague and the owners about something odd, once a day. */
export async function warnOf(world: World, warning: StaffWarning, staff_id: string): Promise<void> {
  const key = `${staff_id} ${todayOf(world)}`
  const expires_at = new Date(world.now().getTime() + 2 * 86_400_000)
  await inTransaction(world.db, async (db) => {
    if (!(await consumeKey(db, { kind: warning, key, expires_at }))) return
    const people = await db
      .selectFrom('staff')
      .select('id')
      .where('removed_at', 'is', null)
      .where(({ eb, or }) => or([eb('id', '=', staff_id), eb('role', '=', 'owner')]))
      .execute()
    for (const { id } of people) await addJob(db, warning, { staff_id, recipient_id: id }, world.now())
  })
}
