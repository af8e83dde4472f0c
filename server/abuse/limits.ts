import { sql } from 'kysely'
import type { Config } from '#server/config/config.ts'
import type { Limit } from '#server/config/rules.ts'
import type { LimitName as LimitSetting } from '#server/config/settings.ts'
import { statement } from '#server/db/statement.ts'
import { Refusal } from '#server/refusal.ts'
import type { Address } from '#server/visitor.ts'
import type { World } from '#server/world.ts'
import { type BreakerCount, countQuery } from './breaker.ts'

/** How many codes are still sent while the breaker for codes is open. */
const reducedQuota = {
  BREAKER_CODES: ({ BREAKER_CODES: { failures, seconds } }: Config): Limit => ({
    max: Math.ceil(failures / 4),
    seconds,
  }),
  BREAKER_CODES_BY_NETWORK: (): Limit => ({ max: 2, seconds: 86_400 }),
}

export type LimitName = LimitSetting | keyof typeof reducedQuota
const limitOf = ({ config }: World, name: LimitName) =>
  name in reducedQuota ? reducedQuota[name as keyof typeof reducedQuota](config) : config[name as LimitSetting]

type Key = string | Address
export type LimitUse = [limit: LimitName, key: Key]

/** Counts one use, or refuses it if the limit is reached. */
export const countAgainstLimit = (world: World, limit: LimitName, key: Key) => countAgainstLimits(world, [[limit, key]])

/**
 * Counts one use of each limit, or of none if one of them is reached. All processes share one table, and keys are stored
 * only as keyed hashes. The window slides in buckets of an eighth, so that the limit cannot be used twice at the edge of a window.
 */
export async function countAgainstLimits(world: World, uses: [LimitUse, ...LimitUse[]]) {
  const counters = uses.flatMap(([limit, key]) => countersOf(world, limit, key))
  const { rows } = await countQuotas(world.db, { counters })
  const results = counters.map((counter) => ({
    counter,
    ...rows.find(({ name, key }) => name === counter.name && key === counter.hash),
  }))
  const counted = results.filter(({ is_counted }) => is_counted).map(({ counter }) => counter)
  const giveBack = ({ names, breakerCount }: GiveBackOptions = {}) =>
    undoCounts(
      world,
      counted.filter(({ name }) => names?.includes(name) ?? true),
      breakerCount,
    )
  const reached = results.find(({ is_full }) => is_full) ?? results.find(({ is_counted }) => !is_counted)
  if (!reached) return { giveBack }
  await giveBack() // a concurrent request used up one of the limits, but the others were counted
  throw await tooManyAttempts(world, reached.counter)
}

type GiveBackOptions = {
  /** All limits by default. */
  names?: LimitName[]
  /** A breaker's count to write in the same statement. */
  breakerCount?: BreakerCount
}

const countQuotas = statement((_db, { counters }: { counters: Counter[] }) => {
  const rows = counters.map(
    ({ name, hash, bucket, since, expiresAt, max }) =>
      sql`(${name}, ${hash}, cast(${bucket} as timestamptz), cast(${since} as timestamptz), cast(${expiresAt} as timestamptz), cast(${max} as bigint))`,
  )
  // The lateral join reads row by row: a plan made while the table was small would otherwise scan all of it once it has grown.
  // The order by makes all processes lock rows in the same order, which prevents deadlocks.
  return sql<{ name: LimitName; key: string; is_counted: boolean; is_full: boolean }>`
    with counter (name, key, bucket, since, expires_at, max) as (values ${sql.join(rows)}),
    quota as (
      select name, key, bucket, expires_at, max - used_before as left_in_bucket, max - used as remaining
      from counter cross join lateral (
        select coalesce(sum(count) filter (where window_start < bucket), 0) as used_before, coalesce(sum(count), 0) as used
        from limit_count where limit_count.name = counter.name and limit_count.key = counter.key
          and window_start > since and window_start <= bucket) usage),
    counted as (
      insert into limit_count (name, key, window_start, count, expires_at)
      select name, key, bucket, 1, expires_at from quota where (select min(remaining) from quota) > 0
      order by name, key
      on conflict (name, key, window_start) do update set count = limit_count.count + 1
        where limit_count.count < (select left_in_bucket from quota where name = excluded.name and key = excluded.key)
      returning name, key)
    select name, key, (name, key) in (select name, key from counted) as is_counted, remaining <= 0 as is_full from quota`
})

/** Subtracts one from each counter, in the bucket that was counted. */
async function undoCounts({ db }: World, counters: Counter[], breakerCount?: BreakerCount): Promise<void> {
  const buckets = counters.map(({ name, hash, bucket }) => ({ name, hash, bucket }))
  if (buckets.length || breakerCount) await subtractQuery(db, { buckets, breakerCount })
}

