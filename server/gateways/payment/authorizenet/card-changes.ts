import * as z from 'zod/mini'
import type { CardChange, CardReplacement, Decline, Failure } from '#server/gateways/payment/port.ts'
import { storedCardOf } from '#server/gateways/payment/stored-card.ts'
import {
  baseReply,
  type Client,
  DUPLICATE_RECORD,
  isOk,
  RECORD_NOT_FOUND,
  requireOk,
  TOO_MANY_RECORDS,
  text,
  VendorError,
  vendorError,
} from './client.ts'
import { checksOf, declineClasses, declineForReason } from './codes.ts'
import { customerProfileRequest, paymentProfileRequest } from './requests.ts'
import type { Transactions } from './transactions.ts'
import {
  deletePaymentProfile,
  duplicateCustomerOf,
  listPaymentProfiles,
  ProfileReply,
  parseVaultReference,
  toVaultReference,
} from './vault.ts'

const CustomerReply = z.object({
  ...ProfileReply.shape,
  validationDirectResponseList: z.optional(z.nullable(z.array(z.string()))),
})
const CardReply = z.object({
  ...baseReply,
  customerPaymentProfileId: z.optional(z.nullable(text)),
  validationDirectResponse: z.optional(z.nullable(z.string())),
})
type Verification = { vault_reference: string; directResponse: string | null | undefined }

/**
 * Adds the new card to the member's customer profile and leaves the old one there: if the answer is lost, the card on file
 * is still what we think it is. Entering the card again finds the stored one as a duplicate, and verifies it again.
 * 'liveMode' makes the vendor verify the card at the bank and store it only if the bank approves.
 */
export function openCardChanges(send: Client, { findDetails }: Transactions) {
  async function createCustomer(change: CardChange, signal: AbortSignal): Promise<Verification> {
    const reply = await send('createCustomerProfileRequest', customerProfileRequest(change), CustomerReply, signal)
    const duplicate = duplicateCustomerOf(reply)
    if (duplicate) return (await addCard(change, duplicate, signal)) ?? missing(reply)
    const directResponse = reply.validationDirectResponseList?.[0]
    return {
      vault_reference: storedOrThrow(
        reply,
        directResponse,
        toVaultReference(reply.customerProfileId, reply.customerPaymentProfileIdList?.[0]),
      ),
      directResponse,
    }
  }

  /** Undefined if the vendor does not have the customer profile. */
  async function addCard(change: CardChange, customer: string, signal: AbortSignal): Promise<Verification | undefined> {
    const request = paymentProfileRequest(change, customer)
    const create = () => send('createCustomerPaymentProfileRequest', request, CardReply, signal)
    let reply = await create()
    if (hasCode(reply, RECORD_NOT_FOUND)) return undefined
    if (hasCode(reply, TOO_MANY_RECORDS)) {
      await deleteOldestCard(customer, change.vault_reference, signal)
      reply = await create()
    }
    const { customerPaymentProfileId } = reply
    if (hasCode(reply, DUPLICATE_RECORD) && customerPaymentProfileId)
      reply = await send(
        'updateCustomerPaymentProfileRequest',
        paymentProfileRequest(change, customer, customerPaymentProfileId),
        CardReply,
        signal,
      )
    const directResponse = reply.validationDirectResponse
    return {
      vault_reference: storedOrThrow(reply, directResponse, toVaultReference(customer, customerPaymentProfileId)),
      directResponse,
    }
  }

  /** The vendor keeps at most ten cards for one customer. */
  async function deleteOldestCard(customer: string, vault_reference: string, signal: AbortSignal) {
    const inUse = parseVaultReference(vault_reference)?.paymentProfileId
    const [oldest] = (await listPaymentProfiles(send, customer, signal))
      .filter((id) => id !== inUse)
      .sort((a, b) => Number(a) - Number(b))
    if (oldest) await deletePaymentProfile(send, customer, oldest, signal)
  }

  /** The bank's checks and the network's id. The card is stored, so it is valid without them. */
  async function verificationDetails(directResponse: Verification['directResponse'], signal: AbortSignal) {
    const details = await findDetails(parseDirectResponse(directResponse).transId, signal).catch(() => undefined)
    return {
      ...(details && { checks: checksOf(details.AVSResponse, details.cardCodeResponse) }),
      ...(details?.networkTransId && { network_transaction_id: details.networkTransId }),
    }
  }

  return async (change: CardChange, signal: AbortSignal): Promise<CardReplacement> => {
    const customer = parseVaultReference(change.vault_reference)?.customerProfileId
    try {
      const { vault_reference, directResponse } =
        (customer && (await addCard(change, customer, signal))) || (await createCustomer(change, signal))
      const details = await verificationDetails(directResponse, signal)
      return { outcome: 'approved', vault_reference, card: storedCardOf(change.card), ...details }
    } catch (error) {
      if (error instanceof NotVerified) return error.answer
      if (error instanceof VendorError) return { outcome: 'failed', why: error.message } // nothing is ever charged here
      throw error
    }
  }
}

/** The bank did not verify the card, or the vendor could not ask it. */
class NotVerified extends Error {
  override name = 'NotVerified'
  answer: Decline | Failure
  constructor(answer: Decline | Failure) {
    super(answer.outcome)
    this.answer = answer
  }
}

type Reply = z.infer<typeof CardReply> | z.infer<typeof CustomerReply>

function storedOrThrow(reply: Reply, directResponse: string | null | undefined, vault_reference: string): string {
  if (isOk(reply)) {
    if (!vault_reference) throw new VendorError('no profile')
    return vault_reference
  }
  const { responseCode, reason } = parseDirectResponse(directResponse)
  if (responseCode === '2' || responseCode === '4' || (responseCode === '3' && declineClasses[reason]))
    throw new NotVerified(declineForReason(reason))
  requireOk(reply)
  throw vendorError(reply)
}

const missing = (reply: Reply): never => {
  throw vendorError(reply)
}

const hasCode = (reply: Reply, code: string) =>
  !isOk(reply) && reply.messages.message.some((message) => message.code === code)

/**
 * The result of the verification in the vendor's old format: values with a delimiter, and perhaps in quotes. The merchant
 * can choose both characters.
 */
function parseDirectResponse(directResponse: string | null | undefined) {
  const line = directResponse ?? ''
  const [, quote = '', delimiter = ','] = /^(\W?)\d\1(\W)/.exec(line) ?? []
  const values = line.slice(quote.length).split(`${quote}${delimiter}${quote}`)
  const [responseCode = '', , reason = '', , , , transId = ''] = values
  return { responseCode, reason, transId }
}
