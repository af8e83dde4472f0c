import { randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { EVENT_DAYS } from '#contract/events.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import type { World } from '#server/world/world.ts'
import { type Endpoint, wants } from './endpoints.ts'
import { DAY_MS } from './schedule.ts'

export type Delivery = Selectable<Tables['webhook_delivery']>
export type StoredEvent = Selectable<Tables['event']>

/** Events that get their deliveries in one transaction. */
export const FAN_OUT = 500

/** The events after a position, in order. */
export const eventsAfter = (db: Db, position: number): Promise<StoredEvent[]> =>
  db.selectFrom('event').selectAll().where('position', '>', position).orderBy('position').limit(FAN_OUT).execute()

/** A row that waits for its member's turn. Events about no member have no order. */
export const newDelivery = (endpoint_id: string, event: StoredEvent, now: Date) => ({
  id: randomUUID(),
  endpoint_id,
  event_id: event.id,
  position: event.position,
  type: event.type,
  member_id: event.member_id,
  happened_at: event.at,
  ...(event.member_id ? { state: 'waiting' as const, next_at: null } : { state: 'pending' as const, next_at: now }),
})

/** Writes the deliveries of new events, in the transaction that moves the endpoint's position. */
export async function addDeliveries(db: Db, endpoint: Endpoint, events: StoredEvent[], now: Date): Promise<void> {
  const wanted = events.filter(({ type }) => wants(endpoint, type))
  if (!wanted.length) return
  await db
    .insertInto('webhook_delivery')
    .values(wanted.map((event) => newDelivery(endpoint.id, event, now)))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await takeTurns(db, endpoint.id, now, [...new Set(wanted.flatMap(({ member_id }) => member_id ?? []))])
}

/** The earliest waiting event of each member goes next, unless one is on its way. */
export async function takeTurns(db: Db, endpoint_id: string, now: Date, member_ids?: string[]): Promise<void> {
  if (member_ids && !member_ids.length) return
  const ofThese = member_ids ? sql`and member_id in (${sql.join(member_ids)})` : sql``
  await sql`
    update webhook_delivery set state = 'pending', next_at = ${now} where id in (
      select distinct on (member_id) id from webhook_delivery waiting
      where endpoint_id = ${endpoint_id} and state = 'waiting' ${ofThese}
        and not exists (select from webhook_delivery open where open.endpoint_id = ${endpoint_id}
          and open.member_id = waiting.member_id and open.state = 'pending')
      order by member_id, position)`.execute(db)
}

/** What can be sent now: at most one for each member. */
export const dueDeliveries = (db: Db, endpoint_id: string, now: Date, limit: number): Promise<Delivery[]> =>
  db
    .selectFrom('webhook_delivery')
    .selectAll()
    .where('endpoint_id', '=', endpoint_id)
    .where('state', '=', 'pending')
    .where('next_at', '<=', now)
    .orderBy('next_at')
    .orderBy('position')
    .limit(limit)
    .execute()

/** Deletes deliveries with their events. If one was still open, the member's next one gets its turn. */
export async function deleteOldDeliveries({ db, now }: Pick<World, 'db' | 'now'>): Promise<void> {
  const at = now()
  const before = new Date(at.getTime() - EVENT_DAYS * DAY_MS)
  const old = db.deleteFrom('webhook_delivery').where('happened_at', '<', before)
  await old.where('state', 'in', ['delivered', 'failed']).execute()
  const open = await db
    .selectFrom('webhook_delivery')
    .select('endpoint_id')
    .distinct()
    .where('happened_at', '<', before)
    .execute()
  for (const { endpoint_id } of open)
    await inTransaction(db, async (db) => {
      await db.selectFrom('webhook_endpoint').select('id').where('id', '=', endpoint_id).forUpdate().execute()
      await db
        .deleteFrom('webhook_delivery')
        .where('endpoint_id', '=', endpoint_id)
        .where('happened_at', '<', before)
        .execute()
      await takeTurns(db, endpoint_id, at)
    })
}

/** How many deliveries are open, and how long the oldest has waited, for /metrics. */
export async function deliveryQueue({ db, now }: Pick<World, 'db' | 'now'>) {
  const { rows } = await sql<{ open: number; oldest: Date | null; stopped: number }>`
    select (select count(*) from webhook_delivery where state = 'pending')
        + (select count(*) from webhook_delivery where state = 'waiting') as open,
      (select min(happened_at) from webhook_delivery join webhook_endpoint on webhook_endpoint.id = endpoint_id
        where webhook_delivery.state = 'pending' and webhook_endpoint.state = 'on') as oldest,
      (select count(*) from webhook_endpoint where state in ('gone', 'failing')) as stopped`.execute(db)
  const { open = 0, oldest = null, stopped = 0 } = rows[0] ?? {}
  return {
    open: Number(open),
    waited: oldest ? (now().getTime() - oldest.getTime()) / 1000 : 0,
    stopped: Number(stopped),
  }
}
