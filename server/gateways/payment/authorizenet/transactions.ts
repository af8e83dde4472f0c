import * as z from 'zod/mini'
import { baseReply, type Client, isOk, RECORD_NOT_FOUND, requireOk, text, vendorError } from './client.ts'
import { transactionState } from './codes.ts'
import { ProfileReply } from './vault.ts'

const TransactionReply = z.object({
  ...baseReply,
  transactionResponse: z.optional(
    z.nullable(
      z.object({
        responseCode: z.optional(text),
        rawResponseCode: z.optional(text),
        transId: z.optional(text),
        networkTransId: z.optional(text),
        avsResultCode: z.optional(z.string()),
        cvvResultCode: z.optional(z.string()),
        messages: z.optional(z.array(z.object({ code: text }))),
        errors: z.optional(z.array(z.object({ errorCode: text }))),
      }),
    ),
  ),
  profileResponse: z.optional(z.nullable(ProfileReply)),
})
const dollars = z.pipe(text, z.transform(Number))
const Details = z.object({
  ...baseReply,
  transaction: z.optional(
    z.object({
      transId: text,
      transactionStatus: z.string(),
      responseCode: z.optional(text),
      responseReasonCode: z.optional(text),
      AVSResponse: z.optional(z.string()),
      cardCodeResponse: z.optional(z.string()),
      order: z.optional(z.nullable(z.object({ invoiceNumber: z.optional(text) }))),
      authAmount: z.optional(dollars),
      settleAmount: z.optional(dollars),
      payment: z.optional(z.object({ creditCard: z.optional(z.object({ cardNumber: z.string() })) })),
      customer: z.optional(z.nullable(z.object({ id: z.optional(text) }))),
      recurringBilling: z.optional(z.boolean()),
      profile: z.optional(
        z.nullable(z.object({ customerProfileId: z.optional(text), customerPaymentProfileId: z.optional(text) })),
      ),
      networkTransId: z.optional(text),
    }),
  ),
})
export type Details = NonNullable<z.infer<typeof Details>['transaction']>
export type Transactions = ReturnType<typeof openTransactions>
export type StateOrMissing = ReturnType<typeof transactionState> | 'not_found'

type TransactionRequest = { refId?: string; transactionRequest: Record<string, unknown> }

/** Requests about a single transaction. */
export function openTransactions(send: Client) {
  const findDetails = async (transId: string, signal: AbortSignal): Promise<Details | undefined> => {
    if (!isTransactionId(transId)) return undefined
    const reply = await send('getTransactionDetailsRequest', { transId }, Details, signal)
    if (!isOk(reply) && reply.messages.message.some(({ code }) => code === RECORD_NOT_FOUND)) return undefined
    return requireOk(reply).transaction
  }
  return {
    async transact(request: TransactionRequest, signal: AbortSignal) {
      const reply = await send('createTransactionRequest', request, TransactionReply, signal)
      const { responseCode, transId = '0', errors, messages, ...response } = reply.transactionResponse ?? {}
      if (!responseCode) throw vendorError(reply)
      const reason = errors?.[0]?.errorCode ?? messages?.[0]?.code ?? ''
      return { ...response, responseCode, transId, reason, profileReply: reply.profileResponse }
    },
    findDetails,
    stateOf: async (transId: string, signal: AbortSignal): Promise<StateOrMissing> => {
      const details = await findDetails(transId, signal)
      return details ? transactionState(details.transactionStatus) : 'not_found'
    },
  }
}

/** In test mode the vendor returns 0. */
export const isTransactionId = (transId: string) => /^[1-9]\d*$/.test(transId)
