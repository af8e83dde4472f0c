import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { EVENT_DAYS } from '#contract/events.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import type { World } from '#server/world/world.ts'

type Context = Pick<World, 'db' | 'now'>

export const EVENTS_AT_ONCE = 1000
/** A process that hangs while it holds the lock loses its transaction. */
const MAX_HANG_MS = 5000

/**
 * Gives committed events their positions: 1, 2, 3 …, without a gap. An event whose transaction is still open isn't seen and
 * gets a later position, so a reader that remembers the last position misses nothing, and a long transaction holds nothing
 * up. Every reader does it first, and so does the worker. Returns how many there were.
 */
export async function positionNewEvents({ db, now }: Context): Promise<number> {
  if (!(await hasNewEvents(db))) return 0
  return inTransaction(db, async (db) => {
    await sql`set local idle_in_transaction_session_timeout = ${sql.lit(MAX_HANG_MS)}`.execute(db)
    const position = await lockFeed({ db, now })
    // A separate statement, so it sees what the last holder of the lock did.
    const { numAffectedRows } = await sql`
      with moved as (
        delete from new_event
        where written in (select written from new_event order by written limit ${sql.lit(EVENTS_AT_ONCE)})
        returning *)
      insert into event (position, id, type, version, member_id, at, payload)
      select ${position}::bigint + row_number() over (order by written), id, type, version, member_id, at, payload
      from moved`.execute(db)
    const count = Number(numAffectedRows)
    await db
      .updateTable('feed')
      .set({ position: position + count })
      .execute()
    return count
  })
}

async function hasNewEvents(db: Db): Promise<boolean> {
  const { rows } = await sql<{ some: boolean }>`select exists (select from new_event) as some`.execute(db)
  return rows[0]?.some ?? false
}

/** Locks the one row that only one process may change at a time. Returns the last position. */
async function lockFeed({ db, now }: Context): Promise<number> {
  const here = await placeOf(db)
  const select = db.selectFrom('feed').select(['position', 'place']).forUpdate()
  const feed = (await select.executeTakeFirst()) ?? (await createFeed(db))
  if (feed.place !== here) await startEpoch({ db, now }, feed.position, here)
  return feed.position
}

async function createFeed(db: Db) {
  const first = { id: 1, position: 0, place: '' }
  await db
    .insertInto('feed')
    .values(first)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return db.selectFrom('feed').select(['position', 'place']).forUpdate().executeTakeFirstOrThrow()
}

/**
 * Identifies the cluster, its promotions, and the table. They stay the same while history continues; one of them changes when a
 * different server takes over, or when a dump is loaded. A host may hide the first two.
 */
async function placeOf(db: Db): Promise<string> {
  const may = (name: string) => sql`has_function_privilege(${sql.lit(name)}, 'execute')`
  const { rows: rights } = await sql<{ all: boolean }>`
    select ${may('pg_control_system()')} and ${may('pg_walfile_name(pg_lsn)')} and ${may('pg_current_wal_lsn()')} as all`.execute(
    db,
  )
  const cluster = rights[0]?.all
    ? sql`(select system_identifier from pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8)`
    : sql`''`
  const { rows } = await sql<{ place: string }>`
    select concat_ws('/', ${cluster}, 'feed'::regclass::oid) as place`.execute(db)
  return rows[0]?.place ?? ''
}

/** From this position on, history differs from what readers may have seen. */
async function startEpoch({ db, now }: Context, after_position: number, place: string): Promise<void> {
  const { count } = await db
    .selectFrom('feed_epoch')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  const n = Number(count) + 1
  await db.insertInto('feed_epoch').values({ n, epoch: randomUUID(), after_position, started_at: now() }).execute()
  await db.updateTable('feed').set({ place }).execute()
}

/** For a backup that was just restored, in its transaction. What was committed before it gets its position right away. */
export async function startNewHistory(context: Context): Promise<void> {
  await context.db.updateTable('feed').set({ place: '' }).execute()
  await lockFeed(context)
  while (await positionNewEvents(context));
}

const FORGOTTEN_AT_ONCE = 20_000

/** Oldest first, so readers find no gap. */
export async function forgetOldEvents({ db, now }: Context): Promise<void> {
  const before = new Date(now().getTime() - EVENT_DAYS * 86_400_000)
  await sql`
    with oldest as (select position, at from event order by position limit ${sql.lit(FORGOTTEN_AT_ONCE)}),
    kept as (select min(position) as position from oldest where at >= ${before})
    delete from event where position in (
      select oldest.position from oldest, kept where kept.position is null or oldest.position < kept.position)`.execute(
    db,
  )
}
