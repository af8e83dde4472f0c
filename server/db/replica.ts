import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Tables } from './tables.ts'

type Db = Kysely<Tables>

/** A replica that is further behind is not used. */
const MAX_LAG_MS = 10_000
const CHECK_EVERY_MS = 1_000
const PATIENCE_MS = 2_000

/**
 * Returns the replica while it keeps up, and otherwise the primary. Its own clock tells little, because it stands still while
 * nothing is written, and while the replica is cut off. So we note how far the primary has written, and ask the replica
 * whether it has all that.
 */
export function openReader(primary: Db, replica: Db, isThere: () => boolean): () => Promise<Db> {
  let written: { at: number; lsn: string }[] = []
  let checkedAt = Number.NEGATIVE_INFINITY
  let keepsUp: Promise<boolean> = Promise.resolve(false)

  async function check(): Promise<boolean> {
    const { rows } = await sql<{ lsn: string }>`select pg_current_wal_lsn()::text as lsn`.execute(primary)
    const now = performance.now()
    written = [...written, { at: now, lsn: rows[0]?.lsn ?? '' }].filter(({ at }) => now - at <= MAX_LAG_MS)
    const answer = await sql<{ has_it: boolean }>`
      select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end
        >= cast(${written[0]?.lsn} as pg_lsn) as has_it`.execute(replica)
    return answer.rows[0]?.has_it === true
  }

  return async () => {
    if (performance.now() - checkedAt >= CHECK_EVERY_MS) {
      checkedAt = performance.now()
      keepsUp = Promise.race([check().catch(() => false), sleep(PATIENCE_MS, false, { ref: false })])
    }
    return (await keepsUp) && isThere() ? replica : primary
  }
}
