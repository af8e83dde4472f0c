import type { Call, ErrorReply } from '#contract/api.ts'
import { API } from '#contract/paths.ts'
import { request, Unreachable } from './network.ts'

export type CallOptions = {
  /** `{enrollment}.{attempt}`: the same key asks for the same payment. */
  key?: string
  /** Ends the call from outside, when its answer is no longer wanted. */
  signal?: AbortSignal
  /** Milliseconds to wait for the answer. */
  timeoutMs?: number
}

const TIMEOUT_MS = 15_000
const SILENT = 'Something went wrong on our side. Please try again.'

/** The server heard the call and said no: a sentence for the person, and messages by field. */
export class RejectedCall extends Error {
  readonly status: number
  readonly fields: Record<string, string[]>

  constructor(status: number, { message, fields = {} }: ErrorReply) {
    super(message)
    this.status = status
    this.fields = fields
  }
}

/** Only a 4xx is a no. Of any other answer that cannot be read, nobody knows what the server did. */
export const isRejected = (cause: unknown): cause is RejectedCall =>
  cause instanceof RejectedCall && cause.status >= 400 && cause.status < 500

type CallTarget = Pick<Call, 'method' | 'path' | 'takesIdempotencyKey'>

/** What is asked, in the contract's words. */
export async function sendCall(call: CallTarget, input: Record<string, unknown>, options: CallOptions = {}) {
  const { path, rest } = fillPath(call.path, input)
  const asksOnly = call.method === 'GET'
  const query = asksOnly ? new URLSearchParams(rest as Record<string, string>).toString() : ''
  const reply = await request(API + path + (query && `?${query}`), {
    method: call.method,
    headers: {
      accept: 'application/json',
      ...(asksOnly ? {} : { 'content-type': 'application/json' }),
      ...(call.takesIdempotencyKey && options.key ? { 'idempotency-key': options.key } : {}),
    },
    ...(asksOnly ? {} : { body: JSON.stringify(rest) }),
    signal: withPatience(options),
  })
  const body = await readJson(reply)
  if (reply.ok && body !== undefined) return body
  throw new RejectedCall(reply.status, isErrorReply(body) ? body : { message: SILENT })
}

/** Fields named in the path go there; the others are left. */
function fillPath(pattern: string, input: Record<string, unknown>) {
  const rest = { ...input }
  const path = pattern.replace(/:(\w+)/g, (_, name: string) => {
    delete rest[name]
    return encodeURIComponent(String(input[name]))
  })
  return { path, rest }
}

/** Only who has a signal of their own needs a browser that can put two together. */
function withPatience({ signal, timeoutMs: patience = TIMEOUT_MS }: CallOptions) {
  const end = AbortSignal.timeout(patience)
  return signal && AbortSignal.any ? AbortSignal.any([end, signal]) : end
}

/** What stands in the answer, `{}` when it is empty, undefined when it is not ours to read. */
async function readJson(reply: Response): Promise<unknown> {
  const text = await reply.text().catch((cause: unknown) => {
    throw new Unreachable('The answer broke off.', { cause })
  })
  try {
    return text ? JSON.parse(text) : {}
  } catch {
    return undefined
  }
}

const isErrorReply = (body: unknown): body is ErrorReply =>
  typeof body === 'object' && body !== null && typeof (body as ErrorReply).message === 'string'
