import { sql } from 'kysely'
import { EVENT_DAYS, type EventType, type FeedEvent } from '#contract/events.ts'
import type { Db } from '#server/db/db.ts'
import { Refusal } from '#server/refusal.ts'
import { forReports, type World } from '#server/world/world.ts'
import { type Cursor, type Epoch, lastCommonPosition, readCursor, writeCursor } from './cursor.ts'
import { positionNewEvents } from './positions.ts'

type Context = Pick<World, 'db' | 'reader' | 'now'>

export type PositionedEvent = FeedEvent & { position: number }
export type FeedPage = { events: PositionedEvent[]; cursor: string; has_more: boolean }

/** As a cursor: begin after the newest event. For a reader that has just read everything some other way. */
export const NOW = 'now'

/** How many events we search for the wanted types before we answer with what we found. */
const POSITIONS_AT_ONCE = 10_000

/**
 * The events after a cursor, oldest first. Without one, from the oldest event that we keep. If this database and the reader
 * no longer have the same history, or the events are too old to be kept, the refusal has the cursor to continue from.
 */
export async function readFeed(
  context: Context,
  after: string | undefined,
  limit: number,
  types?: EventType[],
): Promise<FeedPage> {
  const given = after === undefined || after === NOW ? undefined : readCursor(after)
  await positionNewEvents(context)
  if (given) return (await oldEvents(context, given, limit, types)) ?? pageAfter(context.db, given, limit, types)
  const { end, kept_after, epochs } = await stateOfFeed(context.db)
  const cursor = cursorAt(after === NOW ? end : kept_after, epochs)
  return pageAfter(context.db, cursor, after === NOW ? 0 : limit, types)
}

/** A replica may not have the newest events yet, or know of a new epoch, so it's only asked for what it has. */
async function oldEvents(context: Context, from: Cursor, limit: number, types?: EventType[]) {
  const { db } = await forReports(context)
  if (db === context.db) return undefined
  const page = await pageAfter(db, from, limit, types).catch(() => undefined)
  return page?.events.length ? page : undefined
}

type StateRow = { end_position: number; oldest: number | null; epochs: Epoch[] | null }

const state = sql`
  select coalesce((select position from feed), 0) as end_position, (select min(position) from event) as oldest,
    (select jsonb_agg(jsonb_build_object('epoch', epoch, 'after_position', after_position) order by n) from feed_epoch) as epochs`

async function stateOfFeed(db: Db) {
  const { rows } = await sql<StateRow>`${state}`.execute(db)
  return fromRow(rows[0])
}

const fromRow = (row: StateRow | undefined) => {
  const end = Number(row?.end_position ?? 0)
  return { end, kept_after: Number(row?.oldest ?? end + 1) - 1, epochs: row?.epochs ?? [NO_EPOCH] }
}

/** Until the first event. */
const NO_EPOCH: Epoch = { epoch: '00000000-0000-0000-0000-000000000000', after_position: 0 }

/** Names the epoch that the database is in now: it shares everything up to this position. */
function cursorAt(position: number, epochs: Epoch[]): Cursor {
  const { epoch, after_position } = epochs.at(-1) ?? NO_EPOCH
  return { epoch, since: after_position, position }
}

type Row = StateRow & { position: number | null } & Omit<PositionedEvent, 'at' | 'position'> & { at: Date }

/** One statement, so the events belong to the epochs. */
async function pageAfter(db: Db, from: Cursor, limit: number, types?: EventType[]): Promise<FeedPage> {
  const last = from.position + (types ? POSITIONS_AT_ONCE : limit)
  const ofTypes = types ? sql`and type in (${sql.join(types.length ? types : [''])})` : sql``
  const { rows } = await sql<Row>`
    select * from (${state}) as feed_state left join (
      select position, id, type, version, at, member_id, payload from event
      where position > ${from.position} and position <= ${last} ${ofTypes}
      order by position limit ${limit}) as page on true
    order by position`.execute(db)
  const { end, kept_after, epochs } = fromRow(rows[0])
  refuseOtherHistory(from, epochs, end)
  refuseExpired(from, epochs, kept_after)
  const events = rows.flatMap((row) => (row.position === null ? [] : [toEvent(row)]))
  const isFull = limit > 0 && events.length === limit
  const reached = isFull ? (events.at(-1)?.position ?? from.position) : Math.min(last, end)
  return { events, cursor: writeCursor(cursorAt(reached, epochs)), has_more: reached < end }
}

const toEvent = ({ position, id, type, version, at, member_id, payload }: Row) =>
  ({ position: Number(position), id, type, version, at: at.toISOString(), member_id, payload }) as PositionedEvent

function refuseOtherHistory(from: Cursor, epochs: Epoch[], end: number) {
  const common = lastCommonPosition(from, epochs, end)
  if (common === from.position) return
  throw new Refusal(
    409,
    'Some of what you’ve read no longer exists here, because the database was restored or lost its newest changes. Compare your data with our lists, then continue from last_common_cursor.',
    { body: { last_common_cursor: writeCursor(cursorAt(common, epochs)) } },
  )
}

function refuseExpired(from: Cursor, epochs: Epoch[], kept_after: number) {
  if (from.position >= kept_after) return
  throw new Refusal(
    410,
    `We keep events for ${EVENT_DAYS} days, and you’ve missed some. Compare your data with our lists, then continue from last_common_cursor.`,
    { body: { last_common_cursor: writeCursor(cursorAt(kept_after, epochs)) } },
  )
}
