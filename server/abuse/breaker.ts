import { sql } from 'kysely'
import type { Db } from '#server/db/db.ts'
import { statement } from '#server/db/statement.ts'
import type { Tables } from '#server/db/tables.ts'
import { recordEvent } from '#server/security/security-log.ts'
import type { World } from '#server/world/world.ts'

/**
 * A circuit breaker over all visitors and all processes: it opens for a while when too large a share of attempts fails.
 * declines: cards that the bank declines. codes: codes that are sent and never confirmed.
 * What one network adds is capped, so that a single attacker cannot open it for everyone.
 */
export type Breaker = 'declines' | 'codes'
export const breakers: Breaker[] = ['declines', 'codes']

export const thresholdOf = ({ config }: World, breaker: Breaker) =>
  ({ declines: config.BREAKER_DECLINES, codes: config.BREAKER_CODES })[breaker]
export const isOff = (world: World, breaker: Breaker) => !Number.isFinite(thresholdOf(world, breaker).failures)

/** Declines that the janitor finds later have no network. Together they count as one. */
const NO_NETWORK = 'nobody'
export const recordDecline = (world: World, network = NO_NETWORK) => recordFailure(world, 'declines', network)

/** An approved card, to be written with countQuery. */
export const approvalCount = (world: World) => toCount(world, 'declines', SUCCESSES, world.now())

/** A code counts as a failure until it is confirmed. */
export const recordCodeSent = (world: World, network: string) => recordFailure(world, 'codes', network)

/** Turns the failures of all codes that were sent for this check into one success. */
export async function recordCodeConfirmed(
  world: World,
  network: string,
  { sent_at, sends }: { sent_at: Date; sends: number },
): Promise<void> {
  await writeCount(world.db, toCount(world, 'codes', keyOf(world, network, sent_at), sent_at, -sends))
  await writeCount(world.db, toCount(world, 'codes', SUCCESSES, sent_at))
}

async function recordFailure(world: World, breaker: Breaker, network: string): Promise<void> {
  if (isOff(world, breaker)) return
  await writeCount(world.db, toCount(world, breaker, keyOf(world, network), world.now()))
  await tripIfFailing(world, breaker)
}

/** Successes share one key. Failures are counted by network. */
const SUCCESSES = 'good'
const keyOf = ({ keys }: World, network: string, at?: Date) => keys.hmac('limits', network, at)

const DAY = 86_400
const BUCKETS = 6

/** How long a visitor may take to type a code before it counts as a failure. */
const CONFIRM_SECONDS = 600

export type BreakerCount = ReturnType<typeof toCount>

function toCount(world: World, breaker: Breaker, key: string, at: Date, change = 1) {
  const { seconds } = thresholdOf(world, breaker)
  const bucketMs = (seconds * 1000) / BUCKETS
  const start = Math.floor(at.getTime() / bucketMs) * bucketMs
  const expiresAt = new Date(start + (longestWindow(world, breaker) + GRACE_SECONDS[breaker]) * 1000)
  return { name: `breaker ${breaker}`, key, bucket: new Date(start), initial: Math.max(change, 0), change, expiresAt }
}

/** Can also be a part of a larger statement. */
export const countQuery = ({ name, key, bucket, initial, change, expiresAt }: BreakerCount) => sql`
  insert into limit_count (name, key, window_start, count, expires_at)
  values (${name}, ${key}, ${bucket}, ${initial}, ${expiresAt})
  on conflict (name, key, window_start) do update set count = greatest(limit_count.count + ${change}, 0)`
const writeCount = statement((_db, count: BreakerCount) => countQuery(count))

/** seconds: the setting's by default. minAge: younger attempts are ignored. factor: multiplies the setting's failures. */
type Window = { seconds?: number; minAge: number; factor: number }

/** Each breaker has two windows. The second catches slow attacks on cards, and bursts of codes that are still young. */
const windows: Record<Breaker, Window[]> = {
  declines: [
    { minAge: 0, factor: 1 },
    { seconds: DAY, minAge: 0, factor: 5 },
  ],
  codes: [
    { minAge: CONFIRM_SECONDS, factor: 1 },
    { minAge: 0, factor: 4 },
  ],
}

