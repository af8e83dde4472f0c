import { sql } from 'kysely'
import { type Brand, brands } from '#contract/card.ts'
import type { MemberFilter, MemberList, MemberRow } from '#contract/console/members.ts'
import { toAmount } from '#contract/money.ts'
import type { Interval } from '#contract/renewal.ts'
import type { Db } from '#server/db/db.ts'
import type { RenewalLine } from '#server/db/tables.ts'
import { startsOn } from '#server/membership/next-step.ts'
import { priceOn } from '#server/membership/prices.ts'
import { stateSql } from '#server/membership/state.ts'
import { waivedOf } from '#server/membership/summary.ts'
import { Refusal } from '#server/refusal.ts'
import { dayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { isId, isTime, noSuchPage } from '../list-key.ts'
import { type Condition, countMembers, joinedRange, pathOf, type Query, toldOn, toSite } from './member-filter.ts'
import { MAX_MATCHES, matchesOf } from './member-search.ts'

const PAGE = 50
/** How many members one request looks at, and how many at a time. What is left is behind `next`. */
const MAX_WALK = 4000
const STEP = 500

type MemberPageOfList = Omit<MemberList, 'attempts'>
/** Where a page begins: the values that the list is ordered by, of the member before it. */
type Key = [...values: string[], id: string]

/**
 * A page of members. It walks along one index in the order of the list and keeps those that fit, at most MAX_WALK, so that the
 * time does not depend on how many members there are. A search looks at its matches instead.
 */
export async function listMembers(world: World, query: Query): Promise<MemberPageOfList> {
  const after = query.after ? parseKey(query.after) : undefined
  if (query.search?.trim()) return searchMembers(world, query, query.search, after)
  const found: ListedMember[] = []
  let key = after
  let isAtEnd = false
  for (let looked = 0; found.length <= PAGE && looked < MAX_WALK && !isAtEnd; ) {
    const count = looked ? STEP : PAGE + 1
    const walked = await walk(world, query, key, count)
    looked += walked.length
    isAtEnd = walked.length < count
    key = walked.at(-1)?.key ?? key
    found.push(...(await fitting(world, query, { ids: walked.map(({ id }) => id) })))
  }
  const page = toPage(world, found, isAtEnd ? undefined : key)
  const total = after ? undefined : await countMembers(world, query)
  return { ...page, ...(total ? { total } : {}) }
}

async function searchMembers(
  world: World,
  query: Query,
  search: string,
  after: Key | undefined,
): Promise<MemberPageOfList> {
  const { ids, is_capped } = await findMatches(world, search)
  const found = await fitting(world, query, { ids, after, limit: PAGE + 1 })
  const isAll = !is_capped && !after && found.length <= PAGE
  return {
    ...toPage(world, found, undefined),
    is_capped,
    ...(isAll ? { total: { count: found.length, is_more: false } } : {}),
  }
}

async function findMatches({ db }: Pick<World, 'db'>, search: string): Promise<{ ids: string[]; is_capped: boolean }> {
  const matches = await Promise.all(matchesOf(search).map((match) => match.execute(db)))
  return {
    ids: [...new Set(matches.flatMap(({ rows }) => rows.map(({ id }) => id)))],
    is_capped: matches.some(({ rows }) => rows.length >= MAX_MATCHES),
  }
}

/** All members that fit, however many, a few hundred at a time. */
export async function* allMembers(world: World, query: MemberFilter): AsyncGenerator<ListedMember[]> {
  if (query.search?.trim()) {
    const { ids, is_capped } = await findMatches(world, query.search)
    if (is_capped) throw tooManyMatches()
    yield await fitting(world, query, { ids })
    return
  }
  let key: Key | undefined
  for (let isAtEnd = false; !isAtEnd; ) {
    const walked = await walk(world, query, key, STEP)
    isAtEnd = walked.length < STEP
    key = walked.at(-1)?.key ?? key
    yield await fitting(world, query, { ids: walked.map(({ id }) => id) })
  }
}

const tooManyMatches = () =>
  new Refusal(409, 'More members match than an export by search can hold. Please add letters, or use the filters.')

/** `walkedTo`: how far the walk has come, unless it has reached the end. */
function toPage(world: World, found: ListedMember[], walkedTo: Key | undefined): MemberPageOfList {
  const page = found.slice(0, PAGE)
  const end = found.length > PAGE ? page.at(-1)?.key : walkedTo
  return {
    members: page.map((member) => toRow(world, member)),
    ...(end ? { next: Buffer.from(JSON.stringify(end)).toString('base64url') } : {}),
    is_capped: false,
  }
}

function parseKey(text: string): Key {
  const key = parseJson(Buffer.from(text, 'base64url').toString())
  if (!Array.isArray(key) || key.length < 2 || key.length > 3) throw noSuchPage()
  if (!key.every((value) => typeof value === 'string' && !value.includes('\0'))) throw noSuchPage()
  if (!isId(key.at(-1)) || (key.length === 2 && !isTime(key[0]))) throw noSuchPage()
  return key as Key
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const nameKeys = [sql`lower(last_name) collate "C"`, sql`lower(first_name) collate "C"`]

/** The next members along the index that fits the filter best. */
async function walk(world: World, query: Query, after: Key | undefined, count: number) {
  const { table, id, condition } = pathOf(world, query)
  const isByName = query.sort === 'name'
  const keys = [...(isByName ? nameKeys : [sql`joined_at`]), id]
  const direction = query.sort === 'newest' || !query.sort ? sql`desc` : sql`asc`
  const conditions = [condition, ...(isByName ? [] : joinedRange(world, query)), ...keyset(query, keys, after)]
  const { rows } = await sql<{ id: string; key: Key }>`
    select ${id} as id, ${keyText(query, id)} as key from ${table}
    where ${sql.join(conditions, sql` and `)}
    order by ${sql.join(keys.map((key) => sql`${key} ${direction}`))} limit ${sql.lit(count)}`.execute(world.db)
  return rows
}

/** Only what comes after the last page. */
const keyset = ({ sort }: Query, keys: Condition[], after: Key | undefined): Condition[] => {
  if (after?.length !== keys.length) return []
  const values = after.map((value, index) => {
    if (index === keys.length - 1) return sql`cast(${value} as uuid)`
    return sort === 'name' ? sql`cast(${value} as text) collate "C"` : sql`cast(${value} as timestamptz)`
  })
  const comparison = sort === 'oldest' || sort === 'name' ? sql`>` : sql`<`
  return [sql`(${sql.join(keys)}) ${comparison} (${sql.join(values)})`]
}

/** The key as JSON. A time is written as in JavaScript, to the millisecond that it was stored with. */
const keyText = ({ sort }: Query, id: Condition) =>
  sort === 'name'
    ? sql`jsonb_build_array(lower(last_name), lower(first_name), ${id})`
    : sql`jsonb_build_array(to_char(joined_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), ${id})`

type Details =
  | ('first_name' | 'last_name' | 'business_name' | 'mobile_phone')
  | ('address' | 'address2' | 'city' | 'post_code' | 'country')

export type ListedMember = Pick<MemberRow, 'id' | 'username' | 'email' | 'state'> & {
  [Name in Details]: string
} & {
  key: Key
  address_state: string
  joined_at: Date
  site: string
  sponsor_name: string
  lines: RenewalLine[]
  billing_interval: Interval
  due_at: Date | null
  cancelled_at: Date | null
  anchor_on: string
  anchor_period: number
  period: number
  waived_period: number | null
  card_brand: string | null
  card_last_four: string | null
  card_expires: string | null
}

type Among = { ids: string[]; after?: Key | undefined; limit?: number }

/** The members among these ids that match the filter, in the list's order. */
async function fitting(world: World, query: Query, { ids, after, limit = ids.length }: Among): Promise<ListedMember[]> {
  if (!ids.length) return []
  const { state, sponsor, package: product, resumed_on } = query
  const isByName = query.sort === 'name'
  const keys = isByName ? [...nameKeys, sql`member.id`] : [sql`member.joined_at`, sql`member.id`]
  const direction = query.sort === 'newest' || !query.sort ? sql`desc` : sql`asc`
  const joined = joinedRange(world, query).map(
    (condition) => sql`(select ${condition} from (select member.joined_at) m)`,
  )
  const ofMember = sql.join(
    [sql`member.id in (${sql.join(ids)})`, ...joined, ...keyset(query, keys, after)],
    sql` and `,
  )
  const ofOthers = [
    ...(state ? [sql`${stateSql} = ${state}`] : []),
    ...(sponsor ? [sql`sponsor.site = ${toSite(sponsor)}`] : []),
    ...(resumed_on ? [sql`member.id in (${toldOn(world.config, resumed_on)})`] : []),
    ...(product
      ? [
          sql`exists (select from orders join order_line on order_line.order_id = orders.id
      where orders.member_id = member.id and product_id = ${Number(product)})`,
        ]
      : []),
  ]
  const order = sql`order by ${sql.join(keys.map((key) => sql`${key} ${direction}`))} limit ${sql.lit(limit)}`
  // Without a filter on other tables, only the members of the page are looked up there.
  const chosen = sql`(select * from member where ${ofMember} ${ofOthers.length ? sql`` : order}) member`
  const { rows } = await sql<ListedMember>`
    select member.id, first_name, last_name, business_name, username, email, mobile_phone, address, address2, city,
      member.state as address_state, post_code, country, member.joined_at, ${stateSql} as state,
      sponsor.site, sponsor.name as sponsor_name, lines, billing_interval, due_at, cancelled_at, anchor_on, anchor_period,
      membership.period, waived_period, card_brand, card_last_four, card_expires,
      ${isByName ? sql`jsonb_build_array(lower(last_name), lower(first_name), member.id)` : sql`jsonb_build_array(to_char(member.joined_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), member.id)`} as key
    from ${chosen} join membership on membership.member_id = member.id join sponsor on sponsor.id = member.sponsor_id
    where ${sql.join([sql`true`, ...ofOthers], sql` and `)} ${order}`.execute(world.db)
  return rows
}

const toRow = (world: World, member: ListedMember): MemberRow => {
  const { id, username, email, state, site, sponsor_name, lines, card_brand, card_last_four } = member
  return {
    id,
    username,
    email,
    state,
    name: `${member.first_name} ${member.last_name}`,
    sponsor: { site, name: sponsor_name },
    packages: lines.map(({ name }) => name),
    ...nextCharge(world, member),
    joined_on: dayOf(world, member.joined_at),
    ...(card_last_four ? { card: { brand: brandName(card_brand), last_four: card_last_four } } : {}),
  }
}

/** As on the member's page. */
function nextCharge(world: World, member: ListedMember): Pick<MemberRow, 'price' | 'interval' | 'next_charge_on'> {
  const { lines, due_at, state, cancelled_at } = member
  const renews_on = waivedOf(member)?.ends_on ?? startsOn(member, member.period + 1)
  const isCharged = due_at && state !== 'ended' && !cancelled_at && lines.length > 0
  return {
    price: toAmount(priceOn(lines, renews_on)),
    interval: member.billing_interval,
    ...(isCharged ? { next_charge_on: waivedOf(member)?.ends_on ?? dayOf(world, due_at) } : {}),
  }
}

export const brandName = (brand: string | null) => brands[brand as Brand]?.name ?? 'Card'

/** All packages, also those that are no longer sold to new members. */
export const packagesToFilterBy = (db: Db) =>
  db.selectFrom('package').select(['product_id', 'name']).orderBy('position').orderBy('product_id').execute()
