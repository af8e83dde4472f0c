import { sql } from 'kysely'
import type { Config } from '#server/config/config.ts'
import type { Limit } from '#server/config/rules.ts'
import type { LimitName as Setting } from '#server/config/settings.ts'
import { statement } from '#server/db/statement.ts'
import type { Address } from '#server/enrollment/visitor.ts'
import { Refusal } from '#server/refusal.ts'
import type { World } from '#server/world.ts'
import { type Counted, countQuery } from './breaker.ts'

/** What is sent all the same while nobody confirms codes: a few in all, and two a day to one network. */
const reducedQuota = {
  BREAKER_CODES: ({ BREAKER_CODES: { failures, seconds } }: Config): Limit => ({
    max: Math.ceil(failures / 4),
    seconds,
  }),
  BREAKER_CODES_BY_NETWORK: (): Limit => ({ max: 2, seconds: 86_400 }),
}

export type LimitName = Setting | keyof typeof reducedQuota
const limitOf = ({ config }: World, name: LimitName) =>
  name in reducedQuota ? reducedQuota[name as keyof typeof reducedQuota](config) : config[name as Setting]

type Key = string | Address
export type LimitUse = [limit: LimitName, key: Key]
type Some<Item> = [Item, ...Item[]]

/** Counts one more of something, or refuses when it would be too many. */
export const countAgainstLimit = (world: World, limit: LimitName, key: Key) => countAgainstLimits(world, [[limit, key]])

/**
 * Several at once, each of them once, all or none. One table and one statement, shared by all processes; what is counted by is kept only as a
 * keyed hash. The time slides: it is counted in eighths, so that midnight doubles nothing. What turns out not to count can
 * be given back, all of it or some.
 */
export async function countAgainstLimits(world: World, asked: Some<LimitUse>) {
  const counting = asked.flatMap(([limit, key]) => countingOf(world, limit, key))
  const { rows } = await countAll(world.db, { counting })
  const found = counting.map((one) => ({ one, ...rows.find(({ name, key }) => name === one.name && key === one.hash) }))
  const counted = found.filter(({ is_counted }) => is_counted).map(({ one }) => one)
  const giveBack = ({ names, also }: GivingBack = {}) =>
    takeBack(
      world,
      counted.filter(({ name }) => names?.includes(name) ?? true),
      also,
    )
  const missed = found.find(({ is_full }) => is_full) ?? found.find(({ is_counted }) => !is_counted)
  if (!missed) return { giveBack }
  await giveBack() // somebody else was faster with one of them
  throw await tooMany(world, missed.one)
}

const countAll = statement((_db, { counting }: { counting: Counting[] }) => {
  const rows = counting.map(
    ({ name, hash, part, since, until, max }) =>
      sql`(${name}, ${hash}, cast(${part} as timestamptz), cast(${since} as timestamptz), cast(${until} as timestamptz), cast(${max} as bigint))`,
  )
  return sql<{ name: LimitName; key: string; is_counted: boolean; is_full: boolean }>`
    with asked (name, key, part, since, until, most) as (values ${sql.join(rows)}),
    room as (
      select name, key, part, until, most - before as in_this_part, most - in_sum as in_all
      from asked cross join lateral ( -- one by one: a join planned for a small table reads all of it when it has grown
        select coalesce(sum(count) filter (where window_start < part), 0) as before, coalesce(sum(count), 0) as in_sum
        from limit_count counted where counted.name = asked.name and counted.key = asked.key
          and window_start > since and window_start <= part) found),
    counted as (
      insert into limit_count (name, key, window_start, count, expires_at)
      select name, key, part, 1, until from room where (select min(in_all) from room) > 0
      order by name, key -- everybody in this order, so that nobody waits crosswise
      on conflict (name, key, window_start) do update set count = limit_count.count + 1
        where limit_count.count < (select in_this_part from room where name = excluded.name and key = excluded.key)
      returning name, key)
    select name, key, (name, key) in (select name, key from counted) as is_counted, in_all <= 0 as is_full from room`
})

type Counting = ReturnType<typeof countingOf>[number]
type GivingBack = {
  /** All of them, unless it says. */
  names?: LimitName[]
  /** What a breaker counts in the same statement. */
  also?: Counted
}