/** In seconds, with the bucket in which it starts. */
function longestWindow(world: World, breaker: Breaker): number {
  const { seconds } = thresholdOf(world, breaker)
  const lengths = windows[breaker].map((window) => (window.seconds ?? seconds) + window.minAge)
  return Math.max(...lengths) + seconds / BUCKETS
}

/** A visitor who was asked to confirm a phone can still do so for an hour. */
const GRACE_SECONDS: Record<Breaker, number> = { declines: 3600, codes: 0 }

/** It takes at least this many networks to open a breaker. */
const MIN_NETWORKS = 5
const capPerNetwork = (failures: number) => Math.max(1, failures / MIN_NETWORKS)

/**
 * Opens the breaker if there are enough failures and they are a large enough share. A breaker that has tripped today needs
 * only a quarter of the failures. The cap for their number shrinks with that, but the cap for the share does not, because
 * there are as many successes as before.
 */
async function tripIfFailing(world: World, breaker: Breaker): Promise<void> {
  const { failures, percent, seconds } = thresholdOf(world, breaker)
  if (await secondsOpen(world, breaker)) return
  const { trips, last } = await tripsToday(world, breaker)
  for (const { factor, ...window } of windows[breaker]) {
    const needed = Math.max(1, trips ? failures / 4 : failures) * factor
    const caps = { numberCap: capPerNetwork(needed), shareCap: capPerNetwork(failures * factor) }
    const { number, failed, succeeded } = await tally(world, breaker, { seconds, ...window, ...caps, since: last })
    if (number >= needed && failed * 100 >= (failed + succeeded) * percent) return trip(world, breaker, trips)
  }
}

/** numberCap, shareCap: what one network adds at most to the number and to the share. since: the last trip. */
type TallyWindow = Required<Omit<Window, 'factor'>> & { numberCap: number; shareCap: number; since: Date }

/** Failures with either cap, and successes, in a window after the last trip. */
async function tally({ db, now }: World, breaker: Breaker, window: TallyWindow) {
  const { seconds, minAge, numberCap, shareCap, since } = window
  const bucketSeconds = minAge ? seconds / BUCKETS : 0 // the last attempt of a bucket is that much younger than its start
  const newest = now().getTime() - (minAge + bucketSeconds) * 1000
  const oldest = Math.max(newest - seconds * 1000, since.getTime())
  const { rows } = await sql<{ number: number; failed: number; succeeded: number }>`
    select coalesce(sum(least(count, cast(${numberCap} as numeric))) filter (where key <> ${SUCCESSES}), 0) as number,
      coalesce(sum(least(count, cast(${shareCap} as numeric))) filter (where key <> ${SUCCESSES}), 0) as failed,
      coalesce(sum(count) filter (where key = ${SUCCESSES}), 0) as succeeded
    from (select key, sum(count) as count from limit_count
      where name = ${`breaker ${breaker}`} and window_start > ${new Date(oldest)} and window_start <= ${new Date(newest)}
      group by key) by_network`.execute(db)
  return {
    number: Number(rows[0]?.number),
    failed: Number(rows[0]?.failed),
    succeeded: Number(rows[0]?.succeeded),
  }
}

async function trip(world: World, breaker: Breaker, trips: number): Promise<void> {
  const seconds = Math.min(world.config.BREAKER_SECONDS * 2 ** trips, DAY)
  const now = world.now()
  const until = (later: number) => new Date(now.getTime() + later * 1000)
  if (!(await openBreaker(world.db, now, breaker, until(seconds)))) return // another process was first
  const expires_at = until(Math.max(longestWindow(world, breaker), DAY))
  await world.db
    .insertInto('breaker_trip')
    .values({ breaker, tripped_at: now, expires_at })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await recordBreakerEvent(world, { breaker, at: now, kind: 'tripped', open_until: until(seconds) })
  await recordEvent(world, { kind: 'breaker_opened', details: { breaker, until: until(seconds).toISOString() } })
  world.log.error({ breaker, seconds }, 'breaker opened: too many failures')
}

