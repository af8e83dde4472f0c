import { randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { ActionName } from '#contract/console/permissions.ts'
import { type Actor, type Facts, recordAction } from '#server/audit/audit.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import { positionNewEvents } from '#server/events/positions.ts'
import { Refusal, refuseField } from '#server/refusal.ts'
import type { Keys } from '#server/secrets/secrets.ts'
import type { World } from '#server/world/world.ts'
import { ForbiddenAddress, parseEndpointUrl, type Reach } from './addresses.ts'
import { ROTATION_MS } from './schedule.ts'
import { newSecret, type Scheme, verificationKey } from './signing.ts'

/** What staff do with endpoints, in the console and on the command line. Each leaves a row in the audit log. */

export type Endpoint = Selectable<Tables['webhook_endpoint']>
type Context = Pick<World, 'config' | 'db' | 'keys' | 'log' | 'now'>

export const MAX_ENDPOINTS = 20
const NO_ENDPOINT = 'There is no such webhook.'

export type EndpointInput = { url: string; description: string; types: string }

export const reachOf = ({ config }: Pick<World, 'config'>): Reach => ({ loopback: config.WEBHOOKS_TO_LOOPBACK })

/** Refused here, so the person who makes the mistake sees it. */
function checkUrl(context: Pick<World, 'config'>, url: string): string {
  try {
    return parseEndpointUrl(url, reachOf(context)).href
  } catch (error) {
    throw error instanceof ForbiddenAddress ? refuseField('url', error.message) : error
  }
}

const secretName = (endpoint_id: string) => `webhook ${endpoint_id}`

/** What a delivery is signed with now: the newest secret, and during a rotation the one before. */
export function secretsOf(keys: Keys, endpoint: Endpoint, now: Date): string[] {
  const isRotating = endpoint.previous_until !== null && endpoint.previous_until > now
  const sealed = [endpoint.sealed, ...(isRotating && endpoint.previous_sealed ? [endpoint.previous_sealed] : [])]
  const secrets = sealed.map((each) => keys.unseal(secretName(endpoint.id), each))
  return secrets.filter((secret) => secret !== undefined)
}

/** What can be shown at any time: a public key, never a shared secret. */
export function publicKeyOf(keys: Keys, { id, scheme, sealed }: Endpoint): string | undefined {
  const secret = scheme === 'ed25519' ? keys.unseal(secretName(id), sealed) : undefined
  return secret && verificationKey(secret)
}

export const listEndpoints = ({ db }: { db: Db }): Promise<Endpoint[]> =>
  db.selectFrom('webhook_endpoint').selectAll().orderBy('created_at').orderBy('id').execute()

export async function findEndpoint({ db }: { db: Db }, endpoint_id: string): Promise<Endpoint> {
  const row = await db.selectFrom('webhook_endpoint').selectAll().where('id', '=', endpoint_id).executeTakeFirst()
  if (!row) throw new Refusal(404, NO_ENDPOINT)
  return row
}

/** The events that an endpoint gets. */
export const wants = ({ types }: Pick<Endpoint, 'types'>, type: string): boolean =>
  !types || types.split(' ').includes(type)

/** It gets events from now on. Returns what its receiver verifies with; a secret is never shown again. */
export async function addEndpoint(
  context: Context,
  { scheme, ...input }: EndpointInput & { scheme: Scheme },
  actor: Actor,
): Promise<{ endpoint: Endpoint; key: string }> {
  const url = checkUrl(context, input.url)
  const { keys, now } = context
  const id = randomUUID()
  const secret = newSecret(scheme)
  await positionNewEvents(context)
  await inTransaction(context.db, async (db) => {
    const { rows } = await sql<{ position: number }>`
      select coalesce((select position from feed), 0) as position,
        (select count(*) from webhook_endpoint) as count`.execute(db)
    const [{ position, count }] = rows as unknown as [{ position: number; count: number }]
    if (Number(count) >= MAX_ENDPOINTS)
      throw new Refusal(409, `You already have ${MAX_ENDPOINTS} webhooks. Remove one first.`)
    await db
      .insertInto('webhook_endpoint')
      .values({
        ...{ id, ...input, url, scheme, sealed: keys.seal(secretName(id), secret), position: Number(position) },
        ...{ previous_sealed: null, previous_until: null, state: 'on', state_at: now(), created_at: now() },
        ...{ failing_since: null, failed_at: null, resume_at: null, lease: null, leased_until: null },
      })
      .execute()
    const after = factsOf({ ...input, url })
    await recordAction({ ...context, db }, { act: 'add_webhook', actor, ...subject(id), after: { ...after, scheme } })
  })
  return { endpoint: await findEndpoint(context, id), key: verificationKey(secret) }
}

const subject = (id: string) => ({ subject_kind: 'webhook' as const, subject: id })
const factsOf = ({ url, description, types }: EndpointInput): Facts => ({ url, description, types: types || 'all' })

/** Does something with an endpoint while its row is locked, and writes the audit row, both or neither. */
async function actOnEndpoint<Result>(
  context: Context,
  { act, actor, endpoint_id }: { act: ActionName; actor: Actor; endpoint_id: string },
  work: (db: Db, endpoint: Endpoint) => Promise<{ before?: Facts; after?: Facts; result: Result }>,
): Promise<Result> {
  return inTransaction(context.db, async (db) => {
    const endpoint = await lockEndpoint(db, endpoint_id)
    const { result, ...facts } = await work(db, endpoint)
    await recordAction({ ...context, db }, { act, actor, ...subject(endpoint_id), ...facts })
    return result
  })
}

export async function lockEndpoint(db: Db, endpoint_id: string): Promise<Endpoint> {
  const query = db.selectFrom('webhook_endpoint').selectAll().where('id', '=', endpoint_id).forUpdate()
  const endpoint = await query.executeTakeFirst()
  if (!endpoint) throw new Refusal(404, NO_ENDPOINT)
  return endpoint
}

export const updateEndpoint = (db: Db, id: string, change: Partial<Endpoint>) =>
  db.updateTable('webhook_endpoint').set(change).where('id', '=', id).execute()

/** `check` sees the saved values before they are replaced: a colleague may have changed them meanwhile. */
export function editEndpoint(
  context: Context,
  { endpoint_id, ...input }: EndpointInput & { endpoint_id: string },
  actor: Actor,
  check: (endpoint: Endpoint) => void,
): Promise<void> {
  const url = checkUrl(context, input.url)
  return actOnEndpoint(context, { act: 'edit_webhook', actor, endpoint_id }, async (db, endpoint) => {
    check(endpoint)
    const change = { ...input, url }
    await updateEndpoint(db, endpoint_id, change)
    if (url !== endpoint.url) await startFresh(db, endpoint_id, context.now())
    return { before: factsOf(endpoint), after: factsOf(change), result: undefined }
  })
}

export const turnOffEndpoint = (context: Context, endpoint_id: string, actor: Actor): Promise<void> =>
  actOnEndpoint(context, { act: 'turn_off_webhook', actor, endpoint_id }, async (db, { state }) => {
    if (state !== 'on') throw new Refusal(409, 'It’s already off. Please reload the page.')
    await updateEndpoint(db, endpoint_id, { state: 'off', state_at: context.now() })
    return { result: undefined }
  })

/** Forgets its failures and the pause it asked for. What waited to be retried is sent immediately. */
async function startFresh(db: Db, endpoint_id: string, now: Date): Promise<void> {
  await updateEndpoint(db, endpoint_id, { failing_since: null, failed_at: null, resume_at: null })
  await db
    .updateTable('webhook_delivery')
    .set({ tries: 0, next_at: now })
    .where('endpoint_id', '=', endpoint_id)
    .where('state', '=', 'pending')
    .execute()
}

/** It picks up where it left off, with everything that happened meanwhile. */
export const turnOnEndpoint = (context: Context, endpoint_id: string, actor: Actor): Promise<void> =>
  actOnEndpoint(context, { act: 'turn_on_webhook', actor, endpoint_id }, async (db, { state }) => {
    if (state === 'on') throw new Refusal(409, 'It’s already on. Please reload the page.')
    const now = context.now()
    await updateEndpoint(db, endpoint_id, { state: 'on', state_at: now })
    await startFresh(db, endpoint_id, now)
    return { before: { state }, after: { state: 'on' }, result: undefined }
  })

/** For a day, deliveries carry a signature of each. A second rotation within that day ends the first secret. */
export const rotateSecret = (context: Context, endpoint_id: string, actor: Actor): Promise<string> =>
  actOnEndpoint(context, { act: 'rotate_webhook_secret', actor, endpoint_id }, async (db, { scheme, sealed }) => {
    const secret = newSecret(scheme)
    await updateEndpoint(db, endpoint_id, {
      sealed: context.keys.seal(secretName(endpoint_id), secret),
      previous_sealed: sealed,
      previous_until: new Date(context.now().getTime() + ROTATION_MS),
    })
    return { result: verificationKey(secret) }
  })

/** With its deliveries. */
export const removeEndpoint = (context: Context, endpoint_id: string, actor: Actor): Promise<void> =>
  actOnEndpoint(context, { act: 'remove_webhook', actor, endpoint_id }, async (db, endpoint) => {
    await db.deleteFrom('webhook_endpoint').where('id', '=', endpoint_id).execute()
    return { before: factsOf(endpoint), result: undefined }
  })
