import { readConfig } from '#server/config/config.ts'
import { createLog } from '#server/log.ts'
import { createWorld } from '#server/open-world.ts'
import type { Reply, Sender, SiteClient } from '../in-process-site/in-process-site.ts'
import type { Workspace } from '../site/workspace.ts'
import { createHttpClient, type HttpResponse, type RequestOptions } from '../visitor/http-client.ts'
import type { Cluster } from './process-cluster.ts'

const SOCKETS = 512
/** Includes the wait for a free socket. */
const TIMEOUT_MS = 600_000

/**
 * The cluster as a single site. Every sender has its own address, as if from another trusted proxy in front of ours. `world`
 * connects directly to PostgreSQL, to read rows and create grants.
 */
export async function openClusterClient(
  { url, settings }: Cluster,
  workspace: Workspace,
): Promise<SiteClient & { close: () => Promise<void> }> {
  const config = readConfig({ ...settings, ...workspace.settings, LOG_LEVEL: 'silent' })
  const world = await createWorld({ config, log: createLog(config.LOG_LEVEL) })
  const client = createHttpClient(url, SOCKETS)
  const optionsOf = ({ address, ...sender }: Sender): RequestOptions => ({
    ...sender,
    headers: { 'x-forwarded-for': address, ...sender.headers },
    timeoutMs: TIMEOUT_MS,
  })
  const replyOf = ({ status, headers, text }: HttpResponse): Reply => ({
    statusCode: status,
    headers,
    body: text,
    json: () => JSON.parse(text),
  })
  return {
    world,
    get: async (path, sender) => replyOf(await client.get(path, optionsOf(sender))),
    post: async (path, body, sender) => replyOf(await client.call('POST', path, { ...optionsOf(sender), body })),
    close: async () => {
      client.close()
      await world.close()
    },
  }
}
