import { sql } from 'kysely'
import { addDays } from '#contract/renewal.ts'
import type { Db } from '#server/db/db.ts'
import { startOfDay, todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'

const DAYS = 30

export type DayFigures = { day: string; visits: number; joins: number }

/** Visits and joins of the last days, through each of these links and the earlier ones that lead to it. */
export async function dailyFigures(world: World, sites: string[]): Promise<Map<string, DayFigures[]>> {
  if (!sites.length) return new Map()
  const today = todayOf(world)
  const from = addDays(today, 1 - DAYS)
  const family = await linksOf(world.db, sites)
  const [visits, joins] = await Promise.all([visitsSince(world.db, family, from), joinsSince(world, family, from)])
  return new Map(
    sites.map((site) => [
      site,
      Array.from({ length: DAYS }, (_, n) => {
        const day = addDays(from, n)
        return { day, visits: visits.get(`${site} ${day}`) ?? 0, joins: joins.get(`${site} ${day}`) ?? 0 }
      }),
    ]),
  )
}

type Link = { id: string; site: string; current: string }

const linksOf = async (db: Db, sites: string[]): Promise<Link[]> =>
  (
    await sql<Link>`
      select id, site, site as current from sponsor where site in (${sql.join(sites)}) and renamed_to is null
      union all select id, site, renamed_to from sponsor where renamed_to in (${sql.join(sites)})`.execute(db)
  ).rows

type Counted = { key: string; day: string; count: number }

/** Days of visits are those of UTC, as they are counted. */
async function visitsSince(db: Db, links: Link[], from: string) {
  if (!links.length) return new Map<string, number>()
  const own = sql.join(links.map(({ site }) => site))
  const { rows } = await sql<Counted>`
    select site as key, to_char(day, 'YYYY-MM-DD') as day, cast(sum(visits) as integer) as count from (
      select site, day, visits from page_day where site in (${own}) and day >= cast(${from} as date)
      union all select site, day, 1 from page_hit where site in (${own}) and day >= cast(${from} as date)) counted
    group by site, day`.execute(db)
  return addUp(rows, new Map(links.map(({ site, current }) => [site, current])))
}

async function joinsSince({ db, config }: World, links: Link[], from: string) {
  if (!links.length) return new Map<string, number>()
  const { rows } = await sql<Counted>`
    select sponsor_id as key, to_char(joined_at at time zone ${config.TIME_ZONE}, 'YYYY-MM-DD') as day,
      cast(count(*) as integer) as count
    from member where sponsor_id in (${sql.join(links.map(({ id }) => id))})
      and joined_at >= ${startOfDay(config.TIME_ZONE, from)}
    group by 1, 2`.execute(db)
  return addUp(rows, new Map(links.map(({ id, current }) => [id, current])))
}

function addUp(rows: Counted[], currentOf: Map<string, string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { key, day, count } of rows) {
    const name = `${currentOf.get(key)} ${day}`
    counts.set(name, (counts.get(name) ?? 0) + count)
  }
  return counts
}
