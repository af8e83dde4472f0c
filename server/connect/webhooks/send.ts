import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type Socket } from 'node:net'
import {
  ForbiddenAddress,
  hostOf,
  mayReach,
  parseEndpointUrl,
  type Reach,
  type Resolve,
  resolveByDns,
  resolveEndpoint,
} from './addresses.ts'

/** How a receiver answered one request. */
export type Answer = {
  /** Undefined if there was none. */
  status?: number
  /** The beginning of its body, or why there is none. Shown to staff only. */
  answer: string
  took_ms: number
  retry_after?: string | undefined
}

export const MAX_ANSWER_BYTES = 1024
/** For everything: looking up the name, connecting, and the answer. */
const DEADLINE_MS = 20_000
/** Once the status is known, we don't wait long for the rest. */
const BODY_MS = 2_000

export type Sending = {
  url: string
  headers: Record<string, string>
  body: string
  reach: Reach
  resolve?: Resolve
  deadlineMs?: number
  /** This process is about to end and won't wait for the answer. */
  signal?: AbortSignal | undefined
}

type Result = Omit<Answer, 'took_ms'>

/** Sends one request to a server we don't control. It always ends by the deadline, whatever that server does, and never throws. */
export async function sendRequest({ signal, ...sending }: Sending): Promise<Answer> {
  const startedAt = performance.now()
  const controller = new AbortController()
  const { deadlineMs = DEADLINE_MS } = sending
  let end: (why: string) => void = () => undefined
  const ended = new Promise<Result>((resolve) => {
    end = (why) => {
      controller.abort()
      resolve({ answer: why })
    }
  })
  const timer = setTimeout(end, deadlineMs, `No complete response within ${Math.round(deadlineMs / 1000)} seconds.`)
  const stop = () => end('Foyer was stopped.')
  if (signal?.aborted) stop()
  else signal?.addEventListener('abort', stop, { once: true })
  const result = await Promise.race([ended, exchange(sending, controller.signal).catch(failed)])
  signal?.removeEventListener('abort', stop)
  clearTimeout(timer)
  controller.abort()
  return { ...result, took_ms: Math.round(performance.now() - startedAt) }
}

const failed = (error: NodeJS.ErrnoException): Result => ({
  answer: error instanceof ForbiddenAddress ? error.message : `No response: ${error.code ?? error.message}.`,
})

async function exchange({ reach, resolve = resolveByDns, ...sending }: Sending, signal: AbortSignal): Promise<Result> {
  const url = parseEndpointUrl(sending.url, reach) // it was saved under rules that may have changed since
  const address = await resolveEndpoint(url, reach, resolve)
  signal.throwIfAborted()
  return new Promise((done, fail) => {
    const request = open(url, address, sending, signal)
    request.on('socket', (socket) => guardSocket(socket, reach))
    let isAnswered = false
    request.on('response', (response) => {
      isAnswered = true
      void readAnswer(response).then(done)
    })
    request.on('upgrade', ({ statusCode }: IncomingMessage, socket: Socket) => {
      socket.destroy()
      done({ ...statusOf(statusCode), answer: 'The receiver tried to switch protocols.' })
    })
    request.on('error', fail)
    request.on('close', () => isAnswered || fail(new Error('the connection was closed')))
    request.end(sending.body)
  })
}

/** Connects to the address that was checked, and to no other. The certificate is checked against the name. */
function open(
  url: URL,
  address: string,
  { headers, body }: Pick<Sending, 'headers' | 'body'>,
  signal: AbortSignal,
): ClientRequest {
  const host = hostOf(url)
  const options = {
    method: 'POST',
    host: address,
    port: url.port || undefined,
    path: `${url.pathname}${url.search}`,
    agent: false as const, // connections aren't reused, so each one is checked
    signal,
    setHost: false,
    headers: {
      host: url.host,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'Foyer-Webhooks/1',
      'accept-encoding': 'identity',
      connection: 'close',
      ...headers,
    },
  }
  return url.protocol === 'https:'
    ? httpsRequest({ ...options, ...(isIP(host) ? {} : { servername: host }) })
    : httpRequest(options)
}

/** The last check, on the connection itself: nothing is sent to an address that we wouldn't have chosen. */
function guardSocket(socket: Socket, reach: Reach) {
  socket.on('connect', () => {
    if (!mayReach(socket.remoteAddress ?? '', reach))
      socket.destroy(new ForbiddenAddress('The connection led to an address that isn’t on the public internet.'))
  })
}

const statusOf = (status: number | undefined) => (status === undefined ? {} : { status })

/** At most the first kilobyte. Doesn't wait for the rest of a slow or endless body. */
function readAnswer(response: IncomingMessage): Promise<Result> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      response.destroy()
      const retry_after = response.headers['retry-after']
      resolve({ ...statusOf(response.statusCode), answer: textOf(Buffer.concat(chunks)), retry_after })
    }
    const timer = setTimeout(finish, BODY_MS)
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk.subarray(0, MAX_ANSWER_BYTES - size))
      size += chunk.length
      if (size >= MAX_ANSWER_BYTES) finish()
    })
    response.on('end', finish)
    response.on('error', finish)
    response.on('close', finish)
  })
}

/** Text that every database stores, at most a kilobyte of it: a broken character becomes a longer one. */
function textOf(body: Buffer): string {
  let text = body
    .subarray(0, MAX_ANSWER_BYTES)
    .toString('utf8')
    .replace(/(?![\n\t])\p{Cc}/gu, ' ')
  while (Buffer.byteLength(text) > MAX_ANSWER_BYTES) text = text.slice(0, -1)
  return text.replace(/[\uD800-\uDBFF]$/, '').trim()
}
