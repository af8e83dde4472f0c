import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type CallName, callOf, type Reply, replies, type Seen } from './calls.ts'
import { type Fault, faults } from './faults.ts'
import { send } from './send.ts'

type Options = { port?: number; fault?: Fault }

const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 3"><path fill="#7a8" d="M0 0h4v3H0z"/></svg>'
/** Longer than any form. */
const MAX_BODY = 1_000_000

/**
 * An operator's API host, written from the owner's specification alone: it knows the eleven calls and nothing about Foyer. It
 * can misbehave in every way of `faults`. `POST /__fault` with a name switches one on in a process of its own, and `GET /__seen`
 * has what arrived.
 */
export async function startProviderHost({ port = 0, fault: firstFault }: Options = {}) {
  const seen: Seen = { requests: [], orders: [], hits: {} }
  let fault = firstFault
  const open = new Set<ServerResponse>()

  const control = async (request: IncomingMessage, body: string): Promise<Reply | undefined> => {
    if (request.url === '/__seen') return { status: 200, body: seen }
    if (request.url !== '/__fault') return undefined
    if (body && !Object.hasOwn(faults, body)) return { status: 400, body: { message: `There is no fault '${body}'.` } }
    fault = body ? (body as Fault) : undefined
    return { status: 200, body: { fault: fault ?? null } }
  }

  const server = createServer(async (request, response) => {
    open.add(response)
    response.on('close', () => open.delete(response))
    const body = await bodyOf(request)
    if (body === undefined) return request.socket.destroy()
    const controlled = await control(request, body)
    if (controlled) return send(response, controlled)
    if (/^\/images\/\d+\.svg$/.test(request.url ?? ''))
      return response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(PICTURE)
    const call = callOf(request)
    seen.requests.push({ call: call?.name ?? null, path: request.url ?? '', headers: request.headers, body })
    const active = fault && isOn(fault, call?.name) ? faults[fault] : undefined
    if (active?.wire === 'dropped_before') return request.socket.destroy()
    const act = () => (call ? replies[call.name](call, body, seen) : { status: 404, body: { message: 'Not found' } })
    const reply = active?.instead ?? act()
    return send(response, active?.change ? active.change(reply) : reply, active?.wire)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`

  return {
    origin,
    url: `${origin}/v1`,
    seen,
    /** From now on, the calls that this fault names fail like this; undefined: none. */
    fail: (next: Fault | undefined) => {
      fault = next
    },
    close: async () => {
      for (const response of open) response.destroy()
      server.closeAllConnections()
      server.close()
    },
  }
}

const isOn = (fault: Fault, call: CallName | undefined) => {
  const { on } = faults[fault]
  return !on || (call !== undefined && on.includes(call))
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  let body = ''
  try {
    for await (const chunk of request.setEncoding('utf8')) {
      body += chunk
      if (body.length > MAX_BODY) return undefined
    }
  } catch {
    return undefined // the caller has gone
  }
  return body
}
