import * as z from 'zod/mini'
import { requireOk, baseReply, DUPLICATE_RECORD, type Client, isOk, text } from './client.ts'

/** What the vendor says of the profile that it was asked to make. */
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

type HeldTransaction = { transaction_id: string; reference: string; kept?: ProfileReply | null }

/**
 * Where the card is kept for the months to come: customer profile and payment profile. When the first answer does not
 * say, the profile is made from the transaction; when that cannot be done either, the card is not kept.
 */
export async function vaultReference(ask: Client, held: HeldTransaction, signal: AbortSignal): Promise<string> {
  try {
    return (await profileReference(ask, held.kept, signal)) || (await profileReference(ask, await createProfile(ask, held, signal), signal))
  } catch {
    return '' // the hold stands without it
  }
}

const createProfile = (ask: Client, { transaction_id, reference }: HeldTransaction, signal: AbortSignal) =>
  ask(
    'createCustomerProfileFromTransactionRequest',
    { transId: transaction_id, customer: { merchantCustomerId: reference } },
    ProfileReply,
    signal,
  )

async function profileReference(ask: Client, kept: ProfileReply | null | undefined, signal: AbortSignal): Promise<string> {
  if (!kept) return ''
  if (isOk(kept)) return join(kept.customerProfileId, kept.customerPaymentProfileIdList?.[0])
  const duplicate = kept.messages.message.find(({ code }) => code === DUPLICATE_RECORD)
  const customerProfileId = /\bID (\d+)\b/.exec(duplicate?.text ?? '')?.[1]
  if (!customerProfileId) return ''
  const { profile } = requireOk(await ask('getCustomerProfileRequest', { customerProfileId }, Profile, signal))
  return join(customerProfileId, profile.paymentProfiles?.[0]?.customerPaymentProfileId)
}

const join = (customer?: string | null, payment?: string) => (customer && payment ? `${customer}/${payment}` : '')
