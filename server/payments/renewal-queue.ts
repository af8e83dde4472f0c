import { sql } from 'kysely'
import type { World } from '#server/world/world.ts'

type Row = { due: number; past_due: number; oldest: Date | null }

/** How much work is waiting for the renewals, for /metrics. Small partial indexes answer it. */
export async function renewalQueue({ db, now: clock }: Pick<World, 'db' | 'now'>) {
  const now = clock()
  const { rows } = await sql<Row>`
    select count(*) as due, min(due_at) as oldest,
      (select count(*) from membership where state = 'past_due') as past_due
    from membership where due_at <= ${now}`.execute(db)
  const [{ due, past_due, oldest } = { due: 0, past_due: 0, oldest: null }] = rows
  return {
    due: Number(due),
    past_due: Number(past_due),
    /** Seconds since the oldest of them was due. */
    waited: oldest ? (now.getTime() - oldest.getTime()) / 1000 : 0,
  }
}
