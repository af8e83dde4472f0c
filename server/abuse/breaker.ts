import { sql } from 'kysely'
import type { Db } from '#server/db/db.ts'
import { acquireLease, useOnce } from '#server/db/spent.ts'
import { statement } from '#server/db/statement.ts'
import type { World } from '#server/world.ts'

/**
 * Trips when too large a share of something fails, over all visitors and all processes, and stays open for a while.
 * declines: cards that the bank refuses. codes: messages that nobody confirms. It takes several networks to trip it: what
 * one of them adds is capped.
 */
type Breaker = 'declines' | 'codes'
export const breakers: Breaker[] = ['declines', 'codes']

const settingOf = ({ config }: World, breaker: Breaker) =>
  ({ declines: config.BREAKER_DECLINES, codes: config.BREAKER_CODES })[breaker]
const isOff = (world: World, breaker: Breaker) => !Number.isFinite(settingOf(world, breaker).failures)

/** A bank has declined it. What is found out later is nobody's: all of it together counts as one network. */
export const recordDecline = (world: World, network = 'nobody') => failed(world, 'declines', network)

/** A bank has taken it: what is to be counted. */
export const approvalCount = (world: World) => counted(world, 'declines', GOOD, world.now())

/** A message has been sent; it is bad until it is confirmed. */
export const recordCodeSent = (world: World, network: string) => failed(world, 'codes', network)

/** A code has been typed: none of the messages that it took was bad. */
export async function recordCodeConfirmed(
  world: World,
  network: string,
  { sent_at, sends }: { sent_at: Date; sends: number },
): Promise<void> {
  await write(world.db, counted(world, 'codes', keyOf(world, network), sent_at, -sends))
  await write(world.db, counted(world, 'codes', GOOD, sent_at))
}

async function failed(world: World, breaker: Breaker, network: string): Promise<void> {
  if (isOff(world, breaker)) return
  await write(world.db, counted(world, breaker, keyOf(world, network), world.now()))
  await tripIfBad(world, breaker)
}

/** What is good is counted in one row, what is bad by the network that it came from. */
const GOOD = 'good'
const keyOf = ({ keys }: World, network: string) => keys.hmac('limits', network)

const DAY = 86_400
const PARTS = 6

/** How long a visitor may take to type a code: until then it is neither good nor bad. */
const PATIENCE_SECONDS = 600

export type Counted = ReturnType<typeof counted>

function counted(world: World, breaker: Breaker, key: string, at: Date, by = 1) {
  const { seconds } = settingOf(world, breaker)
  const length = (seconds * 1000) / PARTS
  const start = Math.floor(at.getTime() / length) * length
  const until = new Date(start + (memoryOf(world, breaker) + GRACE_SECONDS[breaker]) * 1000)
  return { name: `breaker ${breaker}`, key, part: new Date(start), at_first: Math.max(by, 0), by, until }
}

/** Counts it: by itself, or as a part of a larger statement. */
export const countQuery = ({ name, key, part, at_first, by, until }: Counted) => sql`
  insert into limit_count (name, key, window_start, count, expires_at)
  values (${name}, ${key}, ${part}, ${at_first}, ${until})
  on conflict (name, key, window_start) do update set count = greatest(limit_count.count + ${by}, 0)`
const write = statement((_db, counted: Counted) => countQuery(counted))

/** seconds: unless it is the setting's. without: so old they are at least. times: as many times as the setting says. */
type Judged = { seconds?: number; without: number; times: number }

/** In a short time, and again: by whoever is patient, and many at once that need not be waited for. */
const judged: Record<Breaker, Judged[]> = {
  declines: [
    { without: 0, times: 1 },
    { seconds: DAY, without: 0, times: 5 },
  ],
  codes: [
    { without: PATIENCE_SECONDS, times: 1 },
    { without: 0, times: 4 },
  ],
}

/** How far back it looks, with the part that has begun before. */
function memoryOf(world: World, breaker: Breaker): number {
  const { seconds } = settingOf(world, breaker)
  return Math.max(...judged[breaker].map((window) => (window.seconds ?? seconds) + window.without)) + seconds / PARTS
}

/** Who was to confirm a phone may do so a while longer. */
const GRACE_SECONDS: Record<Breaker, number> = { declines: 3600, codes: 0 }

/** One network adds no more than that part of what it takes. */
const NETWORKS = 5
const capOf = (enough: number) => Math.max(1, enough / NETWORKS)

/**
 * Enough bad ones, few good ones beside them. Who has tripped today trips sooner, and stays open twice as long. Fewer are
 * enough then, and each network adds less to them, but as much as ever to the share: the good ones are not fewer.
 */
async function tripIfBad(world: World, breaker: Breaker): Promise<void> {
  const { failures, percent, seconds } = settingOf(world, breaker)
  if (await secondsOpen(world, breaker)) return
  const { trips, last } = await tripsToday(world, breaker)
  for (const { times, ...window } of judged[breaker]) {
    const enough = Math.max(1, trips ? failures / 4 : failures) * times
    const caps = { cap: capOf(enough), share: capOf(failures * times) }
    const { counted, bad, good } = await tally(world, breaker, { seconds, ...window, ...caps, last })
    if (counted >= enough && bad * 100 >= (bad + good) * percent) return trip(world, breaker, trips)
  }
}

