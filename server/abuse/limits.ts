import { sql } from 'kysely'
import type { Address } from '#server/client.ts'
import type { Config } from '#server/config/config.ts'
import type { Limit } from '#server/config/rules.ts'
import type { LimitName as LimitSetting } from '#server/config/settings.ts'
import { CommitUnknown } from '#server/db/away.ts'
import { asBookkeeping, nowOrLater, undoIfAway } from '#server/db/outage.ts'
import { exactly } from '#server/db/patient-driver.ts'
import { statement } from '#server/db/statement.ts'
import { Refusal } from '#server/refusal.ts'
import { recordEvent } from '#server/security/security-log.ts'
import type { World } from '#server/world/world.ts'
import { giveBackExpired, giveBackUses, isUseOf, newOpenAttempt, type OpenAttempt } from './open-uses.ts'

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

/** Counts one use and says whether there was one left, for calls that are ignored beyond the limit and not refused. */
export const isWithinLimit = (world: World, limit: LimitName, key: Key): Promise<boolean> =>
  countAgainstLimit(world, limit, key).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Refusal) return false
      throw error
    },
  )

/**
 * Counts one use of each limit, or of none if one of them is reached. All processes share one table, and keys are stored
 * only as keyed hashes. The window slides in small buckets, so that the limit cannot be used twice at the edge of a window.
 */
export async function countAgainstLimits(world: World, uses: LimitUse[], about: About = {}) {
  const { counted, reached } = await countUses(world, uses)
  const left = new Set(counted)
  const giveBack = async ({ names }: { names?: LimitName[] } = {}) => {
    const given = [...left].filter(({ name }) => names?.includes(name) ?? true)
    for (const counter of given) left.delete(counter)
    await undoCounts(world, given)
  }
  const keep = undoIfAway(giveBack)
  if (!reached) return { giveBack, keep }
  await giveBack() // a concurrent request used up one of the limits, but the others were counted
  throw await refusalOf(world, reached, uses, about)
}

/**
 * The same for an attempt to pay. What it counts stays open until settled, and is given back if that never happens.
 * Returns the id to settle it by.
 */
export async function countWhileOpen(world: World, reference: string, uses: LimitUse[]): Promise<string> {
  const attempt = newOpenAttempt(world, reference)
  undoIfAway(() => nowOrLater(() => giveBackUses(exactly(world.db), { reference, id: attempt.id })))
  const { reached } = await countUses(world, uses, attempt)
  if (!reached) return attempt.id
  await giveBackUses(world.db, { reference, id: attempt.id })
  if (await giveBackExpired(world, reached.hash)) return countWhileOpen(world, reference, uses)
  throw await refusalOf(world, reached, uses)
}

async function countUses(world: World, uses: LimitUse[], attempt?: OpenAttempt) {
  const counters = uses.flatMap(([limit, key]) => countersOf(world, limit, key))
  const { rows } = await asBookkeeping(() => countQuotas(world.db, { counters, attempt })).catch(
    async (error: unknown) => {
      if (error instanceof CommitUnknown && !attempt) await undoCounts(world, counters) // better one too few than one too many
      throw error
    },
  )
  const results = counters.map((counter) => ({
    counter,
    ...rows.find(({ name, key }) => name === counter.name && key === counter.hash),
  }))
  const counted = results.filter(({ is_counted }) => is_counted).map(({ counter }) => counter)
  const reached = results.find(({ is_full }) => is_full) ?? results.find(({ is_counted }) => !is_counted)
  return { counted, reached: reached?.counter }
}

