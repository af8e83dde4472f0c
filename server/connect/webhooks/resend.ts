import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type Actor, recordAction } from '#server/audit/audit.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { Refusal, refuseField } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import { type Delivery, newDelivery, type StoredEvent, takeTurns } from './deliveries.ts'
import { type Endpoint, findEndpoint, lockEndpoint, secretsOf } from './endpoints.ts'
import { bodyOf, TEST_TYPE, testBody } from './message.ts'
import { signedHeaders } from './signing.ts'
import { isSuccess, sendSigned, shown } from './webhooks.ts'

/** What staff do with deliveries: resend one, resend a range, test an endpoint, copy a request. */

type Context = Pick<World, 'config' | 'db' | 'keys' | 'log' | 'now'>

const NO_DELIVERY = 'There is no such delivery.'
const TOO_OLD = 'This event was deleted: events are kept for 90 days.'
const IS_OFF = 'This webhook is off. Turn it on first.'

export async function findDelivery(db: Db, delivery_id: string): Promise<Delivery> {
  const row = await db.selectFrom('webhook_delivery').selectAll().where('id', '=', delivery_id).executeTakeFirst()
  if (!row) throw new Refusal(404, NO_DELIVERY)
  return row
}

/** The same event with the same id. It takes its turn among the member's other events. */
export async function resendDelivery(context: Context, delivery_id: string, actor: Actor): Promise<void> {
  await inTransaction(context.db, async (db) => {
    const { endpoint_id, position, event_id } = await findDelivery(db, delivery_id)
    requireOn(await lockEndpoint(db, endpoint_id))
    if (position === null) throw new Refusal(409, 'Please send a new test instead.')
    const event = await db.selectFrom('event').selectAll().where('position', '=', position).executeTakeFirst()
    if (!event) throw new Refusal(409, TOO_OLD)
    if (!(await startAgain(db, endpoint_id, [event], context.now())))
      throw new Refusal(409, 'It’s already being sent. Please reload the page.')
    await recordAction(
      { ...context, db },
      { act: 'resend_webhook', actor, subject_kind: 'webhook', subject: endpoint_id, after: { event_id } },
    )
  })
}

function requireOn({ state }: Endpoint) {
  if (state !== 'on') throw new Refusal(409, IS_OFF)
}

/** Includes events that were delivered, given up on, or never sent to this endpoint. Returns how many. */
async function startAgain(db: Db, endpoint_id: string, events: StoredEvent[], now: Date): Promise<number> {
  let count = 0
  for (let from = 0; from < events.length; from += INSERTED_AT_ONCE) {
    const rows = events.slice(from, from + INSERTED_AT_ONCE).map((event) => newDelivery(endpoint_id, event, now))
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('webhook_delivery')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(['endpoint_id', 'position'])
          .doUpdateSet({ state: sql`excluded.state`, next_at: sql`excluded.next_at`, tries: 0 })
          .where('webhook_delivery.state', 'in', ['delivered', 'failed']),
      )
      .executeTakeFirst()
    count += Number(numInsertedOrUpdatedRows ?? 0)
  }
  await takeTurns(db, endpoint_id, now)
  return count
}
const INSERTED_AT_ONCE = 500

export const MAX_REPLAYED = 10_000

type Range = { endpoint_id: string; from: Date; to: Date }

/** Sends every event of a range that the endpoint wants, even from before it was added. */
export async function replayRange(context: Context, { endpoint_id, from, to }: Range, actor: Actor): Promise<number> {
  if (to <= from) throw refuseField('to', 'Please choose a last day on or after the first day.')
  return inTransaction(context.db, async (db) => {
    const endpoint = await lockEndpoint(db, endpoint_id)
    requireOn(endpoint)
    const events = await db
      .selectFrom('event')
      .selectAll()
      .where('at', '>=', from)
      .where('at', '<', to)
      .where('position', '<=', endpoint.position) // later ones are about to be sent anyway
      .$if(endpoint.types !== '', (query) => query.where('type', 'in', endpoint.types.split(' ')))
      .orderBy('position')
      .limit(MAX_REPLAYED + 1)
      .execute()
    if (events.length > MAX_REPLAYED)
      throw refuseField(
        'to',
        `There are more than ${MAX_REPLAYED.toLocaleString('en-US')} events. Please choose fewer days.`,
      )
    const count = await startAgain(db, endpoint_id, events, context.now())
    const after = { from: from.toISOString(), to: to.toISOString(), count }
    await recordAction(
      { ...context, db },
      { act: 'replay_webhooks', actor, subject_kind: 'webhook', subject: endpoint_id, after },
    )
    return count
  })
}

/** Sends a test right away, even to an endpoint that is off, and keeps the answer among the deliveries. */
export async function sendTest(context: Context, endpoint_id: string): Promise<Delivery> {
  const endpoint = await findEndpoint(context, endpoint_id)
  const sent = { event_id: randomUUID(), happened_at: context.now() }
  const answer = await sendSigned(context, endpoint, sent.event_id, testBody(sent))
  const delivery: Delivery = {
    ...{ id: randomUUID(), endpoint_id, ...sent, position: null, type: TEST_TYPE, member_id: null },
    ...{ state: isSuccess(answer) ? 'delivered' : 'failed', tries: 1, next_at: null, tried_at: context.now() },
    ...shown(answer),
  }
  await context.db.insertInto('webhook_delivery').values(delivery).execute()
  return delivery
}

/** The same request as a command line. Its signature is valid for five minutes, as receivers check it. */
export async function curlOf(context: Context, delivery_id: string): Promise<{ curl: string; body: string }> {
  const delivery = await findDelivery(context.db, delivery_id)
  const endpoint = await findEndpoint(context, delivery.endpoint_id)
  const body = await bodyOfDelivery(context.db, delivery)
  const secrets = secretsOf(context.keys, endpoint, context.now())
  const headers = {
    'content-type': 'application/json',
    ...signedHeaders({ id: delivery.event_id, at: context.now(), body }, secrets),
  }
  const lines = [
    `curl -i ${quoted(endpoint.url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-binary ${quoted(body)}`,
  ]
  return { curl: lines.join(' \\\n  '), body }
}

async function bodyOfDelivery(db: Db, delivery: Delivery): Promise<string> {
  if (delivery.position === null) return testBody(delivery)
  const event = await db.selectFrom('event').selectAll().where('position', '=', delivery.position).executeTakeFirst()
  if (!event) throw new Refusal(409, TOO_OLD)
  return bodyOf(event)
}

/** For a shell: nothing inside single quotes is special. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