/** Takes one back from each, in the eighths in which they were counted. */
async function takeBack({ db }: World, counting: Counting[], also?: Counted): Promise<void> {
  const back = counting.map(({ name, hash, part }) => ({ name, hash, part }))
  if (back.length || also) await takeAll(db, { back, also })
}

type TakingBack = { back: Pick<Counting, 'name' | 'hash' | 'part'>[]; also: Counted | undefined }
const takeAll = statement((_db, { back, also }: TakingBack) => {
  if (!back.length && also) return countQuery(also)
  const rows = back.map(({ name, hash, part }) => sql`(${name}, ${hash}, cast(${part} as timestamptz))`)
  const taking = sql`
    update limit_count set count = limit_count.count - 1
    from (select name, key, window_start from limit_count
      where (name, key, window_start) in (${sql.join(rows)}) order by name, key for update) counted
    where limit_count.name = counted.name and limit_count.key = counted.key
      and limit_count.window_start = counted.window_start and limit_count.count > 0`
  return also ? sql`with also as (${countQuery(also)}) ${taking}` : taking // what everybody counts comes last, and is held shortly
})

/** Takes one back that was counted by an earlier request: from the newest eighth that has one. */
export async function undoOneUse(world: World, [limit, key]: LimitUse): Promise<void> {
  for (const { name, hash, since } of countingOf(world, limit, key))
    await sql`
      update limit_count set count = count - 1
      where name = ${name} and key = ${hash} and count > 0 and window_start = (select max(window_start) from limit_count
        where name = ${name} and key = ${hash} and window_start > ${since} and count > 0)`.execute(world.db)
}

/** Whether it would be one too many, without counting it. */
export async function isLimitReached(world: World, [limit, key]: LimitUse): Promise<boolean> {
  for (const one of countingOf(world, limit, key)) {
    const sum = countsOf(world, one).select(({ fn }) => fn.sum<number>('count').as('count'))
    if (Number((await sum.executeTakeFirst())?.count ?? 0) >= one.max) return true
  }
  return false
}

/** All that counts of it now. */
const countsOf = ({ db }: World, { name, hash, since }: Counting) =>
  db.selectFrom('limit_count').where('name', '=', name).where('key', '=', hash).where('window_start', '>', since)

const PARTS = 8

/** What one visitor may, ten may together in the network around them: it may be one person's, or a whole town's. */
const TIMES_AROUND = 10

/** Where and since when a limit counts. A part counts as long as anything in it may still be young enough. */
function countingOf(world: World, limit: LimitName, key: Key) {
  const { max, seconds } = limitOf(world, limit)
  const now = world.now().getTime()
  const length = (seconds * 1000) / PARTS
  const start = Math.floor(now / length) * length
  return [key].flat().map((one, around) => ({
    max: max * (around ? TIMES_AROUND : 1),
    name: limit,
    hash: world.keys.hmac('limits', one),
    part: new Date(start),
    since: new Date(now - seconds * 1000 - length),
    until: new Date(start + seconds * 1000 + length),
  }))
}

/** How often each limit of this process has said no, for /metrics. */
export const refusals = new Map<string, number>()
export const countRefusal = (limit: string) => refusals.set(limit, (refusals.get(limit) ?? 0) + 1)

/** The wait ends when the oldest part that counts no longer does. */
async function tooMany(world: World, missed: Counting): Promise<Refusal> {
  countRefusal(missed.name)
  const oldest = await countsOf(world, missed)
    .select(({ fn }) => fn.min<Date>('expires_at').as('until'))
    .where('count', '>', 0)
    .executeTakeFirst()
  const left = oldest?.until ? oldest.until.getTime() - world.now().getTime() : 0
  const retryAfter = Math.max(1, Math.ceil(left / 1000))
  return new Refusal(429, `That was tried too often. Please wait ${formatWait(retryAfter)} and try again.`, {
    retryAfter,
  })
}

/** Nobody counts 1620 minutes. */
export const formatWait = (seconds: number): string => {
  const minutes = Math.ceil(seconds / 60)
  if (seconds < 60) return `${seconds} seconds`
  if (minutes === 1) return 'a minute'
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`
}
