import { acquireLease } from '#server/db/leases.ts'
import type { World } from '#server/world.ts'
import { reconcile } from './reconciliation.ts'

const DAYS_BACK = 3
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Who has not finished by its end has failed or died, and the next turn is anybody's. */
const TURN_MS = 10 * MINUTE_MS
const REMEMBERED_MS = 30 * DAY_MS

/** Once an hour, by whichever process comes first; sooner again when it could not be done. */
export async function reconcileHourly(world: World): Promise<void> {
  const now = world.now()
  const later = (ms: number) => new Date(now.getTime() + ms)
  const turn = String(Math.floor(now.getTime() / TURN_MS)) // so that a clock that is ahead takes nobody else's
  if (((await lastReconciledAt(world)) ?? new Date(0)) > later(-HOUR_MS)) return
  if (!(await acquireLease(world.db, now, { name: 'reconciliation', key: turn, expires_at: later(HOUR_MS) }))) return
  try {
    const { differences } = await reconcile(world, later(-DAYS_BACK * DAY_MS))
    await world.db
      .insertInto('reconciliation_run')
      .values({ finished_at: now, expires_at: later(REMEMBERED_MS) })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    if (differences.length)
      world.log.error(
        { differences: differences.length },
        'the gateway’s books and ours do not agree: npm run reconcile',
      )
  } catch (error) {
    world.log.error(
      { err: error },
      'the gateway’s books and ours could not be compared, and nobody knows if they agree',
    )
  }
}

/** When the books were last compared, by any process whose clock was not ahead of ours. */
export async function lastReconciledAt({ db, now }: World): Promise<Date | undefined> {
  const { newest } = await db
    .selectFrom('reconciliation_run')
    .select(({ fn }) => fn.max<Date | null>('finished_at').as('newest'))
    .where('finished_at', '<=', now())
    .executeTakeFirstOrThrow()
  return newest ?? undefined
}
