import type { consoleWebhookCalls } from '#contract/console/webhooks.ts'
import {
  addEndpoint,
  editEndpoint,
  removeEndpoint,
  rotateSecret,
  turnOffEndpoint,
  turnOnEndpoint,
} from '#server/connect/webhooks/endpoints.ts'
import { curlOf, findDelivery, replayRange, resendDelivery, sendTest } from '#server/connect/webhooks/resend.ts'
import { endOfDay, startOfDay } from '#server/world/time-zone.ts'
import type { HandlersOf } from '../console.ts'
import { requireVersion } from '../form-version.ts'
import { listWebhooks, toDelivery, valuesOf, viewWebhook } from './webhooks.ts'

export const webhooksHandlers = {
  listWebhooks: (_input, { world }) => listWebhooks(world),
  getWebhook: (input, { world }) => viewWebhook(world, input),
  addWebhook: async (input, { world, session }) => {
    const { endpoint, key } = await addEndpoint(world, input, session.staff)
    return { page: await viewWebhook(world, { endpoint_id: endpoint.id }), key }
  },
  editWebhook: async ({ version, ...input }, { world, session }) => {
    await editEndpoint(world, input, session.staff, (saved) => requireVersion(valuesOf(saved), version))
    return viewWebhook(world, input)
  },
  turnOffWebhook: async ({ endpoint_id }, { world, session }) => {
    await turnOffEndpoint(world, endpoint_id, session.staff)
    return viewWebhook(world, { endpoint_id })
  },
  turnOnWebhook: async ({ endpoint_id }, { world, session }) => {
    await turnOnEndpoint(world, endpoint_id, session.staff)
    return viewWebhook(world, { endpoint_id })
  },
  rotateWebhookSecret: async ({ endpoint_id }, { world, session }) => {
    const key = await rotateSecret(world, endpoint_id, session.staff)
    return { page: await viewWebhook(world, { endpoint_id }), key }
  },
  removeWebhook: async ({ endpoint_id }, { world, session }) => {
    await removeEndpoint(world, endpoint_id, session.staff)
    return {}
  },
  testWebhook: async ({ endpoint_id }, { world }) => {
    const delivery = toDelivery(await sendTest(world, endpoint_id))
    return { delivery, page: await viewWebhook(world, { endpoint_id }) }
  },
  resendWebhook: async ({ delivery_id }, { world, session }) => {
    await resendDelivery(world, delivery_id, session.staff)
    return viewWebhook(world, await findDelivery(world.db, delivery_id))
  },
  replayWebhook: async ({ endpoint_id, from, to }, { world, session }) => {
    const range = { endpoint_id, from: startOfDay(world.config.TIME_ZONE, from), to: endOfDay(world, to) }
    const count = await replayRange(world, range, session.staff)
    return { count, page: await viewWebhook(world, { endpoint_id }) }
  },
  getWebhookCurl: ({ delivery_id }, { world }) => curlOf(world, delivery_id),
} satisfies HandlersOf<typeof consoleWebhookCalls>
