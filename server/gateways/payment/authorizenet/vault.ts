import * as z from 'zod/mini'
import type { Brand } from '#contract/card.ts'
import type { StoredCard } from '#server/gateways/payment/port.ts'
import { baseReply, type Client, DUPLICATE_RECORD, isOk, requireOk, text } from './client.ts'

/** The vendor's response to creating a customer profile. */
export const ProfileReply = z.object({
  ...baseReply,
  customerProfileId: z.optional(z.nullable(text)),
  customerPaymentProfileIdList: z.optional(z.nullable(z.array(text))),
})
export type ProfileReply = z.infer<typeof ProfileReply>

const CustomerProfile = z.object({
  ...baseReply,
  profile: z.object({ paymentProfiles: z.optional(z.nullable(z.array(z.object({ customerPaymentProfileId: text })))) }),
})
const PaymentProfile = z.object({
  ...baseReply,
  paymentProfile: z.object({
    payment: z.object({
      creditCard: z.object({
        cardNumber: z.string(),
        expirationDate: z.string().check(z.regex(/^\d{4}-\d\d$/)),
        cardType: z.optional(z.string()),
      }),
    }),
  }),
})
const BaseReply = z.object(baseReply)

type HeldTransaction = { transaction_id: string; reference: string; profileReply?: ProfileReply | null | undefined }

/** Identifies the stored card: customer profile and payment profile. */
export const toVaultReference = (customer?: string | null, payment?: string | null) =>
  customer && payment ? `${customer}/${payment}` : ''

export type ProfileIds = { customerProfileId: string; paymentProfileId: string }

export function parseVaultReference(vault_reference: string): ProfileIds | undefined {
  const [, customerProfileId, paymentProfileId] = /^(\d+)\/(\d+)$/.exec(vault_reference) ?? []
  return customerProfileId && paymentProfileId ? { customerProfileId, paymentProfileId } : undefined
}

/**
 * The vault reference of a hold. If the first response does not contain it, the profile is created from the transaction.
 * If that fails too, the card is not stored.
 */
export async function vaultReference(send: Client, held: HeldTransaction, signal: AbortSignal): Promise<string> {
  try {
    return (
      (await profileReference(send, held.profileReply, signal)) ||
      (await profileReference(send, await createProfile(send, held, signal), signal))
    )
  } catch {
    return '' // the hold is valid without it
  }
}

const createProfile = (send: Client, { transaction_id, reference }: HeldTransaction, signal: AbortSignal) =>
  send(
    'createCustomerProfileFromTransactionRequest',
    { transId: transaction_id, customer: { merchantCustomerId: reference } },
    ProfileReply,
    signal,
  )

async function profileReference(
  send: Client,
  profileReply: ProfileReply | null | undefined,
  signal: AbortSignal,
): Promise<string> {
  if (!profileReply) return ''
  if (isOk(profileReply))
    return toVaultReference(profileReply.customerProfileId, profileReply.customerPaymentProfileIdList?.[0])
  const customerProfileId = duplicateCustomerOf(profileReply)
  if (!customerProfileId) return ''
  return toVaultReference(customerProfileId, (await listPaymentProfiles(send, customerProfileId, signal))[0])
}

/** The existing customer profile that a new one would duplicate. */
export function duplicateCustomerOf({ messages }: ProfileReply): string | undefined {
  const duplicate = messages.message.find(({ code }) => code === DUPLICATE_RECORD)
  return /\bID (\d+)\b/.exec(duplicate?.text ?? '')?.[1]
}

export async function listPaymentProfiles(send: Client, customerProfileId: string, signal: AbortSignal) {
  const { profile } = requireOk(await send('getCustomerProfileRequest', { customerProfileId }, CustomerProfile, signal))
  return (profile.paymentProfiles ?? []).map(({ customerPaymentProfileId }) => customerPaymentProfileId)
}

export async function deletePaymentProfile(send: Client, customer: string, payment: string, signal: AbortSignal) {
  const request = { customerProfileId: customer, customerPaymentProfileId: payment }
  requireOk(await send('deleteCustomerPaymentProfileRequest', request, BaseReply, signal))
}

const brandByType: Record<string, Brand> = {
  Visa: 'visa',
  MasterCard: 'mastercard',
  AmericanExpress: 'amex',
  Discover: 'discover',
}

/** What may be shown of a stored card. Undefined if the vendor does not say. */
export async function findStoredCard(
  send: Client,
  vault_reference: string,
  signal: AbortSignal,
): Promise<StoredCard | undefined> {
  const ids = parseVaultReference(vault_reference)
  if (!ids) return undefined
  const request = {
    customerProfileId: ids.customerProfileId,
    customerPaymentProfileId: ids.paymentProfileId,
    unmaskExpirationDate: true,
  }
  try {
    const reply = requireOk(await send('getCustomerPaymentProfileRequest', request, PaymentProfile, signal))
    const { cardNumber, expirationDate, cardType = '' } = reply.paymentProfile.payment.creditCard
    const brand = brandByType[cardType]
    return brand && { brand, last_four: cardNumber.slice(-4), expires: expirationDate }
  } catch {
    return undefined
  }
}
