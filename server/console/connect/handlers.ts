import type { consoleKeyCalls } from '#contract/console/keys.ts'
import { createKey, revokeKey } from '#server/connect/keys/manage-keys.ts'
import { viewKeys } from '#server/connect/keys/view-keys.ts'
import type { HandlersOf } from '../console.ts'

/** What connects the operator's own systems. */
export const connectHandlers = {
  listApiKeys: (_input, { world }) => viewKeys(world),
  createApiKey: async (input, { world, session }) => {
    const { key } = await createKey(world, input, session.staff)
    return { key, ...(await viewKeys(world)) }
  },
  revokeApiKey: async (input, { world, session }) => {
    await revokeKey(world, input, session.staff)
    return viewKeys(world)
  },
} satisfies HandlersOf<typeof consoleKeyCalls>