type Counting = { counters: Counter[]; attempt: OpenAttempt | undefined }
const countQuotas = statement((_db, { counters, attempt }: Counting) => {
  const rows = counters.map(
    ({ name, hash, bucket, since, expiresAt, max }) =>
      sql`(${name}, ${hash}, cast(${bucket} as timestamptz), cast(${since} as timestamptz), cast(${expiresAt} as timestamptz), cast(${max} as bigint))`,
  )
  const open =
    attempt &&
    sql`, opened as (
      insert into open_use (reference, id, uses, expires_at)
      select cast(${attempt.reference} as text), cast(${attempt.id} as uuid),
        jsonb_agg(jsonb_build_object('name', name, 'key', key, 'window_start', bucket)), cast(${attempt.expiresAt} as timestamptz)
      from counted join quota using (name, key) having count(*) > 0)`
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
    ${open ?? sql``}
    select name, key, (name, key) in (select name, key from counted) as is_counted, remaining <= 0 as is_full from quota`
})

/** Subtracts one from each counter, in the bucket that was counted. If the database is away, as soon as it's back. */
async function undoCounts({ db }: World, counters: Counter[]): Promise<void> {
  const buckets = counters.map(({ name, hash, bucket }) => ({ name, hash, bucket }))
  if (buckets.length) await nowOrLater(() => asBookkeeping(() => subtractQuery(exactly(db), { buckets })))
}

const subtractQuery = statement((_db, { buckets }: { buckets: Pick<Counter, 'name' | 'hash' | 'bucket'>[] }) => {
  const rows = buckets.map(({ name, hash, bucket }) => sql`(${name}, ${hash}, cast(${bucket} as timestamptz))`)
  return sql`
    update limit_count set count = limit_count.count - 1
    from (select name, key, window_start from limit_count
      where (name, key, window_start) in (${sql.join(rows)}) order by name, key for update) counted
    where limit_count.name = counted.name and limit_count.key = counted.key
      and limit_count.window_start = counted.window_start and limit_count.count > 0`
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

/** A use counts from the start of its bucket: never longer than the window, and at most a twenty-fourth less. */
const BUCKETS = 24

/** Counts from the end of its bucket instead, so that the operator never pays for more in any window. It is nobody's own limit. */
const STRICT: LimitName = 'LIMIT_CODES'

/** A /48 may belong to one person or to a whole town, so it gets ten times the limit of a visitor. */
const NETWORK_FACTOR = 10

type Counter = ReturnType<typeof countersOf>[number]

/** One counter for the visitor and one for each wider network. After the keys were changed, the old counters count on. */
function countersOf(world: World, limit: LimitName, key: Key) {
  const { max, seconds } = limitOf(world, limit)
  const now = world.now().getTime()
  const windowMs = seconds * 1000
  const bucketMs = windowMs / BUCKETS
  const start = Math.floor(now / bucketMs) * bucketMs
  const countedMs = limit === STRICT ? windowMs + bucketMs : windowMs
  return [key].flat().flatMap((text, index) =>
    world.keys.hmacs('limits', text).map((hash) => ({
      max: max * (index === 0 ? 1 : NETWORK_FACTOR),
      name: limit,
      hash,
      bucket: new Date(start),
      since: new Date(now - countedMs),
      expiresAt: new Date(start + countedMs),
    })),
  )
}

/** Refusals by limit since this process started, for /metrics. */
export const refusals = new Map<string, number>()
export const countRefusal = (limit: string) => refusals.set(limit, (refusals.get(limit) ?? 0) + 1)

/** What a limit of zero says: nothing is counted down, so there is no time to name. */
const closed: Partial<Record<LimitName, string>> = {
  LIMIT_ENROLLMENTS: 'Joining is closed at the moment. Please come back later.',
}
const CLOSED = 'This is not available at the moment. Please try again later.'

/** Counts nothing that anybody could attack. */
const UNLOGGED: LimitName = 'LIMIT_HITS'

/** Whose limit it is, for the security log. */
type About = { member_id?: string | undefined; staff_id?: string; address?: Address }

async function refusalOf(world: World, counter: Counter, uses: LimitUse[], about: About = {}): Promise<Refusal> {
  countRefusal(counter.name)
  const address = uses.map(([, key]) => key).find((key): key is Address => typeof key !== 'string')
  if (counter.name !== UNLOGGED)
    await recordEvent(world, { kind: 'limit_tripped', address, ...about, details: { limit: counter.name } })
  if (counter.max === 0)
    return new Refusal(429, closed[counter.name] ?? CLOSED, { retryAfter: limitOf(world, counter.name).seconds })
  const retryAfter = await secondsUntilFree(world, counter)
  return new Refusal(429, `Too many attempts. Please try again ${whenToRetry(retryAfter)}.`, { retryAfter })
}

/** The wait ends when the oldest used bucket leaves the window, or when an attempt that never ended gives back its use. */
async function secondsUntilFree(world: World, counter: Counter): Promise<number> {
  const oldestBucket = bucketsOf(world, counter)
    .select(({ fn }) => fn.min<Date>('expires_at').as('expires_at'))
    .where('count', '>', 0)
  const oldestOpen = world.db
    .selectFrom('open_use')
    .select(({ fn }) => fn.min<Date>('expires_at').as('expires_at'))
    .where(isUseOf({ name: counter.name, key: counter.hash }))
  const rows = await oldestBucket.unionAll(oldestOpen).execute()
  const times = rows.flatMap(({ expires_at }) => (expires_at ? [expires_at.getTime()] : []))
  return times.length ? Math.max(1, Math.ceil((Math.min(...times) - world.now().getTime()) / 1000)) : 1
}

const MINUTE = 60
const HOUR = 60 * MINUTE

/** How long a wait is, as people say it: up to so many seconds. */
const waits: [upTo: number, text: (seconds: number) => string][] = [
  [1, () => '1 second'],
  [MINUTE - 1, (seconds) => `${seconds} seconds`],
  [1.5 * MINUTE, () => 'a minute'],
  [7.5 * MINUTE, () => 'a few minutes'],
  [45 * MINUTE, (seconds) => `about ${5 * Math.round(seconds / (5 * MINUTE))} minutes`],
  [1.5 * HOUR, () => 'about an hour'],
  [20 * HOUR, (seconds) => `about ${Math.round(seconds / HOUR)} hours`],
  [36 * HOUR, () => 'a day'],
]
export const formatWait = (seconds: number): string =>
  waits.find(([upTo]) => seconds <= upTo)?.[1](seconds) ?? `${Math.ceil(seconds / (24 * HOUR))} days`

/** From half a day to a day ahead, people say "tomorrow". */
export const whenToRetry = (seconds: number): string =>
  seconds > 12 * HOUR && seconds <= 24 * HOUR ? 'tomorrow' : `in ${formatWait(seconds)}`
