import { type RawBuilder, type Selectable, sql } from 'kysely'
import type * as z from 'zod/mini'
import type { consoleSponsorCalls, SponsorRow } from '#contract/console/sponsors.ts'
import { isLink, MASTER, siteIn } from '#contract/site.ts'
import type { Db } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import { dayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { beginsWith } from '../begins-with.ts'
import { keyOf, parseKey } from '../list-key.ts'
import { dailyFigures } from './sponsor-figures.ts'

export type Stored = Selectable<Tables['sponsor']>
type Query = z.infer<(typeof consoleSponsorCalls)['listSponsors']['input']>

const PAGE = 50
const columns = sql`id, site, name, active, renamed_to, member_id, active_until, picture_url, created_at, recent_visits`

/** A page along the index of its order, or the first matches of a search. Sites that only lead on are not listed. */
export async function listSponsors(world: World, query: Query) {
  const search = query.search && (isLink(query.search) ? siteIn(query.search) : query.search.trim()).toLowerCase()
  if (search) return searchSponsors(world, search, query.kind)
  const rows = query.sort === 'visits' ? await mostVisited(world.db, query) : await newest(world.db, query)
  const page = rows.slice(0, PAGE)
  const next = rows[PAGE]
  return {
    sponsors: await toRows(world, page),
    ...(next ? { next: pageKey(next) } : {}),
    is_capped: false,
  }
}

/** Where a page begins: its first row. */
const pageKey = ({ recent_visits, created_at, id }: Stored) => `${recent_visits}.${keyOf(created_at, id)}`

function parsePageKey(text: string): { visits: number; at: string; id: string } {
  const [, visits = '', rest = ''] = /^(\d{1,9})\.(.+)$/.exec(text) ?? []
  const [at, id] = parseKey(rest)
  return { visits: Number(visits), at, id }
}

const ownOnly = ({ kind }: Query) => (kind === 'own' ? sql`and member_id is null` : sql``)

/** From the row that the key names. */
const startingAt = (key: ReturnType<typeof parsePageKey> | undefined) =>
  key ? sql`and (created_at, id) <= (cast(${key.at} as timestamptz), cast(${key.id} as uuid))` : sql``

async function newest(db: Db, query: Query, more = sql``): Promise<Stored[]> {
  const { rows } = await sql<Stored>`
    select ${columns} from sponsor where renamed_to is null ${more} ${ownOnly(query)}
      ${startingAt(query.after ? parsePageKey(query.after) : undefined)}
    order by created_at desc, id desc limit ${sql.lit(PAGE + 1)}`.execute(db)
  return rows
}

const UNVISITED = sql`and recent_visits = 0`

/**
 * Who was visited, most first. If they fit on one page, the others follow, newest first; if there are more, a search or the
 * other order finds those, because skipping the visited ones would read too many rows.
 */
async function mostVisited(db: Db, query: Query): Promise<Stored[]> {
  const key = query.after ? parsePageKey(query.after) : undefined
  if (key?.visits === 0) return newest(db, query, UNVISITED)
  const { rows } = await sql<Stored>`
    select ${columns} from sponsor where renamed_to is null and recent_visits > 0 ${ownOnly(query)}
      ${
        key
          ? sql`and (recent_visits, created_at, id) <=
              (cast(${key.visits} as integer), cast(${key.at} as timestamptz), cast(${key.id} as uuid))`
          : sql``
      }
    order by recent_visits desc, created_at desc, id desc limit ${sql.lit(PAGE + 1)}`.execute(db)
  const areAll = !key && rows.length <= PAGE
  return areAll ? [...rows, ...(await newest(db, query, UNVISITED))].slice(0, PAGE + 1) : rows
}

/** By the beginning of the link, also of an earlier one, or of the name. Each follows its own index. */
async function searchSponsors(world: World, search: string, kind: string | undefined) {
  const limit = sql.lit(PAGE + 1)
  const matches: RawBuilder<{ id: string }>[] = [
    sql`select coalesce(current.id, sponsor.id) as id from sponsor
      left join sponsor current on current.site = sponsor.renamed_to
      where ${beginsWith(sql`sponsor.site`, search)} limit ${limit}`,
    sql`select id from sponsor
      where ${beginsWith(sql`lower(name) collate "C"`, search)} and renamed_to is null limit ${limit}`,
  ]
  const found = await Promise.all(matches.map((match) => match.execute(world.db)))
  const ids = [...new Set(found.flatMap(({ rows }) => rows.map(({ id }) => id)))]
  const { rows } = ids.length
    ? await sql<Stored>`
        select ${columns} from sponsor where id in (${sql.join(ids)}) ${kind === 'own' ? sql`and member_id is null` : sql``}
        order by name, id limit ${limit}`.execute(world.db)
    : { rows: [] }
  const is_capped = rows.length > PAGE || found.some((match) => match.rows.length > PAGE)
  return { sponsors: await toRows(world, rows.slice(0, PAGE)), is_capped }
}

async function toRows(world: World, rows: Stored[]): Promise<SponsorRow[]> {
  const figures = await dailyFigures(
    world,
    rows.map(({ site }) => site),
  )
  return rows.map((row) => toRow(world, row, figures.get(row.site) ?? []))
}

type Day = { visits: number; joins: number }

export function toRow(world: World, row: Stored, days: Day[]): SponsorRow {
  const { id, site, name, active, active_until, picture_url, member_id, created_at } = row
  return {
    id,
    site,
    name,
    is_main: site === MASTER,
    is_active: active && (!active_until || active_until > world.now()),
    ...(active_until ? { active_until: active_until.toISOString() } : {}),
    ...(picture_url ? { picture_url } : {}),
    ...(member_id ? { member_id } : {}),
    created_on: dayOf(world, created_at),
    visits: days.reduce((sum, { visits }) => sum + visits, 0),
    joins: days.reduce((sum, { joins }) => sum + joins, 0),
  }
}
