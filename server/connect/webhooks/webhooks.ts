import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { recordAction, theServer } from '#server/audit/audit.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { positionNewEvents } from '#server/events/positions.ts'
import { addJob } from '#server/jobs/queue.ts'
import type { World } from '#server/world/world.ts'
import { addDeliveries, type Delivery, dueDeliveries, eventsAfter, takeTurns } from './deliveries.ts'
import { type Endpoint, reachOf, secretsOf, updateEndpoint } from './endpoints.ts'
import { bodyOf } from './message.ts'
import { failingAfter, hasFailedTooLong, nextTry, retryAfterMs } from './schedule.ts'
import { type Answer, sendRequest } from './send.ts'
import { signedHeaders } from './signing.ts'

/**
 * Tells other systems what happened. Each endpoint reads the feed with a position of its own, and every event it wants becomes
 * a delivery. One process at a time sends to an endpoint, because it holds its lease. Members don't wait for each other, but a
 * member's events go out one after the other.
 */

type Context = Pick<World, 'config' | 'db' | 'keys' | 'log' | 'now'>

/** Requests to one endpoint at the same time. */
const AT_ONCE = 16
/** Longer than any request can take. It's renewed before each batch. */
const LEASE_MS = 60_000
/** After this long, another process may take over the endpoint. */
const TURN_MS = 30_000

/** Sends everything that is due, to all endpoints side by side, or until the process ends. Returns how much it did. */
export async function deliverWebhooks(world: Context, signal?: AbortSignal): Promise<number> {
  await positionNewEvents(world)
  const endpoints = await leaseEndpoints(world)
  const done = await allEnded(endpoints.map((endpoint) => serve(world, endpoint, signal)))
  return done.reduce((sum, count) => sum + count, 0)
}

/** If one fails, the others continue. */
async function allEnded<Result>(work: Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(work)
  return Promise.all(work)
}

/** Takes the endpoints that have something to do and that no other process is busy with. */
async function leaseEndpoints({ db, now }: Context): Promise<Endpoint[]> {
  const at = now()
  const { rows } = await sql<Endpoint>`
    update webhook_endpoint set lease = ${randomUUID()}, leased_until = ${leaseEnd(at)}
    where id in (
      select id from webhook_endpoint endpoint
      where state = 'on' and (leased_until is null or leased_until <= ${at}) and (resume_at is null or resume_at <= ${at})
        and (position < (select position from feed)
          or exists (select from webhook_delivery where endpoint_id = endpoint.id
            and state = 'pending' and next_at <= ${at}))
      for update skip locked)
    returning *`.execute(db)
  return rows
}

const leaseEnd = (now: Date) => new Date(now.getTime() + LEASE_MS)

async function serve(world: Context, leased: Endpoint, signal?: AbortSignal): Promise<number> {
  const startedAt = performance.now()
  let total = 0
  try {
    while (performance.now() - startedAt < TURN_MS && !signal?.aborted) {
      const endpoint = await renewLease(world, leased)
      if (!endpoint) return total
      const events = await readEvents(world, endpoint)
      const due = await dueDeliveries(world.db, endpoint.id, world.now(), AT_ONCE)
      await allEnded(due.map((delivery) => deliver(world, endpoint, delivery, signal))) // the lease lasts as long as they do
      total += events + due.length
      if (!events && !due.length) return total
    }
    return total
  } finally {
    await releaseLease(world, leased)
  }
}

/** Undefined once another process has it, or there is nothing to send for now. */
async function renewLease({ db, now }: Context, { id, lease }: Endpoint): Promise<Endpoint | undefined> {
  const at = now()
  const { rows } = await sql<Endpoint>`
    update webhook_endpoint set leased_until = ${leaseEnd(at)}
    where id = ${id} and lease = ${lease} and state = 'on' and (resume_at is null or resume_at <= ${at})
    returning *`.execute(db)
  return rows[0]
}

const releaseLease = ({ db }: Context, { id, lease }: Endpoint) =>
  db
    .updateTable('webhook_endpoint')
    .set({ lease: null, leased_until: null })
    .where('id', '=', id)
    .where('lease', '=', lease)
    .execute()

/** Locks the endpoint, if this process still has its lease. */
const lockLeased = (db: Db, { id, lease }: Endpoint): Promise<Endpoint | undefined> =>
  db
    .selectFrom('webhook_endpoint')
    .selectAll()
    .where('id', '=', id)
    .where('lease', '=', lease)
    .forUpdate()
    .executeTakeFirst()

/** Turns new events into deliveries. Returns how many events it read. */
async function readEvents({ db, now }: Context, leased: Endpoint): Promise<number> {
  return inTransaction(db, async (db) => {
    const endpoint = await lockLeased(db, leased)
    const events = endpoint ? await eventsAfter(db, endpoint.position) : []
    const last = events.at(-1)
    if (!endpoint || !last) return 0
    await addDeliveries(db, endpoint, events, now())
    await updateEndpoint(db, endpoint.id, { position: last.position })
    return events.length
  })
}

