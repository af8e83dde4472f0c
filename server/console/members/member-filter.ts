import { type RawBuilder, sql } from 'kysely'
import type { MemberFilter, MemberList } from '#contract/console/members.ts'
import { addDays } from '#contract/renewal.ts'
import { siteIn } from '#contract/site.ts'
import { stateSql } from '#server/membership/state.ts'
import { startOfDay } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'

/** The list's filter in SQL: which index to follow, and how to count the matches. */

export type Query = MemberFilter & { after?: string | undefined }
export type Condition = RawBuilder<unknown>

type Path = { table: Condition; id: Condition; condition: Condition }

export function pathOf({ config }: World, { sort, sponsor, state, resumed_on }: Query): Path {
  const members = (condition: Condition): Path => ({ table: sql`member`, id: sql`id`, condition })
  const memberships = (condition: Condition): Path => ({ table: sql`membership`, id: sql`member_id`, condition })
  if (sort === 'name') return members(sql`true`)
  if (resumed_on) return members(sql`id in (${toldOn(config, resumed_on)})`)
  if (sponsor) return members(sql`sponsor_id = (select id from sponsor where site = ${toSite(sponsor)})`)
  if (state === 'canceled') return members(sql`cancelled_at is not null`)
  if (state === 'on_hold') return memberships(sql`on_hold_since is not null`)
  return state ? memberships(sql`state = ${state}`) : members(sql`true`)
}

/** Who was told on a day that charging has resumed. */
export const toldOn = ({ TIME_ZONE }: World['config'], day: string) => sql`select member_id from member_event
  where what = 'charging_resumed' and at >= ${startOfDay(TIME_ZONE, day)} and at < ${startOfDay(TIME_ZONE, addDays(day, 1))}`

export const toSite = (sponsor: string) => siteIn(sponsor).toLowerCase()

export function joinedRange({ config }: World, { joined_from, joined_to }: Query): Condition[] {
  const start = (day: string) => startOfDay(config.TIME_ZONE, day)
  return [
    ...(joined_from ? [sql`joined_at >= ${start(joined_from)}`] : []),
    ...(joined_to ? [sql`joined_at < ${start(addDays(joined_to, 1))}`] : []),
  ]
}

const MAX_COUNTED = 10_000

/** Looked up one by one by key: a join would read both tables whole for a few thousand members. */
const withRows = sql`
  cross join lateral (select cancelled_at from member where member.id = looked.id offset 0) member
  cross join lateral (select state, on_hold_since from membership where member_id = looked.id offset 0) membership`

/** Counted along one filter's index. With several filters, counting a few members could read too many rows. */
export async function countMembers(world: World, query: Query): Promise<MemberList['total']> {
  const { state, sponsor, joined_from, joined_to, resumed_on } = query
  const filters = [state, sponsor, query.package, joined_from || joined_to, resumed_on].filter(Boolean)
  if (filters.length > 1 || query.package) return undefined
  const { table, id, condition } = pathOf(world, { ...query, sort: 'newest' })
  const conditions = sql.join([condition, ...joinedRange(world, query)], sql` and `)
  const { rows } = await sql<{ looked: string; fitting: string }>`
    select count(*) as looked, count(*) filter (where ${state ? sql`${stateSql} = ${state}` : sql`true`}) as fitting
    from (select ${id} as id from ${table} where ${conditions}
        order by joined_at limit ${sql.lit(MAX_COUNTED + 1)}) looked
      ${state ? withRows : sql``}`.execute(world.db)
  const is_more = Number(rows[0]?.looked ?? 0) > MAX_COUNTED
  return { count: Math.min(Number(rows[0]?.fitting ?? 0), MAX_COUNTED), is_more }
}
