import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { statement } from '#server/db/statement.ts'
import { leaseEnd } from '#server/gateways/payment/deadlines.ts'
import type { World } from '#server/world/world.ts'
import { type BreakerCount, countQuery } from './breaker.ts'

/**
 * What an attempt to pay has counted before the bank has answered, as one row for each request. It is
 * given back once: when the attempt ends without a decline, or when it expires because its process has died or could not
 * reach the database. A decline deletes the row and so leaves the limits counted.
 */
export type OpenAttempt = { id: string; reference: string; expiresAt: Date }

export const newOpenAttempt = (world: World, reference: string): OpenAttempt => ({
  id: randomUUID(),
  reference,
  expiresAt: leaseEnd(world), // by then the gateway has answered, or will be asked
})

/** All requests of an attempt, or one of them. */
type Which = { reference: string; id?: string }
const matches = ({ reference, id }: Which) => sql`reference = ${reference} ${id ? sql`and id = ${id}` : sql``}`

const usesOf = (rows: string) =>
  sql`${sql.ref(rows)} cross join jsonb_to_recordset(uses) as use (name text, key text, window_start timestamptz)`

/**
 * Subtracts the rows of `ended`, which `queries` defines. Rows are locked in the same order as when they are counted. A conflict is found by
 * the index, however large the table was when PostgreSQL made its plan; a count that was deleted comes back as an expired 0.
 */
const subtractEnded = (queries: RawBuilder<unknown>) => sql`
  with ${queries},
  given as (select name, key, window_start, count(*) as times from ended group by 1, 2, 3)
  insert into limit_count (name, key, window_start, count, expires_at)
  select name, key, window_start, 0, window_start from given order by name, key, window_start
  on conflict (name, key, window_start) do update set count = greatest(limit_count.count - (
    select times from given where (name, key, window_start) = (excluded.name, excluded.key, excluded.window_start)), 0)`

type GiveBack = Which & { breakerCount?: BreakerCount }

/** Subtracts what was counted, and writes a breaker's count in the same statement. */
export const giveBackUses = statement((_db, { breakerCount, ...which }: GiveBack) =>
  subtractEnded(sql`
    closed as (delete from open_use where ${matches(which)} returning uses),
    ${breakerCount ? sql`breaker_count as (${countQuery(breakerCount)}),` : sql``}
    ended as (select use.* from ${usesOf('closed')})`),
)

/** A bank has declined: what was counted stays counted. */
export const keepUses = statement((_db, which: Which) => sql`delete from open_use where ${matches(which)}`)

type Pending = Required<Which> & { giveBack: string[] }

/** The gateway has not decided yet: what is not given back stays open for as long as it counts. The janitor settles it. */
export const keepUsesOpen = statement((_db, { giveBack, ...which }: Pending) =>
  subtractEnded(sql`
    pending as (select uses from open_use where ${matches(which)} for update),
    open as (select use.*, name in (${sql.join(giveBack)}) as is_ended from ${usesOf('pending')}),
    kept as (
      update open_use set (uses, expires_at) = (
        select jsonb_agg(jsonb_build_object('name', name, 'key', key, 'window_start', window_start)),
          coalesce(max((
            select expires_at from limit_count
            where (name, key, window_start) = (open.name, open.key, open.window_start))), open_use.expires_at)
        from open where not is_ended)
      where ${matches(which)}),
    ended as (select name, key, window_start from open where is_ended)`),
)

/** Open uses of a limit or of a key. */
export const isUseOf = (use: { name?: string; key: string }) =>
  sql<boolean>`uses @> cast(${JSON.stringify([use])} as jsonb)`

/** Gives back what attempts that never ended have counted. Returns whether there was anything. */
export async function giveBackExpired({ db, now }: World, key?: string): Promise<boolean> {
  const expired = db.selectFrom('open_use').select(['reference', 'id']).where('expires_at', '<=', now()).limit(1000)
  const rows = await (key ? expired.where(isUseOf({ key })) : expired).execute()
  for (const row of rows) await giveBackUses(db, row)
  return rows.length > 0
}
