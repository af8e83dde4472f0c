import * as z from 'zod/mini'
import { type AccountCheck, accountOk } from '#server/gateways/account.ts'
import { readLimited } from '#server/gateways/response.ts'

/** No readable response: the operation may or may not have happened. */
export class OutcomeUnknown extends Error {
  override name = 'OutcomeUnknown'
}

/** An error reported by the vendor. Contains its code and our own text, because the vendor's text may repeat the card. */
export class VendorError extends Error {
  override name = 'VendorError'
  code: string
  constructor(code: string) {
    super(`Authorize.Net refused with ${code}: ${explanations[code] ?? 'see its list of response codes'}.`)
    this.code = code
  }
}

export const RECORD_NOT_FOUND = 'E00040'
export const DUPLICATE_RECORD = 'E00039'
export const TOO_MANY_RECORDS = 'E00042'

const explanations: Record<string, string> = {
  E00001: 'it had an internal error',
  E00003: 'the format of the request is invalid',
  E00007: 'AUTHORIZENET_LOGIN_ID or AUTHORIZENET_TRANSACTION_KEY is wrong',
  E00008: 'the merchant account is inactive',
  E00009: 'the merchant account is in test mode',
  E00010: 'the merchant account has no permission for this',
  E00011: 'the merchant account has no permission for this; turn on the Transaction Details API',
  E00044: 'customer profiles are turned off for the merchant account',
  [RECORD_NOT_FOUND]: 'the record was not found',
}

/** Ids and codes are text in some responses and numbers in others. */
export const text = z.pipe(z.union([z.string(), z.number()]), z.transform(String))

const Messages = z.object({
  resultCode: z.string(),
  message: z.array(z.object({ code: z.string(), text: z.optional(z.string()) })),
})
/** Every response has these fields. */
export const baseReply = { refId: z.optional(z.nullable(z.string())), messages: Messages }
type BaseReply = { refId?: string | null; messages: z.infer<typeof Messages> }

export type Account = { login_id: string; transaction_key: string; base_url: string }
export type Client = ReturnType<typeof createClient>

/** Keeps the order of a request's elements, because the vendor requires the order of its schema. */
export function createClient({ login_id, transaction_key, base_url }: Account) {
  const address = new URL('/xml/v1/request.api', base_url)
  const merchantAuthentication = { name: login_id, transactionKey: transaction_key }

  return async <Reply extends BaseReply>(
    request: string,
    elements: { refId?: string } & Record<string, unknown>,
    schema: z.ZodMiniType<Reply>,
    signal: AbortSignal,
  ): Promise<Reply> => {
    const body = JSON.stringify({ [request]: { merchantAuthentication, ...elements } })
    const reply = z.safeParse(schema, await post(address, body, signal))
    if (!reply.success) throw new OutcomeUnknown('Authorize.Net sent an unexpected response.')
    if (reply.data.refId && reply.data.refId !== elements.refId)
      throw new OutcomeUnknown('Authorize.Net sent the response of another request.')
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
    throw new OutcomeUnknown(`Authorize.Net did not respond: ${reasonOf(cause)}.`)
  }
}

/** The message of a parser error may quote the response. */
const reasonOf = (cause: unknown) =>
  cause instanceof SyntaxError ? 'not JSON' : cause instanceof Error ? cause.message : 'unknown'

export const isOk = ({ messages }: BaseReply) => messages.resultCode === 'Ok'

export const vendorError = ({ messages }: BaseReply) => new VendorError(messages.message[0]?.code ?? 'no code')

/** Throws unless the vendor reported success. */
export function requireOk<Reply extends BaseReply>(reply: Reply): Reply {
  if (!isOk(reply)) throw vendorError(reply)
  return reply
}

/** Errors of the vendor itself, which say nothing about our account. */
const vendorFailures = new Set(['E00001', 'E00053'])

/** A request that only authenticates. */
export const checkAccount = (send: Client, signal: AbortSignal): Promise<AccountCheck> =>
  send('authenticateTestRequest', {}, z.object(baseReply), signal).then(
    (reply) => (isOk(reply) ? accountOk : stateOf(vendorError(reply))),
    (error: Error) => ({ state: 'unknown', why: error.message }),
  )

const stateOf = ({ code, message: why }: VendorError): AccountCheck => ({
  state: vendorFailures.has(code) ? 'unknown' : 'wrong',
  why,
})
