import { sql } from 'kysely'
import type * as z from 'zod/mini'
import { type Brand, brands } from '#contract/card.ts'
import type { ApiCalls } from '#contract/connect/api.ts'
import type { Member } from '#contract/connect/shapes.ts'
import type { MemberState } from '#contract/console/member-page.ts'
import { toAmount } from '#contract/money.ts'
import type { Interval } from '#contract/renewal.ts'
import type { Db } from '#server/db/db.ts'
import type { RenewalLine } from '#server/db/tables.ts'
import { startsOn } from '#server/membership/next-step.ts'
import { linesOn, priceOn } from '#server/membership/prices.ts'
import { stateSql } from '#server/membership/state.ts'
import { waivedOf } from '#server/membership/summary.ts'
import { Refusal, refuseField } from '#server/refusal.ts'
import { followRenames } from '#server/sponsors/sponsors.ts'
import { dayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { all, type Condition, comesAfter, type Key, keySql, type Order, onDays, orderBy, readPage } from './pages.ts'

type Query = z.infer<ApiCalls['listMembers']['query']>
type ApiMember = z.infer<typeof Member>

export async function listMembers(world: World, query: Query) {
  const sponsors = query.sponsor === undefined ? undefined : await sitesOf(world.db, query.sponsor)
  const { rows, next } = await readPage(world, {
    call: 'listMembers',
    query,
    walk: (after, count) => walk(world, query, sponsors, after, count),
    fetch: (ids) => fetchMembers(world, ids, query, sponsors),
  })
  return { members: rows.map((row) => toMember(world, row)), ...(next ? { next } : {}) }
}

export async function getMember(world: World, member_id: string): Promise<ApiMember> {
  const [row] = await fetchMembers(world, [member_id], { order: 'oldest' })
  if (!row) throw noSuchMember()
  return toMember(world, row)
}

export const noSuchMember = () => new Refusal(404, 'There is no such member.')

/** The rows of a sponsor: the current link and those that lead to it. Members stay with the link they joined through. */
async function sitesOf(db: Db, site: string): Promise<string[]> {
  const current = await followRenames(db, site)
  if (!current) throw refuseField('sponsor', 'There is no sponsor with this link.')
  const { rows } = await sql<{ id: string }>`
    select id from sponsor where id = ${current.id} or renamed_to = ${current.site}
    union select id from sponsor where member_id = ${current.member_id}`.execute(db)
  return rows.map(({ id }) => id)
}

type Filter = Partial<Query> & { order: Order }
type Sponsors = string[] | undefined

/** The next members along the index that fits the filter best. */
async function walk(world: World, query: Query, sponsors: Sponsors, after: Key | undefined, count: number) {
  const { order } = query
  const along = (table: Condition, id: Condition, condition: Condition) => {
    const at = sql`joined_at`
    const days = onDays(world, at, query.joined_from, query.joined_to)
    const conditions = [condition, ...days, ...comesAfter(order, at, id, after)]
    return sql`select ${id} as id, joined_at from ${table} where ${all(conditions)} ${orderBy(order, at, id)}
      limit ${sql.lit(count)}`
  }
  const members = (condition: Condition) => along(sql`member`, sql`id`, condition)
  const path = () => {
    if (ofPerson(query).length) return members(all(ofPerson(query)))
    if (sponsors)
      return sql`select walked.id, walked.joined_at from unnest(array[${sql.join(sponsors)}]::uuid[]) as own (sponsor_id)
        cross join lateral (${members(sql`sponsor_id = own.sponsor_id`)}) walked
        ${orderBy(order, sql`joined_at`, sql`id`)} limit ${sql.lit(count)}`
    if (query.state === 'canceled') return members(sql`cancelled_at is not null`)
    if (query.state === 'on_hold') return along(sql`membership`, sql`member_id`, sql`on_hold_since is not null`)
    if (query.state) return along(sql`membership`, sql`member_id`, sql`state = ${query.state}`)
    return members(sql`true`)
  }
  const { rows } = await sql<{ id: string; key: Key }>`
    select id, ${keySql(sql`joined_at`, sql`id`)} as key from (${path()}) walked`.execute(world.db)
  return rows
}

/** Filters that match at most a few members. */
const ofPerson = ({ email, username, external_id }: Filter): Condition[] => [
  ...(email === undefined ? [] : [sql`lower(email) collate "C" = ${email.trim().toLowerCase()}`]),
  ...(username === undefined ? [] : [sql`username = ${username.trim().toLowerCase()}`]),
  ...(external_id === undefined ? [] : [sql`member.id = (${byExternalId(external_id)})`]),
]

const byExternalId = (text: string) => sql`select member_id from external_id
  where connection = ${text.slice(0, text.indexOf(':'))} and value = ${text.slice(text.indexOf(':') + 1)}`

type Row = {
  id: string
  key: Key
  state: MemberState
  username: string
  email: string
  first_name: string
  last_name: string
  business_name: string
  mobile_phone: string
  address: string
  address2: string
  city: string
  address_state: string
  post_code: string
  country: string
  joined_at: Date
  email_confirmed_at: Date | null
  cancelled_at: Date | null
  ends_at: Date | null
  erased_at: Date | null
  sponsor_id: string
  site: string
  sponsor_member_id: string | null
  lines: RenewalLine[]
  billing_interval: Interval
  due_at: Date | null
  on_hold_since: Date | null
  anchor_on: string
  anchor_period: number
  period: number
  waived_period: number | null
  card_brand: string | null
  card_last_four: string | null
  card_expires: string | null
  external_ids: { connection: string; value: string }[]
}

/** The members among these ids that match the filter, in the list's order. */
async function fetchMembers({ db }: Pick<World, 'db'>, ids: string[], filter: Filter, sponsors?: Sponsors) {
  const { state, order } = filter
  const conditions = [
    sql`member.id in (${sql.join(ids)})`,
    ...ofPerson(filter),
    ...(state ? [sql`${stateSql} = ${state}`] : []),
    ...(sponsors ? [sql`sponsor_id in (${sql.join(sponsors)})`] : []),
  ]
  const at = sql`member.joined_at`
  const id = sql`member.id`
  const { rows } = await sql<Row>`
    select ${id}, ${keySql(at, id)} as key, ${stateSql} as state, username, email, first_name, last_name, business_name,
      mobile_phone, address, address2, city, member.state as address_state, post_code, country, ${at}, email_confirmed_at,
      cancelled_at, ends_at, erased_at, coalesce(current.id, sponsor.id) as sponsor_id,
      coalesce(current.site, sponsor.site) as site, sponsor.member_id as sponsor_member_id,
      lines, billing_interval, due_at, on_hold_since, anchor_on, anchor_period, membership.period, waived_period, card_brand,
      card_last_four, card_expires, coalesce((
        select jsonb_agg(jsonb_build_object('connection', connection, 'value', value) order by connection)
        from external_id where external_id.member_id = member.id), '[]') as external_ids
    from member join membership on membership.member_id = member.id join sponsor on sponsor.id = member.sponsor_id
      left join sponsor current on current.site = sponsor.renamed_to
    where ${all(conditions)} ${orderBy(order, at, id)}`.execute(db)
  return rows
}

function toMember(world: World, row: Row): ApiMember {
  const { id, username, state, sponsor_member_id, email_confirmed_at, card_last_four, card_expires } = row
  return {
    id,
    username,
    state,
    joined_at: row.joined_at.toISOString(),
    sponsor: { id: row.sponsor_id, site: row.site, ...(sponsor_member_id ? { member_id: sponsor_member_id } : {}) },
    person: row.erased_at ? null : { ...row, is_email_confirmed: email_confirmed_at !== null },
    ...chargeOf(world, row),
    ...timeIn('canceled_at', row.cancelled_at),
    ...timeIn('ends_at', row.ends_at),
    ...timeIn('on_hold_since', row.on_hold_since),
    ...(card_last_four
      ? {
          card: {
            ...{ brand: brandName(row.card_brand), last_four: card_last_four },
            ...(card_expires ? { expires: card_expires } : {}),
          },
        }
      : {}),
    external_ids: row.external_ids,
    ...timeIn('erased_at', row.erased_at),
  }
}

/** As staff see it. */
function chargeOf(
  world: World,
  member: Row,
): Pick<ApiMember, 'packages' | 'price' | 'billing_interval' | 'next_charge_on'> {
  const { due_at, state, cancelled_at, billing_interval } = member
  const renews_on = waivedOf(member)?.ends_on ?? startsOn(member, member.period + 1)
  const lines = linesOn(member.lines, renews_on)
  const isCharged = due_at && state !== 'ended' && !cancelled_at && lines.length > 0
  return {
    packages: lines.map(({ product_id, name, renewal_cents }) => ({
      product_id,
      name,
      price: toAmount(renewal_cents),
    })),
    price: toAmount(priceOn(member.lines, renews_on)),
    billing_interval,
    ...(isCharged ? { next_charge_on: waivedOf(member)?.ends_on ?? dayOf(world, due_at) } : {}),
  }
}

export const brandName = (brand: string | null) => brands[brand as Brand]?.name ?? 'Card'

/** An optional time. */
export const timeIn = <Name extends string>(name: Name, time: Date | null): { [Key in Name]?: string } =>
  time ? ({ [name]: time.toISOString() } as { [Key in Name]: string }) : {}
