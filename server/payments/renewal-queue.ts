import { sql } from 'kysely'
import type { World } from '#server/world.ts'

/** How much work is waiting for the renewals, for /metrics. Both counts are answered by small partial indexes. */
export async function renewalQueue({ db, now: clock }: Pick<World, 'db' | 'now'>) {
  const now = clock()
  const due = await db
    .selectFrom('membership')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min<Date | null>('due_at').as('oldest')])
    .where('due_at', '<=', now)
    .executeTakeFirstOrThrow()
  const pastDue = await db
    .selectFrom('membership')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('state', '=', sql.lit('past_due'))
    .executeTakeFirstOrThrow()
  return {
    due: Number(due.count),
    past_due: Number(pastDue.count),
    oldest_due_seconds: due.oldest ? (now.getTime() - due.oldest.getTime()) / 1000 : 0,
  }
}
