import { isbot } from 'isbot'
import { sql } from 'kysely'
import { type FunnelDevice, type FunnelSource, type FunnelStep, funnelSources } from '#contract/console/funnel.ts'
import { MASTER, SITE_PATTERN } from '#contract/site.ts'
import type { Client } from '#server/client.ts'
import { todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'

/**
 * Where visitors stop, counted from the calls that the form makes anyway, and which messages its fields showed, which the form
 * reports. Nothing about a person is kept. Counts are collected in memory and written every few seconds, so that no request
 * waits for them.
 */

type Hit = { day: string; step: FunnelStep; visitor: string; site: string; device: FunnelDevice; source: FunnelSource }
type Shown = { day: string; visitor: string; field: string; message: string }
type Pending = {
  hits: Map<string, Hit>
  messages: Map<string, Shown>
  fields: Map<string, number>
  timer?: NodeJS.Timeout | undefined
}

const FLUSH_MS = 2_000
/** More in two seconds are not visitors. */
const MAX_PENDING = 2_000

const pendingOf = new WeakMap<World['keys'], Pending>() // the keys are the same object for as long as a process runs

function pendingFor(world: World): Pending {
  const pending: Pending = pendingOf.get(world.keys) ?? { hits: new Map(), messages: new Map(), fields: new Map() }
  pendingOf.set(world.keys, pending)
  pending.timer ??= setTimeout(() => void flushOrWarn(world), FLUSH_MS).unref()
  return pending
}

/** Once for each visitor, step and day. */
export function countStep(world: World, step: FunnelStep, visitor: Client): void {
  const counted = countedVisitor(world, visitor)
  if (!counted) return
  const { day, visitor: hash, page, site } = counted
  const { hits } = pendingFor(world)
  if (hits.size >= MAX_PENDING) return
  const source = sourceOf(page.searchParams.get('utm_source') ?? '')
  hits.set(`${step} ${hash}`, { day, step, visitor: hash, site, device: deviceOf(visitor.agent), source })
}

/** Once for each visitor, field and day: the first message that the field showed. */
export function countMessages(world: World, shown: { field: string; message: string }[], visitor: Client): void {
  const counted = countedVisitor(world, visitor)
  if (!counted) return
  const { day, visitor: hash } = counted
  const { messages } = pendingFor(world)
  for (const { field, message } of shown) {
    const key = `${field} ${hash}`
    if (messages.size < MAX_PENDING && !messages.has(key)) messages.set(key, { day, visitor: hash, field, message })
  }
}

/** Crawlers, prefetches and other hosts do not count. */
function countedVisitor(world: World, visitor: Client) {
  const { agent, address, pageUrl } = visitor
  if (visitor.prefetch || visitor.isFromOtherSite || !agent || isbot(agent)) return
  const page = URL.canParse(pageUrl) ? new URL(pageUrl) : undefined
  if (!page || !world.config.SITE_HOSTS.includes(page.host)) return
  const path = page.pathname.split('/')[1]?.toLowerCase() ?? ''
  if (!SITE_PATTERN.test(path)) return
  const site = world.config.PROVIDER_API_URL ? MASTER : path // we don't know the host's sponsors
  const day = todayOf(world)
  return { day, page, site, visitor: world.keys.hmac('funnel', `${day} ${address[0]} ${agent}`) }
}

/** Which fields were refused. */
export function countFields(world: World, fields: string[]): void {
  if (!fields.length) return
  const pending = pendingFor(world)
  for (const field of fields) pending.fields.set(field, (pending.fields.get(field) ?? 0) + 1)
}

export function deviceOf(agent: string): FunnelDevice {
  if (/iPad|Tablet|PlayBook|Silk|Android(?!.*Mobile)/i.test(agent)) return 'tablet'
  return /Mobi|iPhone|iPod|Android/i.test(agent) ? 'phone' : 'desktop'
}

const sourcePatterns: [FunnelSource, RegExp][] = [
  ['search', /google|bing|duckduckgo|yahoo/],
  ['social', /facebook|^fb|instagram|^ig$|tiktok|youtube|linkedin|twitter|^x$|whatsapp|telegram|pinterest/],
  ['email', /mail|newsletter/],
  ['print', /qr|print|flyer|poster/],
]

/** From utm_source in the link: one of a few, whatever a visitor enters. */
export function sourceOf(text: string): FunnelSource {
  const word = text.trim().toLowerCase().slice(0, 60)
  if (!word) return 'none'
  return sourcePatterns.find(([, pattern]) => pattern.test(word))?.[0] ?? (funnelSources.at(-1) as FunnelSource)
}

const lastFlush = new WeakMap<World['keys'], Promise<void>>()

/** Writes what was counted since the last time, once the write before has ended: a site that stops must not close its database under it. */
export async function flushFunnel(world: World): Promise<void> {
  const before = lastFlush.get(world.keys)?.catch(() => undefined) // whoever started it is told
  const flush = Promise.resolve(before).then(() => writePending(world))
  lastFlush.set(world.keys, flush)
  await flush
}

/** The same, where nobody waits for the outcome. */
export const flushOrWarn = (world: World): Promise<void> =>
  flushFunnel(world).catch((err: unknown) => world.log.warn({ err }, 'steps of visitors were not counted'))

async function writePending(world: World): Promise<void> {
  const pending = pendingOf.get(world.keys)
  if (!pending) return
  pendingOf.delete(world.keys)
  clearTimeout(pending.timer)
  const hits = inOrder(pending.hits)
  if (hits.length) await writeHits(world, hits)
  const messages = inOrder(pending.messages)
  if (messages.length) await writeMessages(world, messages)
  const day = todayOf(world)
  const fields = [...pending.fields]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([field, count]) => ({ day, field, count }))
  if (fields.length)
    await world.db
      .insertInto('funnel_field')
      .values(fields)
      .onConflict((conflict) =>
        conflict.columns(['day', 'field']).doUpdateSet({ count: sql`funnel_field.count + excluded.count` }),
      )
      .execute()
}

