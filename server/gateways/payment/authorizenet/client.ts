import * as z from 'zod/mini'
import { readLimited } from '#server/gateways/response.ts'

/** No answer that can be understood: what was asked for may have happened or not. */
export class OutcomeUnknown extends Error {
  override name = 'LostAnswer'
}

/** A clear no. Carries the vendor's code and our own words; the vendor's text may repeat the card, so it goes nowhere. */
export class VendorError extends Error {
  override name = 'VendorRefusal'
  code: string
  constructor(code: string) {
    super(`Authorize.Net refused with ${code}: ${explanations[code] ?? 'see its list of response codes'}.`)
    this.code = code
  }
}

export const RECORD_NOT_FOUND = 'E00040'
export const DUPLICATE_RECORD = 'E00039'

const explanations: Record<string, string> = {
  E00001: 'it failed inside',
  E00003: 'it does not take the form of what was sent',
  E00007: 'it does not know AUTHORIZENET_LOGIN_ID with AUTHORIZENET_TRANSACTION_KEY',
  E00008: 'the merchant account is inactive',
  E00009: 'the merchant account is in test mode',
  E00010: 'the merchant account may not do this',
  E00011: 'the merchant account may not do this; is the Transaction Details API switched on',
  E00044: 'the merchant account has no customer profiles',
  [RECORD_NOT_FOUND]: 'there is no such record',
}

/** Ids and codes are text in some answers and numbers in others. */
export const text = z.pipe(z.union([z.string(), z.number()]), z.transform(String))

const Messages = z.object({
  resultCode: z.string(),
  message: z.array(z.object({ code: z.string(), text: z.optional(z.string()) })),
})
/** What every answer has. */
export const baseReply = { refId: z.optional(z.nullable(z.string())), messages: Messages }
type BaseReply = { refId?: string | null; messages: z.infer<typeof Messages> }

export type Account = { login_id: string; transaction_key: string; base_url: string }
export type Client = ReturnType<typeof createClient>

/**
 * One request and its answer. The elements go out in the order in which they are written down, and the vendor insists
 * on the order of its schema.
 */
export function createClient({ login_id, transaction_key, base_url }: Account) {
  const address = new URL('/xml/v1/request.api', base_url)
  const merchantAuthentication = { name: login_id, transactionKey: transaction_key }

  return async <Reply extends BaseReply>(
    request: string,
    elements: { refId?: string } & Record<string, unknown>,
    schema: z.ZodMiniType<Reply>,
    signal: AbortSignal,
  ): Promise<Reply> => {
    const sent = JSON.stringify({ [request]: { merchantAuthentication, ...elements } })
    const reply = z.safeParse(schema, await post(address, sent, signal))
    if (!reply.success) throw new OutcomeUnknown('Authorize.Net answered in another shape than it documents.')
    if (reply.data.refId && reply.data.refId !== elements.refId)
      throw new OutcomeUnknown('Authorize.Net answered what was not asked.')
    return reply.data
  }
}

async function post(address: URL, body: string, signal: AbortSignal): Promise<unknown> {
  try {
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    const reply = await fetch(address, { method: 'POST', headers, body, signal, redirect: 'error' })
    const received = await readLimited(reply)
    if (reply.status !== 200) throw new Error(`status ${reply.status}`)
    return JSON.parse(received)
  } catch (cause) {
    throw new OutcomeUnknown(`Authorize.Net gave no answer: ${reasonOf(cause)}.`)
  }
}

/** A parser's message may quote what it could not read. */
const reasonOf = (cause: unknown) =>
  cause instanceof SyntaxError ? 'not JSON' : cause instanceof Error ? cause.message : 'unknown'

export const isOk = ({ messages }: BaseReply) => messages.resultCode === 'Ok'

export const vendorError = ({ messages }: BaseReply) => new VendorError(messages.message[0]?.code ?? 'no code')

/** The answer, when it is a yes. */
export function requireOk<Reply extends BaseReply>(reply: Reply): Reply {
  if (!isOk(reply)) throw vendorError(reply)
  return reply
}
