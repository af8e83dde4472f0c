import * as z from 'zod/mini'
import { accepted, answer, DUPLICATE_RECORD, type Exchange, isOk, text } from './exchange.ts'

/** What the vendor says of the profile that it was asked to make. */
export const Kept = z.object({
  ...answer,
  customerProfileId: z.optional(z.nullable(text)),
  customerPaymentProfileIdList: z.optional(z.nullable(z.array(text))),
})
export type Kept = z.infer<typeof Kept>

const Profile = z.object({
  ...answer,
  profile: z.object({ paymentProfiles: z.optional(z.nullable(z.array(z.object({ customerPaymentProfileId: text })))) }),
})

type Held = { transaction_id: string; reference: string; kept?: Kept | null }

/**
 * Where the card is kept for the months to come: customer profile and payment profile. When the first answer does not
 * say, the profile is made from the transaction; when that cannot be done either, the card is not kept.
 */
export async function vaultReference(ask: Exchange, held: Held, signal: AbortSignal): Promise<string> {
  try {
    return (await named(ask, held.kept, signal)) || (await named(ask, await keep(ask, held, signal), signal))
  } catch {
    return '' // the hold stands without it
  }
}

const keep = (ask: Exchange, { transaction_id, reference }: Held, signal: AbortSignal) =>
  ask(
    'createCustomerProfileFromTransactionRequest',
    { transId: transaction_id, customer: { merchantCustomerId: reference } },
    Kept,
    signal,
  )

async function named(ask: Exchange, kept: Kept | null | undefined, signal: AbortSignal): Promise<string> {
  if (!kept) return ''
  if (isOk(kept)) return join(kept.customerProfileId, kept.customerPaymentProfileIdList?.[0])
  const duplicate = kept.messages.message.find(({ code }) => code === DUPLICATE_RECORD)
  const customerProfileId = /\bID (\d+)\b/.exec(duplicate?.text ?? '')?.[1]
  if (!customerProfileId) return ''
  const { profile } = accepted(await ask('getCustomerProfileRequest', { customerProfileId }, Profile, signal))
  return join(customerProfileId, profile.paymentProfiles?.[0]?.customerPaymentProfileId)
}

const join = (customer?: string | null, payment?: string) => (customer && payment ? `${customer}/${payment}` : '')
