import { sql } from 'kysely'
import type { World } from './world.ts'

/**
 * Trips when too large a share of something fails, over all visitors and all processes, and stays open for a while.
 * declines: cards that the bank refuses. codes: messages that nobody confirms.
 */
export type Breaker = 'declines' | 'codes'
export const breakers: Breaker[] = ['declines', 'codes']

const settingOf = ({ config }: World, breaker: Breaker) =>
  ({ declines: config.BREAKER_DECLINES, codes: config.BREAKER_CODES })[breaker]

/** Notes what became of one. Enough bad ones in a row, few good ones beside them, and it trips. */
export async function note(world: World, breaker: Breaker, bad: number, good: number): Promise<void> {
  const { most, seconds, percent } = settingOf(world, breaker)
  const now = world.now().getTime()
  const start = Math.floor(now / 1000 / seconds) * seconds * 1000
  const count = async (key: 'bad' | 'good', by: number) => {
    const counted = await sql<{ count: number }>`
      insert into limit_count (name, key, window_start, count, expires_at)
      values (${`breaker ${breaker}`}, ${key}, ${new Date(start)}, ${Math.max(by, 0)}, ${new Date(start + seconds * 2000)})
      on conflict (name, key, window_start) do update set count = greatest(limit_count.count + ${by}, 0)
      returning count`.execute(world.db)
    return counted.rows[0]?.count ?? 0
  }
  const failed = await count('bad', bad)
  const fine = await count('good', good)
  if (bad > 0 && failed >= most && failed * 100 >= (failed + fine) * percent) await trip(world, breaker)
}

async function trip(world: World, breaker: Breaker) {
  const expires_at = new Date(world.now().getTime() + world.config.BREAKER_SECONDS * 1000)
  const tripped = await world.db
    .insertInto('spent')
    .values({ kind: 'breaker', key: breaker, expires_at })
    .onConflict((clash) => clash.columns(['kind', 'key']).doUpdateSet({ expires_at }))
    .executeTakeFirst()
  if (tripped.numInsertedOrUpdatedRows) world.log.error({ breaker }, 'a breaker is open: too many of them fail')
}

/** Seconds for which it is still open; nothing when it is not. */
export async function secondsOpen(world: World, breaker: Breaker): Promise<number | undefined> {
  const row = await world.db
    .selectFrom('spent')
    .select('expires_at')
    .where('kind', '=', 'breaker')
    .where('key', '=', breaker)
    .executeTakeFirst()
  const left = row ? Math.ceil((row.expires_at.getTime() - world.now().getTime()) / 1000) : 0
  return left > 0 ? left : undefined
}
