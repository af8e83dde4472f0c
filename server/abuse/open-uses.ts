import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { statement } from '#server/db/statement.ts'
import { leaseEnd } from '#server/gateways/payment/deadlines.ts'
import type { World } from '#server/world/world.ts'
import { type BreakerCount, countQuery } from './breaker.ts'

/**
 * What an attempt to pay has counted while nobody knows yet whether a bank declines it. Each row is given back once: when
 * the attempt ends without a decline, or when it expires because its process has died or could not reach the database.
 * A decline deletes the rows and so leaves the limits counted.
 */
export type OpenAttempt = { id: string; reference: string; expiresAt: Date }

export const newOpenAttempt = (world: World, reference: string): OpenAttempt => ({
  id: randomUUID(),
  reference,
  expiresAt: leaseEnd(world), // by then the gateway has answered, or will be asked
})

/** By the id of one request, or by the reference of the attempt, which several requests may share. */
type Which = { id: string } | { reference: string }
const matches = (which: Which) => ('id' in which ? sql`id = ${which.id}` : sql`reference = ${which.reference}`)

type GiveBack = Which & { names?: string[]; breakerCount?: BreakerCount }

/**
 * Subtracts what was counted, and writes a breaker's count in the same statement. Rows are locked in the same order as when
 * they are counted.
 */
export const giveBackUses = statement((_db, { names, breakerCount, ...which }: GiveBack) => {
  const ended = sql`
    ended as (
      delete from open_use where ${matches(which)} ${names ? sql`and name in (${sql.join(names)})` : sql``}
      returning name, key, window_start),
    given as (select name, key, window_start, count(*) as uses from ended group by 1, 2, 3),
    locked as (
      select name, key, window_start from limit_count
      where (name, key, window_start) in (select name, key, window_start from given) order by name, key for update)`
  const subtract = sql`
    update limit_count set count = greatest(limit_count.count - uses, 0)
    from locked join given using (name, key, window_start)
    where limit_count.name = locked.name and limit_count.key = locked.key and limit_count.window_start = locked.window_start`
  const count = breakerCount ? sql`, breaker_count as (${countQuery(breakerCount)})` : sql``
  return sql`with ${ended} ${count} ${subtract}`
})

/** A bank has declined: what was counted stays counted. */
export const keepUses = statement((_db, which: Which) => sql`delete from open_use where ${matches(which)}`)

/** The gateway has not decided yet, so what is left stays open for as long as it counts. The janitor settles it. */
export const keepUsesOpen = statement(
  (_db, { id }: { id: string }) => sql`
    update open_use set expires_at = limit_count.expires_at from limit_count
    where id = ${id} and limit_count.name = open_use.name and limit_count.key = open_use.key
      and limit_count.window_start = open_use.window_start`,
)

/** Gives back what attempts that never ended have counted. Returns whether there was anything. */
export async function giveBackExpired({ db, now }: World, key?: string): Promise<boolean> {
  const expired = db.selectFrom('open_use').select('id').distinct().where('expires_at', '<=', now()).limit(1000)
  const rows = await (key ? expired.where('key', '=', key) : expired).execute()
  for (const { id } of rows) await giveBackUses(db, { id })
  return rows.length > 0
}
