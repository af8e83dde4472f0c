import { sql } from 'kysely'
import type { WebhookDelivery, WebhookEndpoint, WebhookPage } from '#contract/console/webhooks.ts'
import type { Delivery } from '#server/connect/webhooks/deliveries.ts'
import { type Endpoint, findEndpoint, listEndpoints, publicKeyOf } from '#server/connect/webhooks/endpoints.ts'
import type { World } from '#server/world/world.ts'
import { versionOf } from '../form-version.ts'
import { keyOf, parseKey } from '../list-key.ts'

/** Endpoints and their deliveries, as the console shows them. */

const PAGE = 50

export const listWebhooks = async (world: World) => ({
  endpoints: await Promise.all((await listEndpoints(world)).map((endpoint) => toEndpoint(world, endpoint))),
})

/** What the form edits. */
export const valuesOf = ({ url, description, types }: Endpoint) => ({ url, description, types })

type Query = { endpoint_id: string; show?: 'open' | 'failed' | undefined; after?: string | undefined }

export async function viewWebhook(world: World, query: Query): Promise<WebhookPage> {
  const endpoint = await findEndpoint(world, query.endpoint_id)
  const { previous_until } = endpoint
  const public_key = publicKeyOf(world.keys, endpoint)
  const rows = await readDeliveries(world, query)
  const next = rows[PAGE]
  return {
    ...(await toEndpoint(world, endpoint)),
    version: versionOf(valuesOf(endpoint)),
    ...(public_key ? { public_key } : {}),
    ...(previous_until && previous_until > world.now() ? { previous_until: previous_until.toISOString() } : {}),
    deliveries: rows.slice(0, PAGE).map(toDelivery),
    ...(next ? { next: keyOf(next.happened_at, next.id) } : {}),
  }
}

const stateFilters = {
  open: sql`and state in ('waiting', 'pending')`,
  failed: sql`and state = 'failed'`,
}

/** From the row that the key names. */
async function readDeliveries({ db }: World, { endpoint_id, show, after }: Query): Promise<Delivery[]> {
  const [at, id] = after ? parseKey(after) : []
  const { rows } = await sql<Delivery>`
    select * from webhook_delivery where endpoint_id = ${endpoint_id} ${show ? stateFilters[show] : sql``}
      ${at ? sql`and (happened_at, id) <= (cast(${at} as timestamptz), cast(${id} as uuid))` : sql``}
    order by happened_at desc, id desc limit ${sql.lit(PAGE + 1)}`.execute(db)
  return rows
}

async function toEndpoint({ db }: World, endpoint: Endpoint): Promise<WebhookEndpoint> {
  const { id, state_at, failing_since, resume_at, created_at, position: _, ...row } = endpoint
  const { rows } = await sql<{ open: number; delivered_at: Date | null }>`
    select (select count(*) from webhook_delivery where endpoint_id = ${id} and state = 'pending')
        + (select count(*) from webhook_delivery where endpoint_id = ${id} and state = 'waiting') as open,
      (select tried_at from webhook_delivery where endpoint_id = ${id} and state = 'delivered'
        order by happened_at desc, id desc limit 1) as delivered_at`.execute(db)
  const { open = 0, delivered_at = null } = rows[0] ?? {}
  return {
    ...{ id, url: row.url, description: row.description, types: row.types, scheme: row.scheme, state: row.state },
    state_at: state_at.toISOString(),
    ...(failing_since ? { failing_since: failing_since.toISOString() } : {}),
    ...(resume_at ? { resume_at: resume_at.toISOString() } : {}),
    open: Number(open),
    ...(delivered_at ? { last_delivered_at: delivered_at.toISOString() } : {}),
    created_at: created_at.toISOString(),
  }
}

export function toDelivery(row: Delivery): WebhookDelivery {
  const { id, event_id, type, member_id, state, tries, happened_at, tried_at, next_at, status, took_ms, answer } = row
  return {
    ...{ id, event_id, type, state, tries, happened_at: happened_at.toISOString(), answer: answer ?? '' },
    ...(member_id ? { member_id } : {}),
    ...(tried_at ? { tried_at: tried_at.toISOString() } : {}),
    ...(next_at ? { next_at: next_at.toISOString() } : {}),
    ...(status === null ? {} : { status }),
    ...(took_ms === null ? {} : { took_ms }),
  }
}