/** If this process ends between the two steps, the same event is sent again, with the same id. */
async function deliver(world: Context, endpoint: Endpoint, delivery: Delivery, signal?: AbortSignal): Promise<void> {
  const answer = await send(world, endpoint, delivery, signal)
  if (!signal?.aborted || isSuccess(answer)) await record(world, endpoint, delivery, answer)
}

async function send(
  world: Context,
  endpoint: Endpoint,
  { event_id, position }: Delivery,
  signal?: AbortSignal,
): Promise<Answer> {
  const event = await world.db.selectFrom('event').selectAll().where('position', '=', position).executeTakeFirst()
  if (!event) return { answer: 'The event was deleted: events are kept for 90 days.', took_ms: 0 }
  return sendSigned(world, endpoint, event_id, bodyOf(event), signal)
}

export async function sendSigned(
  world: Context,
  endpoint: Endpoint,
  id: string,
  body: string,
  signal?: AbortSignal,
): Promise<Answer> {
  const secrets = secretsOf(world.keys, endpoint, world.now())
  if (!secrets.length) return { answer: 'We can’t decrypt its secret. Rotate it.', took_ms: 0 }
  const headers = signedHeaders({ id, at: world.now(), body }, secrets)
  return sendRequest({ url: endpoint.url, headers, body, reach: reachOf(world), signal })
}

export const isSuccess = ({ status = 0 }: Answer) => status >= 200 && status < 300

const GONE = 410
/** The receiver has too much to do, so nothing else is sent to it either. */
const PAUSING = [429, 503]

/** Writes down how it went: what follows for this delivery, for the member's next one, and for the endpoint. */
async function record(world: Context, leased: Endpoint, delivery: Delivery, answer: Answer): Promise<void> {
  await inTransaction(world.db, async (db) => {
    const endpoint = await lockLeased(db, leased)
    if (!endpoint) return // another process sends it again
    const now = world.now()
    const tries = (await triesBefore(db, delivery)) + 1
    const pause_ms = retryAfterMs(answer.retry_after, now)
    const next_at = isSuccess(answer) ? undefined : nextTry(tries, now, pause_ms)
    const state = isSuccess(answer) ? 'delivered' : next_at ? 'pending' : 'failed'
    const isErased = delivery.member_id !== null && (await isPersonErased(db, delivery.member_id))
    await db
      .updateTable('webhook_delivery')
      .set({
        state,
        tries,
        next_at: next_at ?? null,
        tried_at: now,
        ...shown(answer),
        ...(isErased ? { answer: null } : {}),
      })
      .where('id', '=', delivery.id)
      .where('state', '=', 'pending')
      .execute()
    if (state !== 'pending' && delivery.member_id) await takeTurns(db, endpoint.id, now, [delivery.member_id])
    if (isSuccess(answer)) return updateEndpoint(db, endpoint.id, { failing_since: null, failed_at: null })
    const failing = failingAfter(endpoint, now)
    const isPausing = pause_ms > 0 && PAUSING.includes(answer.status ?? 0)
    const resume_ms = isPausing ? now.getTime() + pause_ms : 0
    const resume_at = resume_ms > Number(endpoint.resume_at) ? new Date(resume_ms) : endpoint.resume_at
    await updateEndpoint(db, endpoint.id, { ...failing, resume_at })
    if (answer.status === GONE) return stop({ ...world, db }, endpoint, 'gone')
    if (hasFailedTooLong(failing, now)) return stop({ ...world, db }, endpoint, 'failing')
  })
}

/** None, if staff have turned the endpoint on meanwhile, or given it a new address. */
const triesBefore = async (db: Db, { id, tries }: Delivery): Promise<number> =>
  (await db.selectFrom('webhook_delivery').select('tries').where('id', '=', id).executeTakeFirst())?.tries ?? tries

/** The receiver may have named the person. Waits for an erasure that is under way. */
async function isPersonErased(db: Db, member_id: string): Promise<boolean> {
  const query = db.selectFrom('member').select('erased_at').where('id', '=', member_id).forKeyShare()
  return Boolean((await query.executeTakeFirst())?.erased_at)
}

export const shown = ({ status, answer, took_ms }: Answer) => ({ status: status ?? null, answer, took_ms })

/** Turns an endpoint off, and tells those who can turn it on again. */
async function stop(world: Context, { id, state }: Endpoint, why: 'gone' | 'failing'): Promise<void> {
  const { db, now } = world
  if (state !== 'on') return
  await updateEndpoint(db, id, { state: why, state_at: now() })
  const people = await db
    .selectFrom('staff')
    .select('id')
    .where('removed_at', 'is', null)
    .where('role', 'in', ['owner', 'manager'])
    .execute()
  for (const person of people) await addJob(db, 'webhook_off', { recipient_id: person.id, endpoint_id: id, why }, now())
  await recordAction(world, {
    act: 'stop_webhook',
    actor: theServer,
    subject_kind: 'webhook',
    subject: id,
    after: { why },
  })
}
