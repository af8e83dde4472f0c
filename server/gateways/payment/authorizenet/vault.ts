import * as z from 'zod/mini'
import { baseReply, type Client, DUPLICATE_RECORD, isOk, requireOk, text } from './client.ts'

/** The vendor's response to creating a customer profile. */
export const ProfileReply = z.object({
  ...baseReply,
  customerProfileId: z.optional(z.nullable(text)),
  customerPaymentProfileIdList: z.optional(z.nullable(z.array(text))),
})
export type ProfileReply = z.infer<typeof ProfileReply>

const Profile = z.object({
  ...baseReply,
  profile: z.object({ paymentProfiles: z.optional(z.nullable(z.array(z.object({ customerPaymentProfileId: text })))) }),
})

type HeldTransaction = { transaction_id: string; reference: string; profileReply?: ProfileReply | null }

/**
 * Identifies the stored card: customer profile and payment profile. If the first response does not contain them, the
 * profile is created from the transaction. If that fails too, the card is not stored.
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
  if (isOk(profileReply)) return join(profileReply.customerProfileId, profileReply.customerPaymentProfileIdList?.[0])
  const duplicate = profileReply.messages.message.find(({ code }) => code === DUPLICATE_RECORD)
  const customerProfileId = /\bID (\d+)\b/.exec(duplicate?.text ?? '')?.[1]
  if (!customerProfileId) return ''
  const { profile } = requireOk(await send('getCustomerProfileRequest', { customerProfileId }, Profile, signal))
  return join(customerProfileId, profile.paymentProfiles?.[0]?.customerPaymentProfileId)
}

const join = (customer?: string | null, payment?: string) => (customer && payment ? `${customer}/${payment}` : '')
