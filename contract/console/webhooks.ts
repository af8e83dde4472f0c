import * as z from 'zod/mini'
import { allEventTypes } from '#contract/events.ts'
import { day, formVersion, listKey, textLine } from './fields.ts'
import type { ConsoleCall } from './permissions.ts'

const endpoint_id = z.uuid('This is not an endpoint.')
const delivery_id = z.uuid('This is not a delivery.')
const aboutEndpoint = z.object({ endpoint_id })
const aboutDelivery = z.object({ delivery_id })

/** The server checks where it leads. */
const url = textLine('Please enter an address such as https://example.com/webhooks.', 500)
const description = z.string().check(
  z.overwrite((text) => text.trim().normalize()),
  z.maxLength(100, 'Please use at most 100 characters.'),
)
const isTypes = (text: string) => text.split(' ').every((type) => !type || (allEventTypes as string[]).includes(type))
/** With spaces between; empty: all. */
const types = z.string('Please choose which events to send.').check(
  z.overwrite((text) => [...new Set(text.split(' ').filter(Boolean))].sort().join(' ')),
  z.maxLength(1000, 'Please choose which events to send.'),
  z.refine(isTypes, 'Please choose events from the list.'),
)
const scheme = z.enum(['hmac', 'ed25519'], 'Please choose a kind of signature.')

const Endpoint = z.object({
  id: z.string(),
  url: z.string(),
  description: z.string(),
  types: z.string(),
  scheme,
  /** 'off': by staff. 'gone': it answered 410. 'failing': it failed for days. */
  state: z.enum(['on', 'off', 'gone', 'failing']),
  state_at: z.string(),
  /** Every try since then failed. */
  failing_since: z.optional(z.string()),
  /** The receiver asked for a pause. */
  resume_at: z.optional(z.string()),
  /** Deliveries on their way. */
  open: z.int(),
  last_delivered_at: z.optional(z.string()),
  created_at: z.string(),
})

const Delivery = z.object({
  id: z.string(),
  event_id: z.string(),
  type: z.string(),
  member_id: z.optional(z.string()),
  /** 'waiting': for an earlier event of the same member. 'pending': for its next try. */
  state: z.enum(['waiting', 'pending', 'delivered', 'failed']),
  tries: z.int(),
  happened_at: z.string(),
  tried_at: z.optional(z.string()),
  next_at: z.optional(z.string()),
  /** Of the newest answer. */
  status: z.optional(z.int()),
  took_ms: z.optional(z.int()),
  answer: z.string(),
})

const EndpointPage = z.object({
  ...Endpoint.shape,
  /** Of what the form edits. */
  version: z.string(),
  public_key: z.optional(z.string()),
  /** Until then the secret before this one also signs. */
  previous_until: z.optional(z.string()),
  deliveries: z.array(Delivery),
  next: z.optional(z.string()),
})

/** What the receiver verifies with. A shared secret is shown only this once. */
const withKey = z.object({ page: EndpointPage, key: z.string() })

/** Webhooks: how other systems hear what happens. */
export const consoleWebhookCalls = {
  listWebhooks: {
    method: 'GET',
    path: '/console/webhooks',
    summary: 'List webhook endpoints',
    permission: 'see_webhooks',
    input: z.object({}),
    output: z.object({ endpoints: z.array(Endpoint) }),
  },
  getWebhook: {
    method: 'GET',
    path: '/console/webhooks/endpoint',
    summary: 'Get an endpoint and its deliveries, newest first',
    permission: 'see_webhooks',
    input: z.object({
      endpoint_id,
      /** 'open': waiting and pending. */
      show: z.optional(z.enum(['open', 'failed'], 'Please choose what to list.')),
      after: listKey,
    }),
    output: EndpointPage,
  },
  addWebhook: {
    method: 'POST',
    path: '/console/webhooks/add',
    summary: 'Add an endpoint; it receives events from now on',
    permission: 'manage_webhooks',
    needsProof: true,
    input: z.object({ url, description, types, scheme }),
    output: withKey,
  },
  editWebhook: {
    method: 'POST',
    path: '/console/webhooks/edit',
    summary: 'Change the address, the name or the events of an endpoint',
    permission: 'manage_webhooks',
    needsProof: true,
    input: z.object({ endpoint_id, url, description, types, version: formVersion }),
    output: EndpointPage,
  },
  turnOffWebhook: {
    method: 'POST',
    path: '/console/webhooks/off',
    summary: 'Turn an endpoint off',
    permission: 'manage_webhooks',
    needsProof: true,
    input: aboutEndpoint,
    output: EndpointPage,
  },
  turnOnWebhook: {
    method: 'POST',
    path: '/console/webhooks/on',
    summary: 'Turn an endpoint on; it picks up where it left off',
    permission: 'manage_webhooks',
    needsProof: true,
    input: aboutEndpoint,
    output: EndpointPage,
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/console/webhooks/rotate',
    summary: 'Rotate the secret; for a day, both sign',
    permission: 'manage_webhooks',
    needsProof: true,
    input: aboutEndpoint,
    output: withKey,
  },
  removeWebhook: {
    method: 'POST',
    path: '/console/webhooks/remove',
    summary: 'Remove an endpoint with its deliveries',
    permission: 'manage_webhooks',
    needsProof: true,
    input: aboutEndpoint,
    output: z.object({}),
  },
  testWebhook: {
    method: 'POST',
    path: '/console/webhooks/test',
    summary: 'Send a test event and return the answer',
    permission: 'manage_webhooks',
    needsProof: false,
    input: aboutEndpoint,
    output: z.object({ delivery: Delivery, page: EndpointPage }),
  },
  resendWebhook: {
    method: 'POST',
    path: '/console/webhooks/resend',
    summary: 'Send an event again, with the same id',
    permission: 'manage_webhooks',
    needsProof: false,
    input: aboutDelivery,
    output: EndpointPage,
  },
  replayWebhook: {
    method: 'POST',
    path: '/console/webhooks/replay',
    summary: 'Send the events of some days again',
    permission: 'manage_webhooks',
    needsProof: true,
    input: z.object({ endpoint_id, from: day, to: day }),
    output: z.object({ count: z.int(), page: EndpointPage }),
  },
  getWebhookCurl: {
    method: 'GET',
    path: '/console/webhooks/deliveries/:delivery_id',
    summary: 'Get a delivery as a curl command',
    permission: 'manage_webhooks',
    input: aboutDelivery,
    output: z.object({ curl: z.string(), body: z.string() }),
  },
} as const satisfies Record<string, ConsoleCall>

export type WebhookEndpoint = z.infer<typeof Endpoint>
export type WebhookDelivery = z.infer<typeof Delivery>
export type WebhookPage = z.infer<typeof EndpointPage>
