import * as http from 'node:http'
import * as https from 'node:https'
import type { Settings } from '#server/config/settings.ts'

/** Sends one request to an operator's API host and returns its reply, or why there is none. */

export type Host = ReturnType<typeof openHost>
export type HostSettings = Pick<
  Settings,
  'PROVIDER_API_URL' | 'PROVIDER_HEADERS' | 'PROVIDER_ENCODING' | 'PROVIDER_DEADLINE'
>

type Outgoing = {
  method: 'GET' | 'POST'
  url: URL
  /** The query of a GET or the body of a POST. */
  fields: Record<string, string>
  /** Changes nothing at the host, so it may be sent twice. */
  isRepeatable?: boolean
  deadlineMs?: number
}
export type Reply = { status: number; type: string; bytes: Buffer }

/** Why there is no reply. isSent: the host may have seen the request. */
export class NoReply extends Error {
  readonly isSent: boolean
  constructor(why: string, isSent: boolean) {
    super(why)
    this.isSent = isSent
  }
}

const MAX_BYTES = 2 * 2 ** 20
/** So that a silent host can't use up our sockets. */
const MAX_SOCKETS = 100

export function openHost(settings: HostSettings) {
  const api = new URL(`${settings.PROVIDER_API_URL}/`)
  const { Agent } = api.protocol === 'https:' ? https : http
  const shared = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS })
  /** The host may close an idle connection just as we use it, and we couldn't tell whether it got the request. */
  const fresh = new Agent()

  const send = ({ method, url, fields, isRepeatable = false, deadlineMs }: Outgoing): Promise<Reply> => {
    const isOurs = url.origin === api.origin // no other host gets the operator's keys
    const { headers, body } = encode(
      { ...settings, PROVIDER_HEADERS: isOurs ? settings.PROVIDER_HEADERS : {} },
      method,
      fields,
    )
    if (method === 'GET') for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value)
    const signal = AbortSignal.timeout(deadlineMs ?? settings.PROVIDER_DEADLINE * 1000)
    const agent = !isOurs ? undefined : isRepeatable ? shared : fresh
    const sendOnce = (mayRepeat: boolean): Promise<Reply> =>
      new Promise((resolve, reject) => {
        let isSent = false
        const { request } = url.protocol === 'https:' ? https : http
        const outgoing = request(url, { method, headers, signal, ...(agent ? { agent } : {}) })
        const fail = (error: Error & { code?: string }) => {
          if (mayRepeat && outgoing.reusedSocket && error.code === 'ECONNRESET') return resolve(sendOnce(false))
          reject(new NoReply(signal.aborted ? 'it does not answer in time' : whyOf(error), isSent))
        }
        outgoing.on('socket', (socket) => {
          const onConnected = () => {
            isSent = true
          }
          if (!socket.connecting) onConnected()
          else socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', onConnected)
        })
        outgoing.on('error', fail)
        outgoing.on('response', (response) => readReply(response).then(resolve, fail))
        outgoing.end(body)
      })
    return sendOnce(isRepeatable)
  }

  return {
    /** For messages to the operator. */
    name: api.host,
    /** Relative to the API's path, or to the root of its host. */
    urlOf: (path: string, isFromRoot = false) =>
      new URL(isFromRoot ? path : path.replace(/^\//, ''), isFromRoot ? api.origin : api),
    send,
    /** Running requests continue. */
    close: () => {
      for (const socket of Object.values(shared.freeSockets).flat()) socket?.destroy()
    },
  }
}

function encode({ PROVIDER_HEADERS, PROVIDER_ENCODING }: HostSettings, method: string, fields: Record<string, string>) {
  const headers = { accept: 'application/json', 'user-agent': 'Foyer', ...PROVIDER_HEADERS }
  if (method === 'GET') return { headers, body: undefined }
  const isForm = PROVIDER_ENCODING === 'form'
  const body = Buffer.from(isForm ? new URLSearchParams(fields).toString() : JSON.stringify(fields))
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
  return { headers: { ...headers, 'content-type': type, 'content-length': body.length }, body }
}

/** A redirect is a reply like any other: card data never follows it. */
async function readReply(response: http.IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BYTES) {
      response.destroy()
      throw new Error('its reply is too long')
    }
    chunks.push(chunk)
  }
  return {
    status: response.statusCode ?? 0,
    type: response.headers['content-type'] ?? '',
    bytes: Buffer.concat(chunks),
  }
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'it refuses the connection',
  ENOTFOUND: 'its name does not exist',
  EAI_AGAIN: 'its name cannot be resolved',
  ECONNRESET: 'it closed the connection',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its TLS certificate is for a different host',
  CERT_HAS_EXPIRED: 'its TLS certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its TLS certificate is not trusted',
}
/** Never an unknown error's own message: it may contain personal data. */
const whyOf = ({ code, message }: Error & { code?: string }): string =>
  code === undefined ? message : (reasons[code] ?? `the connection failed (${code})`)