/** All processes lock rows in one order. */
const inOrder = <Value>(pending: Map<string, Value>): Value[] =>
  [...pending].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value)

/** Only sites of sponsors, so that made-up addresses leave no rows. */
async function writeHits({ db }: World, hits: Hit[]): Promise<void> {
  const rows = hits.map(
    ({ day, step, visitor, site, device, source }) =>
      sql`(cast(${day} as date), ${step}, ${visitor}, ${site}, ${device}, ${source})`,
  )
  await sql`
    with hit (day, step, visitor, site, device, source) as (values ${sql.join(rows)}),
    known as (
      select hit.* from hit
      where site = ${MASTER} or site in (select sponsor.site from sponsor where sponsor.site = hit.site)),
    fresh as (
      insert into funnel_hit (day, step, visitor) select day, step, visitor from known
      on conflict do nothing returning day, step, visitor)
    insert into funnel_day (day, step, site, device, source, count)
    select day, step, site, device, source, count(*) from known join fresh using (day, step, visitor)
    group by day, step, site, device, source order by 1, 2, 3, 4, 5
    on conflict (day, step, site, device, source) do update set count = funnel_day.count + excluded.count`.execute(db)
}

async function writeMessages({ db }: World, messages: Shown[]): Promise<void> {
  const rows = messages.map(
    ({ day, visitor, field, message }) => sql`(cast(${day} as date), ${visitor}, ${field}, ${message})`,
  )
  await sql`
    with shown (day, visitor, field, message) as (values ${sql.join(rows)}),
    fresh as (
      insert into funnel_hit (day, step, visitor) select day, 'message ' || field, visitor from shown
      on conflict do nothing returning day, step, visitor)
    insert into funnel_message (day, field, message, count)
    select shown.day, field, message, count(*)
    from shown join fresh on fresh.day = shown.day and fresh.visitor = shown.visitor and fresh.step = 'message ' || field
    group by shown.day, field, message order by 1, 2, 3
    on conflict (day, field, message) do update set count = funnel_message.count + excluded.count`.execute(db)
}

/** Once a day is over, only its numbers stay. */
export async function forgetVisitors(world: World): Promise<void> {
  await world.db.deleteFrom('funnel_hit').where('day', '<', todayOf(world)).execute()
}
