import { sql } from 'kysely'
import type { Config } from '#server/config/config.ts'
import type { Db } from '#server/db/db.ts'
import { inTransaction } from '#server/db/db.ts'
import type { Log } from '#server/log.ts'
import type { Keys } from '#server/secrets/secrets.ts'
import { hashEvent, newestSeal, sealIn } from '#server/security/event-chain.ts'
import { lockHead, recordAction, theServer } from './audit.ts'

type Context = { config: Config; db: Db; keys: Keys; log: Log; now: () => Date }

/** Until then, events that repeat are still added to a row: those of a minute, and the clocks of two processes may differ. */
const SEAL_COUNTED_AFTER_MS = 2 * 60_000
const EVENTS_PER_SEAL = 1000

const DAY_MS = 86_400_000

/** Seals what has happened, and deletes what has been kept for long enough. Every process may call it at any time. */
export async function keepSecurityLog(world: Context): Promise<void> {
  while ((await sealEvents(world)) === EVENTS_PER_SEAL);
  await expireEvents(world)
}

/** One row of the audit log seals many events, so that no sign-in has to wait for the end of the chain. */
async function sealEvents(world: Context): Promise<number> {
  const before = new Date(world.now().getTime() - SEAL_COUNTED_AFTER_MS)
  const openIn = (db: Db) =>
    db
      .selectFrom('security_event')
      .where('position', 'is', null)
      .where(({ eb, or }) => or([eb('slot', 'is', null), eb('at', '<=', before)]))
  if (!(await openIn(world.db).select('id').limit(1).executeTakeFirst())) return 0
  return inTransaction(world.db, async (db) => {
    await lockHead(db) // one process at a time
    const rows = await openIn(db).selectAll().orderBy('at').orderBy('id').limit(EVENTS_PER_SEAL).forUpdate().execute()
    if (!rows.length) return 0
    const newest = await newestSeal(db)
    const first = newest.last + 1
    let hash = newest.hash
    const sealed = rows.map((row, index) => {
      hash = hashEvent(world.keys, hash, first + index, row)
      return { id: row.id, position: first + index, hash }
    })
    await sql`
      update security_event set position = sealed.position, hash = sealed.hash, slot = null
      from jsonb_to_recordset(cast(${JSON.stringify(sealed)} as jsonb)) as sealed (id uuid, position bigint, hash text)
      where security_event.id = sealed.id`.execute(db)
    const last = newest.last + rows.length
    await recordAction(
      { ...world, db },
      {
        act: 'seal_events',
        kind: 'security',
        actor: theServer,
        subject_kind: 'security_log',
        subject: `${first}-${last}`,
        after: { first, last, hash },
      },
    )
    return rows.length
  })
}

/** Once a day, and only whole seals: what is left can still be checked. The audit log says what was deleted. */
async function expireEvents(world: Context): Promise<void> {
  const before = new Date(world.now().getTime() - world.config.SECURITY_LOG_DAYS * DAY_MS)
  const oldest = await world.db
    .selectFrom('security_event')
    .select('at')
    .where('position', 'is not', null)
    .orderBy('position')
    .limit(1)
    .executeTakeFirst()
  if (!oldest || oldest.at.getTime() > before.getTime() - DAY_MS) return
  await inTransaction(world.db, async (db) => {
    const row = await db
      .selectFrom('audit')
      .select('details')
      .where('subject_kind', '=', 'security_log')
      .where('act', '=', 'seal_events')
      .where('at', '<', before)
      .orderBy('position', 'desc')
      .limit(1)
      .executeTakeFirst()
    const seal = sealIn(row?.details ?? null)
    if (!seal) return
    const { numDeletedRows } = await db
      .deleteFrom('security_event')
      .where('position', '<=', seal.last)
      .executeTakeFirst()
    if (!numDeletedRows) return // another process was first
    await recordAction(
      { ...world, db },
      {
        act: 'expire_events',
        kind: 'security',
        actor: theServer,
        subject_kind: 'security_log',
        subject: `1-${seal.last}`,
        after: { through: seal.last, events: Number(numDeletedRows) },
      },
    )
  })
}