const HISTORY_DAYS = 90

/** What the console shows as its history. */
export async function recordBreakerEvent(
  { db }: Pick<World, 'db'>,
  event: Omit<Tables['breaker_event'], 'expires_at'>,
): Promise<void> {
  const expires_at = new Date(event.at.getTime() + HISTORY_DAYS * DAY * 1000)
  await db
    .insertInto('breaker_event')
    .values({ ...event, expires_at })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Opens the breaker, unless it is open already. */
export async function openBreaker(db: Db, now: Date, breaker: Breaker, open_until: Date): Promise<boolean> {
  const { rows } = await sql`
    insert into breaker (name, open_until) values (${breaker}, ${open_until})
    on conflict (name) do update set open_until = excluded.open_until where breaker.open_until <= ${now}
    returning name`.execute(db)
  return rows.length === 1
}

/** How often it has tripped, and when last: counting starts over after each trip, and after it was closed by hand. */
async function tripsToday({ db, now }: World, breaker: Breaker) {
  const { trips, tripped_at, closed_at } = await db
    .selectFrom('breaker_trip')
    .select(({ fn, selectFrom }) => [
      fn.countAll<number>().as('trips'),
      fn.max<Date | null>('tripped_at').as('tripped_at'),
      selectFrom('breaker').select('closed_at').where('name', '=', breaker).as('closed_at'),
    ])
    .where('breaker', '=', breaker)
    .where('expires_at', '>', now())
    .executeTakeFirstOrThrow()
  const last = Math.max(tripped_at?.getTime() ?? 0, closed_at?.getTime() ?? 0)
  return { trips: Number(trips), last: new Date(last) }
}

/** For how many more seconds it is open, as of `at`. Undefined if it is closed. */
export async function secondsOpen(world: World, breaker: Breaker, at = world.now()): Promise<number | undefined> {
  if (isOff(world, breaker)) return undefined
  const [row] = (await readOpenUntil(world.db, { breaker })).rows
  const remaining = row ? Math.ceil((row.open_until.getTime() - at.getTime()) / 1000) : 0
  return remaining > 0 ? remaining : undefined
}

const readOpenUntil = statement((db, { breaker }: { breaker: Breaker }) => openUntil(db, breaker))

/** Until when it is or was open. */
const openUntil = (db: Db, breaker: Breaker) =>
  db.selectFrom('breaker').select('open_until').where('name', '=', breaker)

/** What decides whether a card needs a confirmed phone. */
type Risk = { open_until: Date | null; declined: number | null }
export type RiskQuery = ReturnType<typeof riskQuery>

export const riskQuery = (world: World, network: string, ago = 0) => ({
  keys: world.keys.hmacs('limits', network), // also of declines that were counted before the keys were changed
  since: new Date(world.now().getTime() - (DAY + ago) * 1000),
})

/** Can also be columns of a larger statement. */
export const riskColumns = (db: Db, { keys, since }: RiskQuery) =>
  [
    openUntil(db, 'declines').as('open_until'),
    db
      .selectFrom('limit_count')
      .select(({ fn }) => fn.sum<number>('count').as('count'))
      .where('name', '=', 'breaker declines')
      .where('key', 'in', keys)
      .where('window_start', '>', since)
      .as('declined'),
  ] as const
const readRisk = statement((db, query: RiskQuery) => db.selectNoFrom(riskColumns(db, query)))

/** Whether the breaker is open, or was `ago` seconds ago, or this network alone had enough declines within a day to open it. */
export const isRisky = (world: World, { open_until, declined }: Risk, ago = 0): boolean =>
  !isOff(world, 'declines') &&
  ((open_until !== null && open_until.getTime() + ago * 1000 > world.now().getTime()) ||
    Number(declined) >= world.config.BREAKER_DECLINES.failures)

export async function requiresPhoneCode(world: World, network: string, ago?: number): Promise<boolean> {
  const [risk] = (await readRisk(world.db, riskQuery(world, network, ago))).rows
  return risk !== undefined && isRisky(world, risk, ago)
}
