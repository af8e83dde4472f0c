import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { API } from '#contract/api.ts'

export type Answer = { status: number; headers: IncomingHttpHeaders; text: string; body: unknown; cookies: string[] }
export type Asking = {
  key?: string
  cookie?: string | undefined
  headers?: Record<string, string>
  body?: object
  patience?: number
}

/** Nobody answered. What the server did, if anything, is not known. */
export class Unreachable extends Error {}

export type Caller = ReturnType<typeof createCaller>

const PATIENCE = 60_000

/** Calls over HTTP with as many connections as there are visitors; fetch would share few of them. */
export function createCaller(origin: string, sockets = 256, localAddress?: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets, ...(localAddress ? { localAddress } : {}) })

  const ask: Ask = (method, path, asking = {}) =>
    new Promise((resolve, reject) => {
      const { key, cookie, headers: own, body, patience = PATIENCE } = asking
      const said = body ? JSON.stringify(body) : ''
      const headers = {
        ...(body ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(said) } : {}),
        ...(key ? { 'idempotency-key': key } : {}),
        ...(cookie ? { cookie } : {}),
        ...own,
      }
      const fail = (cause: Error) => {
        clearTimeout(late)
        reject(new Unreachable(cause.message, { cause }))
      }
      const sent = request(`${origin}${path}`, { method, agent, headers }, (reply) => {
        const parts: Buffer[] = []
        reply.on('data', (part) => parts.push(part))
        reply.on('error', fail)
        reply.on('end', () => {
          clearTimeout(late)
          const { statusCode: status = 0, headers } = reply
          const text = Buffer.concat(parts).toString('utf8')
          const body: unknown = headers['content-type']?.includes('json') ? JSON.parse(text) : text
          resolve({ status, headers, text, body, cookies: headers['set-cookie'] ?? [] })
        })
      })
      const late = setTimeout(() => sent.destroy(new Error('nobody answered in time')), patience)
      sent.on('error', fail)
      sent.end(said)
    })

  return { ...waysToAsk(ask), close: () => agent.destroy() }
}

type Ask = (method: 'GET' | 'POST', path: string, asking?: Asking) => Promise<Answer>

export const waysToAsk = (ask: Ask) => ({
  ask,
  get: (path: string, asking?: Asking) => ask('GET', path, asking),
  call: (method: 'GET' | 'POST', path: string, asking?: Asking) => ask(method, `${API}${path}`, asking),
})
