import { Agent, request } from 'node:http'
import { API } from '#contract/api.ts'

export type Answer = { status: number; body: unknown; cookies: string[] }
export type Asking = { key?: string; cookie?: string; body?: object; patience?: number }

/** Nobody answered. What the server did, if anything, is not known. */
export class Unreachable extends Error {}

export type Caller = ReturnType<typeof createCaller>

const PATIENCE = 60_000

/** Calls over HTTP with as many connections as there are visitors; fetch would share few of them. */
export function createCaller(origin: string, sockets = 256) {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets, scheduling: 'lifo' })
  let inFlight = 0
  let most = 0

  const ask = (method: 'GET' | 'POST', path: string, asking: Asking = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { key, cookie, body, patience = PATIENCE } = asking
      const text = body ? JSON.stringify(body) : ''
      const headers = {
        ...(body ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) } : {}),
        ...(key ? { 'idempotency-key': key } : {}),
        ...(cookie ? { cookie } : {}),
      }
      most = Math.max(most, ++inFlight)
      let isOver = false
      const done = () => {
        if (!isOver) inFlight -= 1
        isOver = true
        clearTimeout(late)
      }
      const fail = (cause: Error) => {
        done()
        reject(new Unreachable(cause.message, { cause }))
      }
      const sent = request(`${origin}${path}`, { method, agent, headers }, (reply) => {
        const parts: Buffer[] = []
        reply.on('data', (part) => parts.push(part))
        reply.on('error', fail)
        reply.on('end', () => {
          done()
          const type = String(reply.headers['content-type'])
          const read = Buffer.concat(parts).toString('utf8')
          const cookies = reply.headers['set-cookie'] ?? []
          resolve({ status: reply.statusCode ?? 0, body: type.includes('json') ? JSON.parse(read) : read, cookies })
        })
      })
      const late = setTimeout(() => sent.destroy(new Error('nobody answered in time')), patience)
      sent.on('error', fail)
      sent.end(text)
    })

  return {
    ask,
    get: (path: string, asking?: Asking) => ask('GET', path, asking),
    call: (method: 'GET' | 'POST', path: string, asking?: Asking) => ask(method, `${API}${path}`, asking),
    /** The most requests that were ever under way at once. */
    most: () => most,
    close: () => agent.destroy(),
  }
}