type Subtraction = { buckets: Pick<Counter, 'name' | 'hash' | 'bucket'>[]; breakerCount: BreakerCount | undefined }
const subtractQuery = statement((_db, { buckets, breakerCount }: Subtraction) => {
  if (!buckets.length && breakerCount) return countQuery(breakerCount)
  const rows = buckets.map(({ name, hash, bucket }) => sql`(${name}, ${hash}, cast(${bucket} as timestamptz))`)
  const subtract = sql`
    update limit_count set count = limit_count.count - 1
    from (select name, key, window_start from limit_count
      where (name, key, window_start) in (${sql.join(rows)}) order by name, key for update) counted
    where limit_count.name = counted.name and limit_count.key = counted.key
      and limit_count.window_start = counted.window_start and limit_count.count > 0`
  return breakerCount ? sql`with breaker_count as (${countQuery(breakerCount)}) ${subtract}` : subtract // the breaker's row is shared by all, so it is locked last
})

/** Undoes a use that an earlier request counted: in the newest bucket that has one. */
export async function undoOneUse(world: World, [limit, key]: LimitUse): Promise<void> {
  for (const { name, hash, since } of countersOf(world, limit, key))
    await sql`
      update limit_count set count = count - 1
      where name = ${name} and key = ${hash} and count > 0 and window_start = (select max(window_start) from limit_count
        where name = ${name} and key = ${hash} and window_start > ${since} and count > 0)`.execute(world.db)
}

/** Whether another use would be refused. Counts nothing. */
export async function isLimitReached(world: World, [limit, key]: LimitUse): Promise<boolean> {
  for (const counter of countersOf(world, limit, key)) {
    const sum = bucketsOf(world, counter).select(({ fn }) => fn.sum<number>('count').as('count'))
    if (Number((await sum.executeTakeFirst())?.count ?? 0) >= counter.max) return true
  }
  return false
}

/** The buckets in the current window. */
const bucketsOf = ({ db }: World, { name, hash, since }: Counter) =>
  db.selectFrom('limit_count').where('name', '=', name).where('key', '=', hash).where('window_start', '>', since)

const BUCKETS = 8

/** A /48 may belong to one person or to a whole town, so it gets ten times the limit of a visitor. */
const NETWORK_FACTOR = 10

type Counter = ReturnType<typeof countersOf>[number]

/** One counter for the visitor and one for each wider network. A bucket counts until its newest possible use is out of the window. */
function countersOf(world: World, limit: LimitName, key: Key) {
  const { max, seconds } = limitOf(world, limit)
  const now = world.now().getTime()
  const windowMs = seconds * 1000
  const bucketMs = windowMs / BUCKETS
  const start = Math.floor(now / bucketMs) * bucketMs
  return [key].flat().map((text, index) => ({
    max: max * (index === 0 ? 1 : NETWORK_FACTOR),
    name: limit,
    hash: world.keys.hmac('limits', text),
    bucket: new Date(start),
    since: new Date(now - windowMs - bucketMs),
    expiresAt: new Date(start + windowMs + bucketMs),
  }))
}

/** Refusals by limit since this process started, for /metrics. */
export const refusals = new Map<string, number>()
export const countRefusal = (limit: string) => refusals.set(limit, (refusals.get(limit) ?? 0) + 1)

/** The wait ends when the oldest used bucket leaves the window. */
async function tooManyAttempts(world: World, counter: Counter): Promise<Refusal> {
  countRefusal(counter.name)
  const oldest = await bucketsOf(world, counter)
    .select(({ fn }) => fn.min<Date>('expires_at').as('expires_at'))
    .where('count', '>', 0)
    .executeTakeFirst()
  const waitMs = oldest?.expires_at ? oldest.expires_at.getTime() - world.now().getTime() : 0
  const retryAfter = Math.max(1, Math.ceil(waitMs / 1000))
  return new Refusal(429, `Too many attempts. Please try again in ${formatWait(retryAfter)}.`, { retryAfter })
}

/** Exact up to an hour, then rounded. */
export function formatWait(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  const hours = Math.round(minutes / 60)
  const days = Math.round(hours / 24)
  if (seconds < 60) return seconds === 1 ? '1 second' : `${seconds} seconds`
  if (minutes < 60) return minutes === 1 ? '1 minute' : `${minutes} minutes`
  if (hours < 24) return hours === 1 ? 'about an hour' : `about ${hours} hours`
  return days === 1 ? 'about a day' : `about ${days} days`
}
