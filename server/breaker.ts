import { sql } from 'kysely'
import type { Db } from './db/open.ts'
import { spendOnce, takeTurn } from './db/spent.ts'
import { statement } from './db/statement.ts'
import type { World } from './world.ts'

/**
 * Trips when too large a share of something fails, over all visitors and all processes, and stays open for a while.
 * declines: cards that the bank refuses. codes: messages that nobody confirms.
 */
export type Breaker = 'declines' | 'codes'
export const breakers: Breaker[] = ['declines', 'codes']

const settingOf = ({ config }: World, breaker: Breaker) =>
  ({ declines: config.BREAKER_DECLINES, codes: config.BREAKER_CODES })[breaker]

/** A bank has declined it. */
export async function declinedCard(world: World): Promise<void> {
  const { seconds } = world.config.BREAKER_DECLINES
  await write(world.db, counted('declines', 'bad', world.now(), seconds))
  await tripIfBad(world, 'declines', await tally(world, 'declines', seconds, 0), 1)
}

/** A bank has taken it: what is to be counted. */
export const goodCard = (world: World) =>
  counted('declines', 'good', world.now(), world.config.BREAKER_DECLINES.seconds)

/** How long a visitor may take to type a code: until then it is neither good nor bad. */
const PATIENCE_SECONDS = 600

/** A message has been sent; it is bad until it is confirmed. */
export async function noteMessage(world: World): Promise<void> {
  const { seconds } = world.config.BREAKER_CODES
  await write(world.db, counted('codes', 'bad', world.now(), seconds))
  await tripIfBad(world, 'codes', await tally(world, 'codes', seconds, PATIENCE_SECONDS), 1)
  await tripIfBad(world, 'codes', await tally(world, 'codes', seconds, 0), 4) // many at once need not be waited for
}

/** A code has been typed: none of the messages that it took was bad. */
export async function noteConfirmed(world: World, { sent_at, sends }: { sent_at: Date; sends: number }): Promise<void> {
  const { seconds } = world.config.BREAKER_CODES
  await write(world.db, counted('codes', 'bad', sent_at, seconds, -sends))
  await write(world.db, counted('codes', 'good', sent_at, seconds))
}

const PARTS = 6

export type Counted = ReturnType<typeof counted>

function counted(breaker: Breaker, key: 'bad' | 'good', at: Date, seconds: number, by = 1) {
  const length = (seconds * 1000) / PARTS
  const start = Math.floor(at.getTime() / length) * length
  const until = new Date(start + (seconds + PATIENCE_SECONDS) * 2000)
  return { name: `breaker ${breaker}`, key, part: new Date(start), at_first: Math.max(by, 0), by, until }
}

/** Counts it: by itself, or as a part of a larger statement. */
export const writing = ({ name, key, part, at_first, by, until }: Counted) => sql`
  insert into limit_count (name, key, window_start, count, expires_at)
  values (${name}, ${key}, ${part}, ${at_first}, ${until})
  on conflict (name, key, window_start) do update set count = greatest(limit_count.count + ${by}, 0)`
const write = statement((_db, counted: Counted) => writing(counted))

type Tally = { bad: number; good: number }

/** What became of those of the last while, without the youngest. */
async function tally({ db, now }: World, breaker: Breaker, seconds: number, without: number): Promise<Tally> {
  const part = without ? seconds / PARTS : 0 // its last one was counted when it ended
  const newest = now().getTime() - (without + part) * 1000
  const rows = await db
    .selectFrom('limit_count')
    .select(({ fn }) => ['key', fn.sum<number>('count').as('count')])
    .where('name', '=', `breaker ${breaker}`)
    .where('window_start', '>', new Date(newest - seconds * 1000))
    .where('window_start', '<=', new Date(newest))
    .groupBy('key')
    .execute()
  const counted = new Map(rows.map(({ key, count }) => [key, Number(count)]))
  return { bad: counted.get('bad') ?? 0, good: counted.get('good') ?? 0 }
}

const DAY = 86_400

/** Enough bad ones, few good ones beside them. Who has tripped today trips sooner, and stays open twice as long. */
async function tripIfBad(world: World, breaker: Breaker, { bad, good }: Tally, times: number): Promise<void> {
  const { most, percent } = settingOf(world, breaker)
  const trips = await tripsToday(world, breaker)
  const enough = Math.max(1, trips ? most / 4 : most) * times
  if (bad < enough || bad * 100 < (bad + good) * percent || (await secondsOpen(world, breaker))) return
  const seconds = Math.min(world.config.BREAKER_SECONDS * 2 ** trips, DAY)
  const now = world.now()
  const until = (later: number) => new Date(now.getTime() + later * 1000)
  const isTripped = await takeTurn(world.db, now, { kind: 'breaker', key: breaker, expires_at: until(seconds) })
  if (!isTripped) return // somebody else's decline was the last straw
  await spendOnce(world.db, { kind: `breaker ${breaker}`, key: now.toISOString(), expires_at: until(DAY) })
  await world.db.deleteFrom('limit_count').where('name', '=', `breaker ${breaker}`).execute() // it begins to count anew
  world.log.error({ breaker, seconds }, 'a breaker is open: too many of them fail')
}

async function tripsToday({ db, now }: World, breaker: Breaker): Promise<number> {
  const { count } = await db
    .selectFrom('spent')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('kind', '=', `breaker ${breaker}`)
    .where('expires_at', '>', now())
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Seconds for which it is still open; nothing when it is not. */
export async function secondsOpen(world: World, breaker: Breaker): Promise<number | undefined> {
  const [row] = (await readOpenUntil(world.db, { breaker })).rows
  return secondsLeft(world, row?.expires_at)
}

const readOpenUntil = statement((db, { breaker }: { breaker: Breaker }) => openUntil(db, breaker))

/** Until when it is open, if it ever was: by itself, or as a part of a larger statement. */
export const openUntil = (db: Db, breaker: Breaker) =>
  db.selectFrom('spent').select('expires_at').where('kind', '=', 'breaker').where('key', '=', breaker)

export function secondsLeft({ now }: World, until: Date | null | undefined): number | undefined {
  const left = until ? Math.ceil((until.getTime() - now().getTime()) / 1000) : 0
  return left > 0 ? left : undefined
}
