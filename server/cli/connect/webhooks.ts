import { consoleWebhookCalls } from '#contract/console/webhooks.ts'
import { timeIn } from '#contract/days.ts'
import { commandLine } from '#server/audit/audit.ts'
import type { Delivery } from '#server/connect/webhooks/deliveries.ts'
import {
  addEndpoint,
  type Endpoint,
  listEndpoints,
  removeEndpoint,
  rotateSecret,
  turnOffEndpoint,
  turnOnEndpoint,
} from '#server/connect/webhooks/endpoints.ts'
import { curlOf, replayRange, resendDelivery, sendTest } from '#server/connect/webhooks/resend.ts'
import { OperatorError } from '#server/operator-error.ts'
import { endOfDay, startOfDay } from '#server/world/time-zone.ts'
import { plural, table } from '../listings.ts'
import { type ConnectCommand, type ConnectContext, checked } from './command.ts'

const { addWebhook, replayWebhook } = consoleWebhookCalls
const SHOWN = 50

/** Finds one by its name, its address or the beginning of its id. */
async function endpointNamed(context: ConnectContext, name: string): Promise<Endpoint> {
  const fits = ({ id, url, description }: Endpoint) => id.startsWith(name) || url === name || description === name
  const [found, second] = (await listEndpoints(context)).filter(fits)
  if (!found) throw new OperatorError(`There is no webhook '${name}'.`)
  if (second) throw new OperatorError(`Several webhooks are called '${name}'. Use the id that "webhooks list" prints.`)
  return found
}

const nameOf = ({ description, url }: Endpoint) => description || url

/** A command about one endpoint. */
const about = (run: (context: ConnectContext, endpoint: Endpoint) => Promise<string>): ConnectCommand => ({
  required: ['WEBHOOK'],
  run: async (context, [name = '']) => run(context, await endpointNamed(context, name)),
})

const timeOf = ({ config }: ConnectContext, time: Date | null) => (time ? timeIn(config.TIME_ZONE, time) : '')

export const webhookCommands: Record<string, ConnectCommand> = {
  'webhooks list': {
    required: [],
    run: async (context) =>
      table(
        ['id', 'state', 'name', 'address', 'events', 'failing since'],
        (await listEndpoints(context)).map(({ id, state, description, url, types, failing_since }) => [
          ...[id.slice(0, 8), state, description, url, types || 'all', timeOf(context, failing_since)],
        ]),
      ),
  },
  'webhooks add': {
    required: ['URL'],
    options: { name: 'string', types: 'string', ed25519: 'boolean' },
    run: async (context, [url = ''], { name = '', types = '', ed25519 }) => {
      const input = { url, description: name, types: String(types).replaceAll(',', ' ') }
      const scheme = ed25519 ? 'ed25519' : 'hmac'
      const { endpoint, key } = await addEndpoint(
        context,
        checked(addWebhook.input.safeParse({ ...input, scheme })),
        commandLine,
      )
      return `${key}\n${nameOf(endpoint)} uses it to check our signatures.${ed25519 ? '' : " This is the only time it's shown."}`
    },
  },
  'webhooks test': about(async (context, endpoint) => {
    const { state, status, answer, took_ms } = await sendTest(context, endpoint.id)
    if (state === 'delivered') return `The test was delivered: status ${status} after ${took_ms} ms.`
    throw new OperatorError(`The test failed: ${status ? `status ${status}. ` : ''}${answer}`)
  }),
  'webhooks deliveries': {
    required: ['WEBHOOK'],
    options: { failed: 'boolean' },
    run: async (context, [name = ''], { failed }) => {
      const { id } = await endpointNamed(context, name)
      const rows = await context.db
        .selectFrom('webhook_delivery')
        .selectAll()
        .where('endpoint_id', '=', id)
        .$if(Boolean(failed), (query) => query.where('state', '=', 'failed'))
        .orderBy('happened_at', 'desc')
        .orderBy('id', 'desc')
        .limit(SHOWN)
        .execute()
      return table(
        ['id', 'happened', 'type', 'state', 'tries', 'status', 'ms', 'next try', 'answer'],
        rows.map((row: Delivery) => [
          ...[row.id, timeOf(context, row.happened_at), row.type, row.state, String(row.tries)],
          ...[String(row.status ?? ''), String(row.took_ms ?? ''), timeOf(context, row.next_at)],
          (row.answer ?? '').replace(/\s+/g, ' ').slice(0, 60),
        ]),
      )
    },
  },
  'webhooks resend': {
    required: ['DELIVERY'],
    run: async (context, [id = '']) => {
      await resendDelivery(context, deliveryId(id), commandLine)
      return 'A running server will send it again, with the same id.'
    },
  },
  'webhooks replay': {
    required: ['WEBHOOK', 'FROM', 'TO'],
    run: async (context, [name = '', first = '', last = '']) => {
      const endpoint = await endpointNamed(context, name)
      const input = { endpoint_id: endpoint.id, from: first, to: last }
      const { endpoint_id, from, to } = checked(replayWebhook.input.safeParse(input))
      const range = { endpoint_id, from: startOfDay(context.config.TIME_ZONE, from), to: endOfDay(context, to) }
      return `A running server will send ${plural(await replayRange(context, range, commandLine), 'event')} again.`
    },
  },
  'webhooks curl': {
    required: ['DELIVERY'],
    run: async (context, [id = '']) => (await curlOf(context, deliveryId(id))).curl,
  },
  'webhooks rotate': about(async (context, endpoint) => {
    const key = await rotateSecret(context, endpoint.id, commandLine)
    return `${key}\nFor a day, we sign with the old one too. Update the receiver by then.`
  }),
  'webhooks on': about(async (context, endpoint) => {
    await turnOnEndpoint(context, endpoint.id, commandLine)
    return `${nameOf(endpoint)} is on. It picks up where it left off.`
  }),
  'webhooks off': about(async (context, endpoint) => {
    await turnOffEndpoint(context, endpoint.id, commandLine)
    return `${nameOf(endpoint)} is off. We keep its events for 90 days and send them once it's on again.`
  }),
  'webhooks remove': about(async (context, endpoint) => {
    await removeEndpoint(context, endpoint.id, commandLine)
    return `${nameOf(endpoint)} is removed.`
  }),
}

function deliveryId(text: string): string {
  if (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(text)) return text
  throw new OperatorError(`'${text}' is not a delivery. "webhooks deliveries" prints their ids.`)
}
