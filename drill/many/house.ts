import { Agent, request } from 'node:http'
import { API } from '#contract/api.ts'
import { readConfig } from '#server/config.ts'
import { createLog } from '#server/log.ts'
import { createWorld } from '#server/world.ts'
import type { Door, From, Reply } from '../abuse/house.ts'
import type { Place } from '../scale.ts'
import type { Many } from './processes.ts'

const SOCKETS = 512

/**
 * The four behind the proxy as one house. Visitors have addresses of their own, as from a proxy before ours that is
 * trusted as well. Its world is for reading and for minting, and goes to PostgreSQL directly.
 */
export async function openDoor({ url, settings }: Many, place: Place): Promise<Door & { close: () => Promise<void> }> {
  const config = readConfig({ ...settings, ...place.settings, LOG_LEVEL: 'silent' })
  const world = await createWorld({ config, log: createLog(config.LOG_LEVEL) })
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS })
  const send = (method: 'GET' | 'POST', path: string, { address, cookie, key, headers }: From, payload?: object) =>
    new Promise<Reply>((resolve, reject) => {
      const asked = request(`${url}${path}`, {
        method,
        agent,
        headers: {
          'x-forwarded-for': address,
          ...(payload ? { 'content-type': 'application/json' } : {}),
          ...(cookie ? { cookie } : {}),
          ...(key ? { 'idempotency-key': key } : {}),
          ...headers,
        },
      })
      asked.on('error', reject)
      asked.on('response', (reply) => {
        const parts: Buffer[] = []
        reply.on('data', (part) => parts.push(part))
        reply.on('error', reject)
        reply.on('end', () => {
          const body = Buffer.concat(parts).toString('utf8')
          resolve({ statusCode: reply.statusCode ?? 0, headers: reply.headers, body, json: () => JSON.parse(body) })
        })
      })
      asked.end(payload ? JSON.stringify(payload) : undefined)
    })
  return {
    world,
    get: (path, from) => send('GET', path, from),
    post: (path, payload, from) => send('POST', `${API}${path}`, from, payload),
    close: async () => {
      agent.destroy()
      await world.close()
    },
  }
}
