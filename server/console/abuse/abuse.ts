import { sql } from 'kysely'
import type { AbuseView } from '#contract/console/abuse.ts'
import type { ConsoleSession } from '#contract/console/access.ts'
import { type Breaker, breakers, isOff, thresholdOf } from '#server/abuse/breaker.ts'
import type { LimitName } from '#server/config/settings.ts'
import type { World } from '#server/world/world.ts'

const DAY_MS = 86_400_000
const HISTORY = 20
const MAX_BLOCKS_SHOWN = 500
/** More declines than this in a week are not counted one by one. */
const MAX_DECLINES = 20_000

/** What is limited, what is closed, and what was declined lately. */
export async function viewAbuse(world: World): Promise<AbuseView> {
  const [pause, states, history, blocks, declines, refused] = await Promise.all([
    pauseOf(world),
    Promise.all(breakers.map((name) => breakerOf(world, name))),
    historyOf(world),
    blocksOf(world),
    declinesOf(world),
    refusalsOf(world),
  ])
  return { ...pause, breakers: states, history, blocks, declines, limits: limitsOf(world, refused) }
}

const daysAgo = ({ now }: Pick<World, 'now'>, days: number) => new Date(now().getTime() - days * DAY_MS)

async function pauseOf({ db, now }: World): Promise<Pick<AbuseView, 'pause'>> {
  const row = await db.selectFrom('joining_pause').selectAll().executeTakeFirst()
  if (!row || (row.ends_at && row.ends_at <= now())) return {}
  const { message, created_at, ends_at } = row
  return {
    pause: { message, since: created_at.toISOString(), ...(ends_at ? { ends_at: ends_at.toISOString() } : {}) },
  }
}

async function breakerOf(world: World, name: Breaker): Promise<AbuseView['breakers'][number]> {
  if (isOff(world, name)) return { name, state: 'off', rule: 'Turned off in the settings.' }
  const { failures, seconds, percent } = thresholdOf(world, name)
  const what = name === 'declines' ? 'declined cards' : 'unconfirmed codes'
  const rule = `Turns on automatically after ${failures} ${what} within ${spanOf(seconds)}, if they’re at least ${percent}% of the total.`
  const row = await world.db.selectFrom('breaker').select('open_until').where('name', '=', name).executeTakeFirst()
  return row && row.open_until > world.now()
    ? { name, state: 'open', open_until: row.open_until.toISOString(), rule }
    : { name, state: 'closed', rule }
}

/** What is stopped or restricted right now. */
export async function findRestrictions(world: World): Promise<NonNullable<ConsoleSession['restrictions']>> {
  const [{ pause }, open] = await Promise.all([
    pauseOf(world),
    world.db.selectFrom('breaker').select(['name', 'open_until']).where('open_until', '>', world.now()).execute(),
  ])
  return [
    ...(pause ? [{ kind: 'joining' as const, ...(pause.ends_at ? { until: pause.ends_at } : {}) }] : []),
    ...breakers.flatMap((kind) => {
      const found = isOff(world, kind) ? undefined : open.find(({ name }) => name === kind)
      return found ? [{ kind, until: found.open_until.toISOString() }] : []
    }),
    ...(world.config.RENEWALS === 'on' ? [] : [{ kind: 'renewals' as const }]),
  ]
}

const spans: [seconds: number, one: string, many: string][] = [
  [86_400, 'a day', 'days'],
  [3600, 'an hour', 'hours'],
  [60, 'a minute', 'minutes'],
]

/** 600 → '10 minutes' */
function spanOf(seconds: number): string {
  const [size, one, many] = spans.find(([size]) => seconds % size === 0) ?? [1, 'a second', 'seconds']
  return seconds === size ? one : `${seconds / size} ${many}`
}

async function historyOf({ db, now }: World): Promise<AbuseView['history']> {
  const rows = await db
    .selectFrom('breaker_event')
    .select(['breaker', 'at', 'kind', 'open_until'])
    .where('expires_at', '>', now())
    .orderBy('expires_at', 'desc') // events are kept equally long, so this is the order in which they happened
    .limit(HISTORY)
    .execute()
  return rows.map(({ breaker, at, kind, open_until }) => ({
    breaker,
    at: at.toISOString(),
    kind,
    ...(open_until ? { open_until: open_until.toISOString() } : {}),
  }))
}

