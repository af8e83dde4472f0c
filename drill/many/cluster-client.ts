import { readConfig } from '#server/config/config.ts'
import { createLog } from '#server/log.ts'
import { createWorld } from '#server/world.ts'
import type { Place } from '../drill.ts'
import type { Door, From, Reply } from '../in-process-site/in-process-site.ts'
import { type Answer, type Asking, createCaller } from '../visitor/http-client.ts'
import type { Many } from './process-cluster.ts'

const SOCKETS = 512
/** Who waits for a free socket is not lost yet. */
const PATIENCE_MS = 600_000

/**
 * The four behind the proxy as one house. Visitors have addresses of their own, as from a proxy before ours that is
 * trusted as well. Its world is for reading and for minting, and goes to PostgreSQL directly.
 */
export async function openDoor({ url, settings }: Many, place: Place): Promise<Door & { close: () => Promise<void> }> {
  const config = readConfig({ ...settings, ...place.settings, LOG_LEVEL: 'silent' })
  const world = await createWorld({ config, log: createLog(config.LOG_LEVEL) })
  const caller = createCaller(url, SOCKETS)
  const askingOf = ({ address, ...from }: From): Asking => ({
    ...from,
    headers: { 'x-forwarded-for': address, ...from.headers },
    patience: PATIENCE_MS,
  })
  const replyOf = ({ status, headers, text }: Answer): Reply => ({
    statusCode: status,
    headers,
    body: text,
    json: () => JSON.parse(text),
  })
  return {
    world,
    get: async (path, from) => replyOf(await caller.get(path, askingOf(from))),
    post: async (path, body, from) => replyOf(await caller.call('POST', path, { ...askingOf(from), body })),
    close: async () => {
      caller.close()
      await world.close()
    },
  }
}
