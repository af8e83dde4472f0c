import type { Call, Refused as Refusal } from '#contract/api.ts'
import { API } from '#contract/paths.ts'
import { reach, Unreachable } from './reach.ts'

export type Options = {
  /** `{enrollment}.{attempt}`: the same key asks for the same payment. */
  key?: string
  /** Ends the call from outside, when its answer is no longer wanted. */
  signal?: AbortSignal
  /** Milliseconds to wait for the answer. */
  patience?: number
}

const PATIENCE = 15_000
const SILENT = 'Something went wrong on our side. Please try again.'

/** The server heard the call and said no: a sentence for the person, and messages by field. */
export class Refused extends Error {
  readonly status: number
  readonly fields: Record<string, string[]>

  constructor(status: number, { message, fields = {} }: Refusal) {
    super(message)
    this.status = status
    this.fields = fields
  }
}

/** Only a 4xx is a no. Of any other answer that cannot be read, nobody knows what the server did. */
export const isNo = (cause: unknown): cause is Refused =>
  cause instanceof Refused && cause.status >= 400 && cause.status < 500

type Asked = Pick<Call, 'method' | 'path' | 'keyed'>

/** What is asked, in the contract's words. */
export async function send(call: Asked, input: Record<string, unknown>, options: Options = {}) {
  const { path, rest } = fillPath(call.path, input)
  const asksOnly = call.method === 'GET'
  const query = asksOnly ? new URLSearchParams(rest as Record<string, string>).toString() : ''
  const reply = await reach(API + path + (query && `?${query}`), {
    method: call.method,
    headers: {
      accept: 'application/json',
      ...(asksOnly ? {} : { 'content-type': 'application/json' }),
      ...(call.keyed && options.key ? { 'idempotency-key': options.key } : {}),
    },
    ...(asksOnly ? {} : { body: JSON.stringify(rest) }),
    signal: withPatience(options),
  })
  const body = await readJson(reply)
  if (reply.ok && body !== undefined) return body
  throw new Refused(reply.status, isRefusal(body) ? body : { message: SILENT })
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
function withPatience({ signal, patience = PATIENCE }: Options) {
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

const isRefusal = (body: unknown): body is Refusal =>
  typeof body === 'object' && body !== null && typeof (body as Refusal).message === 'string'
