import { type RawBuilder, sql } from 'kysely'
import { addDays } from '#contract/renewal.ts'
import { startOfDay } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { cursorOf, listName, readCursor } from './cursor.ts'

/** A page of a list, read along an index: the time it takes doesn't depend on the list's length. */

/** The time and the id of a row: what every list is ordered by. */
export type Key = [at: string, id: string]
type Keyed = { id: string; key: Key }

export type Condition = RawBuilder<unknown>
export type Order = 'oldest' | 'newest'

/** How many rows one request looks at if a filter has no index of its own, and how many at a time. */
const MAX_WALK = 4000
const STEP = 500

type Query = { after?: string | undefined; limit: number }

type List<Row extends Keyed> = {
  call: string
  query: Query
  /** The next rows along the index, before the filter. */
  walk: (after: Key | undefined, count: number) => Promise<Keyed[]>
  /** The rows that match, in the list's order. */
  fetch: (ids: string[]) => Promise<Row[]>
}

/** Rows that this request doesn't reach come after `next`. */
export async function readPage<Row extends Keyed>(world: World, { call, query, walk, fetch }: List<Row>) {
  const { after, limit, ...filters } = query
  const list = listName(call, filters)
  let key = readCursor<Key>(world, list, after)
  const found: Row[] = []
  let isAtEnd = false
  for (let looked = 0; found.length <= limit && looked < MAX_WALK && !isAtEnd; ) {
    const count = looked ? STEP : limit + 1
    const walked = await walk(key, count)
    looked += walked.length
    isAtEnd = walked.length < count
    key = walked.at(-1)?.key ?? key
    if (walked.length) found.push(...(await fetch(walked.map(({ id }) => id))))
  }
  const rows = found.slice(0, limit)
  const end = found.length > limit ? rows.at(-1)?.key : isAtEnd ? undefined : key
  return { rows, ...(end ? { next: cursorOf(world, list, end) } : {}) }
}

/** A key as JSON. Times keep their microseconds. */
export const keySql = (at: Condition, id: Condition) =>
  sql<Key>`jsonb_build_array(to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), ${id})`

export const directionOf = (order: Order) => (order === 'newest' ? sql`desc` : sql`asc`)

export const orderBy = (order: Order, at: Condition, id: Condition) =>
  sql`order by ${at} ${directionOf(order)}, ${id} ${directionOf(order)}`

/** Only what comes after a key. */
export const comesAfter = (order: Order, at: Condition, id: Condition, key: Key | undefined, type = sql`uuid`) =>
  key
    ? [
        sql`(${at}, ${id}) ${order === 'newest' ? sql`<` : sql`>`}
          (cast(${key[0]} as timestamptz), cast(${key[1]} as ${type}))`,
      ]
    : []

/** Only what happened on these days, in the operator's time zone. */
export function onDays({ config }: World, at: Condition, from: string | undefined, to: string | undefined) {
  const start = (day: string) => startOfDay(config.TIME_ZONE, day)
  return [...(from ? [sql`${at} >= ${start(from)}`] : []), ...(to ? [sql`${at} < ${start(addDays(to, 1))}`] : [])]
}

export const all = (conditions: Condition[]): Condition =>
  conditions.length ? sql.join(conditions, sql` and `) : sql`true`
