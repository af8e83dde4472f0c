import { acquireLease } from '#server/db/leases.ts'
import type { World } from '#server/world/world.ts'
import { reconcile } from './reconciliation.ts'

/** How far to look back before the last comparison, because the gateway lists some changes late. */
const DAYS_BEFORE = 3
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** After a run that failed or crashed, any process may try again in the next period of this length. */
const TURN_MS = 10 * MINUTE_MS
const REMEMBERED_MS = 400 * DAY_MS

/** Looks back to the last comparison. Runs once an hour in one of the processes, and again within minutes if that fails. */
export async function reconcileHourly(world: World): Promise<void> {
  const now = world.now()
  const later = (ms: number) => new Date(now.getTime() + ms)
  const turn = String(Math.floor(now.getTime() / TURN_MS)) // part of the key, so that a process whose clock is ahead does not block the others
  const last = await lastReconciledAt(world)
  if (last && last > later(-HOUR_MS)) return
  if (!(await acquireLease(world.db, now, { name: 'reconciliation', key: turn, expires_at: later(HOUR_MS) }))) return
  try {
    const { discrepancies } = await reconcile(world, new Date((last ?? now).getTime() - DAYS_BEFORE * DAY_MS))
    await world.db
      .insertInto('reconciliation_run')
      .values({ finished_at: now, expires_at: later(REMEMBERED_MS) })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    if (discrepancies.length)
      world.log.error(
        { discrepancies: discrepancies.length },
        'our payments differ from the gateway’s books; run: npm run reconcile',
      )
  } catch (error) {
    world.log.error({ err: error }, 'our payments could not be compared with the gateway’s books')
  }
}

/** When the books were last compared. A time in the future comes from a process whose clock is ahead, and is ignored. */
export async function lastReconciledAt({ db, now }: World): Promise<Date | undefined> {
  const { newest } = await db
    .selectFrom('reconciliation_run')
    .select(({ fn }) => fn.max<Date | null>('finished_at').as('newest'))
    .where('finished_at', '<=', now())
    .executeTakeFirstOrThrow()
  return newest ?? undefined
}
