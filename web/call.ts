import type { Call, ErrorReply } from '#contract/api.ts'
import { API } from '#contract/paths.ts'
import { type MomentOptions, retryAfter, untilAnswered } from './moment/moment.ts'
import { request, Unreachable } from './network.ts'
import { RejectedCall } from './rejected-call.ts'

export { isRejected, RejectedCall } from './rejected-call.ts'

export type CallOptions = MomentOptions & {
  /** The idempotency key `{enrollment}.{attempt}`. */
  key?: string
  /** For one try. A call that waits is tried several times. */
  timeoutMs?: number
}

const TIMEOUT_MS = 15_000
const UNREADABLE_REPLY = 'Something went wrong on our side. Please try again.'

type CallTarget = Pick<Call, 'method' | 'path' | 'takesIdempotencyKey'>

/** Sends one call of the contract, and returns the JSON of its reply. */
export async function sendCall(call: CallTarget, input: Record<string, unknown>, options: CallOptions = {}) {
  const { path, rest } = fillPath(call.path, input)
  const isGet = call.method === 'GET'
  const query = isGet ? new URLSearchParams(rest as Record<string, string>).toString() : ''
  const contents = {
    method: call.method,
    headers: {
      accept: 'application/json',
      ...(isGet ? {} : { 'content-type': 'application/json' }),
      ...(call.takesIdempotencyKey && options.key ? { 'idempotency-key': options.key } : {}),
    },
    ...(isGet ? {} : { body: JSON.stringify(rest) }),
  }
  const send = () => request(API + path + (query && `?${query}`), { ...contents, signal: withTimeout(options) })
  const reply = await untilAnswered(send, options)
  const body = await readJson(reply)
  if (reply.ok && body !== undefined) return body
  const error = isErrorReply(body) ? body : { message: UNREADABLE_REPLY }
  throw new RejectedCall(reply.status, error, retryAfter(reply))
}

/** Puts the fields that the path names into it, and returns the others. */
function fillPath(pattern: string, input: Record<string, unknown>) {
  const rest = { ...input }
  const path = pattern.replace(/:(\w+)/g, (_, name: string) => {
    delete rest[name]
    return encodeURIComponent(String(input[name]))
  })
  return { path, rest }
}

/** Older browsers lack AbortSignal.any, which only a call with a signal of its own needs. */
function withTimeout({ signal, timeoutMs = TIMEOUT_MS }: CallOptions) {
  const timeout = AbortSignal.timeout(timeoutMs)
  return signal && AbortSignal.any ? AbortSignal.any([timeout, signal]) : timeout
}

/** `{}` if the reply is empty, undefined if it is not JSON. */
async function readJson(reply: Response): Promise<unknown> {
  const text = await reply.text().catch((cause: unknown) => {
    throw new Unreachable('The answer was cut off.', { cause })
  })
  try {
    return text ? JSON.parse(text) : {}
  } catch {
    return undefined
  }
}

const isErrorReply = (body: unknown): body is ErrorReply =>
  typeof body === 'object' && body !== null && typeof (body as ErrorReply).message === 'string'
