import { type Selectable, sql } from 'kysely'
import type * as z from 'zod/mini'
import type { ApiCalls } from '#contract/connect/api.ts'
import type { PackageList } from '#contract/connect/shapes.ts'
import { toAmount } from '#contract/money.ts'
import type { Tables } from '#server/db/tables.ts'
import { followRenames } from '#server/sponsors/sponsors.ts'
import type { World } from '#server/world/world.ts'
import { cursorOf, listName, readCursor } from './cursor.ts'
import { all, comesAfter, type Key, keySql, orderBy, readPage } from './pages.ts'

type SponsorQuery = z.infer<ApiCalls['listSponsors']['query']>
type PackageQuery = z.infer<ApiCalls['listPackages']['query']>

/** Leaves out renamed links, which only lead to another. */
export async function listSponsors(world: World, query: SponsorQuery) {
  const { rows, next } = await readPage(world, {
    call: 'listSponsors',
    query,
    walk: (after, count) => walkSponsors(world, query, after, count),
    fetch: (ids) => fetchSponsors(world, ids),
  })
  const now = world.now()
  const sponsors = rows.map(({ id, site, name, active, active_until, member_id, created_at, picture_url }) => ({
    ...{ id, site, name, is_active: active && (!active_until || active_until > now) },
    ...(member_id ? { member_id } : {}),
    created_at: created_at.toISOString(),
    ...(picture_url ? { picture_url } : {}),
  }))
  return { sponsors, ...(next ? { next } : {}) }
}

const [at, id] = [sql`created_at`, sql`id`]

async function walkSponsors({ db }: World, query: SponsorQuery, after: Key | undefined, count: number) {
  const current = query.site === undefined ? undefined : await followRenames(db, query.site)
  if (query.site !== undefined && !current) return []
  const conditions = [
    sql`renamed_to is null`,
    ...(current ? [sql`id = ${current.id}`] : []),
    ...(query.kind ? [query.kind === 'member' ? sql`member_id is not null` : sql`member_id is null`] : []),
    ...comesAfter('oldest', at, id, after),
  ]
  const { rows } = await sql<{ id: string; key: Key }>`
    select id, ${keySql(at, id)} as key from sponsor where ${all(conditions)} ${orderBy('oldest', at, id)}
    limit ${sql.lit(count)}`.execute(db)
  return rows
}

type SponsorRow = Selectable<Tables['sponsor']> & { key: Key }

async function fetchSponsors({ db }: World, ids: string[]) {
  const { rows } = await sql<SponsorRow>`
    select sponsor.*, ${keySql(at, id)} as key from sponsor where id in (${sql.join(ids)})
    ${orderBy('oldest', at, id)}`.execute(db)
  return rows
}

/** Ordered by product id, which the operator chooses. */
export async function listPackages(world: World, { after, limit }: PackageQuery): Promise<z.infer<typeof PackageList>> {
  const list = listName('listPackages', {})
  const rows = await world.db
    .selectFrom('package')
    .selectAll()
    .where('product_id', '>', readCursor<number>(world, list, after) ?? 0)
    .orderBy('product_id')
    .limit(limit + 1)
    .execute()
  const packages = rows.slice(0, limit)
  const last = packages.at(-1)
  return {
    packages: packages.map(({ price_cents, renewal_cents, withdrawn_at, ...row }) => ({
      ...row,
      price: toAmount(price_cents),
      ...(renewal_cents ? { renewal_price: toAmount(renewal_cents) } : {}),
      is_offered: withdrawn_at === null,
    })),
    ...(rows.length > limit && last ? { next: cursorOf(world, list, last.product_id) } : {}),
  }
}