async function blocksOf({ db, now }: World): Promise<AbuseView['blocks']> {
  const rows = await db
    .selectFrom('network_block')
    .selectAll()
    .where('expires_at', '>', now())
    .orderBy('expires_at')
    .limit(MAX_BLOCKS_SHOWN)
    .execute()
  return rows.map(({ id, network, note, created_at, expires_at }) => ({
    id,
    network,
    note,
    since: created_at.toISOString(),
    expires_at: expires_at.toISOString(),
  }))
}

const declineClasses = ['input', 'card', 'bank', 'fraud'] as const

async function declinesOf(world: World): Promise<AbuseView['declines']> {
  const { rows } = await sql<{ decline_class: string | null; day: number; week: number }>`
    select decline_class, count(*) filter (where updated_at >= ${daysAgo(world, 1)}) as day, count(*) as week
    from (select decline_class, updated_at from payment where state = 'declined' and updated_at >= ${daysAgo(world, 7)}
      order by updated_at desc limit ${sql.lit(MAX_DECLINES)}) recent
    group by decline_class`.execute(world.db)
  const countsOf = (name: string) => rows.find(({ decline_class }) => decline_class === name)
  return {
    classes: declineClasses.map((name) => ({
      name,
      day: Number(countsOf(name)?.day ?? 0),
      week: Number(countsOf(name)?.week ?? 0),
    })),
    is_capped: rows.reduce((sum, { week }) => sum + Number(week), 0) >= MAX_DECLINES,
  }
}

type Refused = Map<string, { day: number; week: number }>

async function refusalsOf(world: World): Promise<Refused> {
  const { rows } = await sql<{ name: string; day: number; week: number }>`
    select name, coalesce(sum(count) filter (where hour >= ${daysAgo(world, 1)}), 0) as day, sum(count) as week
    from limit_refusal where hour >= ${daysAgo(world, 7)} group by name`.execute(world.db)
  return new Map(rows.map(({ name, day, week }) => [name, { day: Number(day), week: Number(week) }]))
}

/** What each limit counts. */
const limitTexts: Record<LimitName, string> = {
  LIMIT_ENROLLMENTS: 'submitted enrollments, per address',
  LIMIT_DECLINES: 'declined cards, per address',
  LIMIT_DECLINES_BY_CARD: 'declines, per card',
  LIMIT_DECLINES_BY_ENROLLMENT: 'declines and new cards, per enrollment',
  LIMIT_DECLINES_BY_PHONE: 'declines, per phone number',
  LIMIT_HITS: 'counted page views, per address',
  LIMIT_MESSAGES: 'counted messages at fields, per address',
  LIMIT_LOOKUPS: 'username and email lookups, per address',
  LIMIT_CHANGES: 'changes in the office, per member',
  LIMIT_CHALLENGES: 'captchas, per address',
  LIMIT_CODES_BY_ADDRESS: 'phone codes that were not confirmed, per address',
  LIMIT_CODES_BY_NUMBER: 'phone codes, per number',
  LIMIT_CODES_BY_BLOCK: 'phone codes, per 10,000 neighboring numbers',
  LIMIT_CODES_BY_ENROLLMENT: 'phone codes, per enrollment',
  LIMIT_CODES: 'phone codes, for the whole site',
  LIMIT_CODE_CHECKS: 'wrong phone codes, per address',
  LIMIT_GRANTS: 'failed sign-in and email links, per address',
  LIMIT_SIGN_INS: 'wrong passwords, per address',
  LIMIT_SIGN_INS_BY_NAME: 'wrong passwords, per username or email',
  LIMIT_SECOND_FACTORS: 'wrong codes after the right password, per member; wrong sign-ins, per colleague',
  LIMIT_LETTERS: 'requested emails, per address',
  LIMIT_LETTERS_BY_NAME: 'requested emails, per username or email',
  LIMIT_CARD_DIGITS: 'wrong last four digits of the card for a reset, per member',
  LIMIT_MEMBERS_READ: 'pages that show members in the console, per colleague',
  LIMIT_API: 'API calls, per key',
}

const limitsOf = ({ config }: World, refused: Refused): AbuseView['limits'] =>
  (Object.keys(limitTexts) as LimitName[]).map((name) => ({
    name,
    text: limitTexts[name],
    ...config[name],
    refused: refused.get(name) ?? { day: 0, week: 0 },
  }))
