import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { commandLine } from '#server/audit/audit.ts'
import { addEndpoint } from '#server/connect/webhooks/endpoints.ts'
import { deliverWebhooks } from '#server/connect/webhooks/webhooks.ts'
import { addEvent } from '#server/events/events.ts'
import { type Received, startReceiver } from './receiver.ts'
import { type Site, testSite } from './site.ts'

export const HOUR = 3600
export const DAY = 24 * HOUR

/** For the top of a test file: a site that may send webhooks to this machine, and a new receiver for each test. */
export function webhookTests() {
  let site: Site
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  beforeAll(async () => {
    site = await testSite({ WEBHOOKS_TO_LOOPBACK: 'on' })
  })
  afterAll(() => site.close())
  beforeEach(async () => {
    receiver = await startReceiver()
  })
  afterEach(async () => {
    await site.db.deleteFrom('webhook_endpoint').execute()
    await receiver.close()
  })
  const deliveries = () =>
    site.db.selectFrom('webhook_delivery').selectAll().orderBy('position').orderBy('happened_at').execute()
  return {
    get site() {
      return site
    },
    get receiver() {
      return receiver
    },
    add: async (changes: object = {}) => {
      const input = { url: receiver.url, description: '', types: '', scheme: 'hmac' as const, ...changes }
      return addEndpoint(site.world, input, commandLine)
    },
    ended: (member_id: string | null = randomUUID()) =>
      addEvent(site.db, site.world.now(), {
        type: 'membership.ended',
        member_id,
        payload: { why: 'canceled', state: 'ended' },
      }),
    erased: (member_id: string) =>
      addEvent(site.db, site.world.now(), { type: 'member.erased', member_id, payload: {} }),
    /** Sends everything that is due now, until nothing is. */
    deliverAll: async () => {
      while (await deliverWebhooks(site.world));
    },
    deliveries,
    /** Of all deliveries, with how many tries there were. */
    states: async () => (await deliveries()).map(({ state, tries }) => `${state} ${tries}`),
  }
}

export const memberOf = ({ event }: Received) => event.data.member_id

export const answerWith =
  (status: number, headers: Record<string, string> = {}, body = 'no') =>
  (_request: Received, response: ServerResponse) =>
    void response.writeHead(status, headers).end(body)
