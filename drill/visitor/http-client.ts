import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { API } from '#contract/api.ts'

export type HttpResponse = {
  status: number
  headers: IncomingHttpHeaders
  text: string
  body: unknown
  cookies: string[]
}
export type RequestOptions = {
  key?: string
  cookie?: string | undefined
  headers?: Record<string, string>
  body?: object
  timeoutMs?: number
}

/** There was no response. Whether the server acted is unknown. */
export class Unreachable extends Error {}

export type HttpClient = ReturnType<typeof createHttpClient>

const TIMEOUT_MS = 60_000

/** An HTTP client with one connection per visitor; `fetch` would share a few. */
export function createHttpClient(origin: string, sockets = 256, localAddress?: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets, ...(localAddress ? { localAddress } : {}) })

  const send: Send = (method, path, options = {}) =>
    new Promise((resolve, reject) => {
      const { key, cookie, headers: extraHeaders, body, timeoutMs = TIMEOUT_MS } = options
      const payload = body ? JSON.stringify(body) : ''
      const headers = {
        ...(body ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) } : {}),
        ...(key ? { 'idempotency-key': key } : {}),
        ...(cookie ? { cookie } : {}),
        ...extraHeaders,
      }
      const fail = (cause: Error) => {
        clearTimeout(timeout)
        reject(new Unreachable(cause.message, { cause }))
      }
      const outgoing = request(`${origin}${path}`, { method, agent, headers }, (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk) => chunks.push(chunk))
        incoming.on('error', fail)
        incoming.on('end', () => {
          clearTimeout(timeout)
          const { statusCode: status = 0, headers } = incoming
          const text = Buffer.concat(chunks).toString('utf8')
          const body: unknown = headers['content-type']?.includes('json') ? JSON.parse(text) : text
          resolve({ status, headers, text, body, cookies: headers['set-cookie'] ?? [] })
        })
      })
      const timeout = setTimeout(() => outgoing.destroy(new Error('no response in time')), timeoutMs)
      outgoing.on('error', fail)
      outgoing.end(payload)
    })

  return { ...requestMethods(send), close: () => agent.destroy() }
}

type Send = (method: 'GET' | 'POST', path: string, options?: RequestOptions) => Promise<HttpResponse>

export const requestMethods = (send: Send) => ({
  send,
  get: (path: string, options?: RequestOptions) => send('GET', path, options),
  /** A call of the contract, by its path. */
  call: (method: 'GET' | 'POST', path: string, options?: RequestOptions) => send(method, `${API}${path}`, options),
})