/** cap, share: what one network adds to the number, and to the share. last: when it tripped. */
type Tallied = Required<Omit<Judged, 'times'>> & { cap: number; share: number; last: Date }

/** What became of those of the last while, without the youngest, and without those that have tripped it before. */
async function tally({ db, now }: World, breaker: Breaker, { seconds, without, cap, share, last }: Tallied) {
  const part = without ? seconds / PARTS : 0 // its last one was counted when it ended
  const newest = now().getTime() - (without + part) * 1000
  const oldest = Math.max(newest - seconds * 1000, last.getTime())
  const { rows } = await sql<{ counted: number; bad: number; good: number }>`
    select coalesce(sum(least(count, cast(${cap} as numeric))) filter (where key <> ${GOOD}), 0) as counted,
      coalesce(sum(least(count, cast(${share} as numeric))) filter (where key <> ${GOOD}), 0) as bad,
      coalesce(sum(count) filter (where key = ${GOOD}), 0) as good
    from (select key, sum(count) as count from limit_count
      where name = ${`breaker ${breaker}`} and window_start > ${new Date(oldest)} and window_start <= ${new Date(newest)}
      group by key) by_network`.execute(db)
  return { counted: Number(rows[0]?.counted), bad: Number(rows[0]?.bad), good: Number(rows[0]?.good) }
}

async function trip(world: World, breaker: Breaker, trips: number): Promise<void> {
  const seconds = Math.min(world.config.BREAKER_SECONDS * 2 ** trips, DAY)
  const now = world.now()
  const until = (later: number) => new Date(now.getTime() + later * 1000)
  const isTripped = await acquireLease(world.db, now, { kind: 'breaker', key: breaker, expires_at: until(seconds) })
  if (!isTripped) return // somebody else's decline was the last straw
  const expires_at = until(Math.max(memoryOf(world, breaker), DAY))
  await useOnce(world.db, { kind: `breaker ${breaker}`, key: now.toISOString(), expires_at })
  world.log.error({ breaker, seconds }, 'a breaker is open: too many of them fail')
}

/** How often it has tripped, and when it last did: from then on it counts anew. */
async function tripsToday({ db, now }: World, breaker: Breaker) {
  const { trips, last } = await db
    .selectFrom('spent')
    .select(({ fn }) => [fn.countAll<number>().as('trips'), fn.max<string | null>('key').as('last')])
    .where('kind', '=', `breaker ${breaker}`)
    .where('expires_at', '>', now())
    .executeTakeFirstOrThrow()
  return { trips: Number(trips), last: new Date(last ?? 0) }
}

/** Seconds for which it is still open, or was then; nothing when it is not. */
export async function secondsOpen(world: World, breaker: Breaker, at = world.now()): Promise<number | undefined> {
  if (isOff(world, breaker)) return undefined
  const [row] = (await readOpenUntil(world.db, { breaker })).rows
  const left = row ? Math.ceil((row.expires_at.getTime() - at.getTime()) / 1000) : 0
  return left > 0 ? left : undefined
}

const readOpenUntil = statement((db, { breaker }: { breaker: Breaker }) => openUntil(db, breaker))

/** Until when it is open, if it ever was. */
const openUntil = (db: Db, breaker: Breaker) =>
  db.selectFrom('spent').select('expires_at').where('kind', '=', 'breaker').where('key', '=', breaker)

/** Why a card may need a confirmed phone. */
type Doubt = { open_until: Date | null; declined: number | null }
export type RiskQuery = ReturnType<typeof riskQuery>

export const riskQuery = (world: World, network: string, ago = 0) => ({
  key: keyOf(world, network),
  since: new Date(world.now().getTime() - (DAY + ago) * 1000),
})

/** By itself, or as a part of a larger statement. */
export const riskColumns = (db: Db, { key, since }: RiskQuery) =>
  [
    openUntil(db, 'declines').as('open_until'),
    db
      .selectFrom('limit_count')
      .select(({ fn }) => fn.sum<number>('count').as('count'))
      .where('name', '=', 'breaker declines')
      .where('key', '=', key)
      .where('window_start', '>', since)
      .as('declined'),
  ] as const
const readDoubts = statement((db, asked: RiskQuery) => db.selectNoFrom(riskColumns(db, asked)))

/** Everybody's does while too many are declined, or did a moment ago; so does one from a network where that many were today. */
export const isRisky = (world: World, { open_until, declined }: Doubt, ago = 0): boolean =>
  !isOff(world, 'declines') &&
  ((open_until !== null && open_until.getTime() + ago * 1000 > world.now().getTime()) ||
    Number(declined) >= world.config.BREAKER_DECLINES.failures)

export async function requiresPhoneCode(world: World, network: string, ago?: number): Promise<boolean> {
  const [found] = (await readDoubts(world.db, riskQuery(world, network, ago))).rows
  return found !== undefined && isRisky(world, found, ago)
}
