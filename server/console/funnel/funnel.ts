import { sql } from 'kysely'
import {
  type FunnelFilter,
  type FunnelView,
  funnelDevices,
  funnelSources,
  funnelSteps,
} from '#contract/console/funnel.ts'
import { addDays } from '#contract/renewal.ts'
import { todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'

const MAX_SITES = 10
const MAX_MESSAGES = 15
const MAX_FIELDS = 10

type Counts = { step: string; count: number }

/** How many of the visitors that match the filter reached each step. */
export async function viewFunnel(world: World, filter: FunnelFilter): Promise<FunnelView> {
  const { db } = world
  const days = Number(filter.days ?? '7')
  const today = todayOf(world)
  const from = addDays(today, 1 - days)
  const { site, device, source } = filter
  const filters = [
    sql`day >= cast(${from} as date)`,
    ...(site ? [sql`site = ${site}`] : []),
    ...(device ? [sql`device = ${device}`] : []),
    ...(source ? [sql`source = ${source}`] : []),
  ]
  const where = sql.join(filters, sql` and `)
  const by = async (column: 'day' | 'site' | 'device' | 'source', more = sql``) => {
    const name = column === 'day' ? sql`cast(day as text)` : sql.ref(column)
    const { rows } = await sql<{ name: string; opened: number; joined: number }>`
      select ${name} as name, coalesce(sum(count) filter (where step = 'opened'), 0) as opened,
        coalesce(sum(count) filter (where step = 'joined'), 0) as joined
      from funnel_day where ${where} and step in ('opened', 'joined') group by 1 ${more}`.execute(db)
    return rows.map(({ name, opened, joined }) => ({ name, opened: Number(opened), joined: Number(joined) }))
  }
  const [steps, byDay, sites, devices, sources, messages, fields] = await Promise.all([
    sql<Counts>`select step, sum(count) as count from funnel_day where ${where} group by step`.execute(db),
    by('day'),
    by('site', sql`order by 2 desc, 1 limit ${sql.lit(MAX_SITES)}`),
    by('device'),
    by('source'),
    db
      .selectFrom('funnel_message')
      .select(({ fn }) => ['field', 'message', fn.sum<number>('count').as('count')])
      .where('day', '>=', from)
      .groupBy(['field', 'message'])
      .orderBy('count', 'desc')
      .orderBy('field')
      .limit(MAX_MESSAGES)
      .execute(),
    db
      .selectFrom('funnel_field')
      .select(({ fn }) => ['field', fn.sum<number>('count').as('count')])
      .where('day', '>=', from)
      .groupBy('field')
      .orderBy('count', 'desc')
      .limit(MAX_FIELDS)
      .execute(),
  ])
  const pick = (names: readonly string[], rows: typeof byDay) =>
    names.map((name) => rows.find((row) => row.name === name) ?? { name, opened: 0, joined: 0 })
  return {
    steps: funnelSteps.map((step) => ({
      step,
      count: Number(steps.rows.find((row) => row.step === step)?.count ?? 0),
    })),
    days: pick(
      Array.from({ length: days }, (_, index) => addDays(from, index)),
      byDay,
    ),
    sites,
    devices: pick(funnelDevices, devices),
    sources: pick(funnelSources, sources),
    messages: messages.map(({ count, ...shown }) => ({ ...shown, count: Number(count) })),
    fields: fields.map(({ field, count }) => ({ field, count: Number(count) })),
  }
}
