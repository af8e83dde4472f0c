import * as z from 'zod/mini'
import type { Authorization, Failure, Hold, Settlement, Transaction } from '#server/gateways/payment/port.ts'

/** Requests and responses between Foyer and a sandbox that runs as a separate process. */

const shortText = z.string().check(z.minLength(1), z.maxLength(100))
const cents = z.int().check(z.minimum(0))

export const HoldMessage: z.ZodMiniType<Hold> = z.object({
  reference: shortText,
  amount_cents: cents,
  card: z.object({ cc_number: z.string(), cc_month: z.string(), cc_year: z.string(), cc_cvv: z.string() }),
  billing: z.object({
    first_name: z.string(),
    last_name: z.string(),
    address: z.string(),
    address2: z.string(),
    city: z.string(),
    state: z.string(),
    country: z.string(),
    post_code: z.string(),
  }),
})

export const ReferenceMessage = z.object({ reference: shortText })
export const TransactionMessage = z.object({ transaction_id: shortText })
export const RefundMessage = z.object({ transaction_id: shortText, amount_cents: z.int() })
export const SinceMessage = z.object({ since: z.iso.datetime() })
export const VerdictMessage = z.object({ transaction_id: shortText, verdict: z.enum(['approve', 'decline']) })

const approved = z.object({
  outcome: z.literal('approved'),
  transaction_id: shortText,
  vault_reference: z.string(),
})
const declined = z.object({
  outcome: z.literal('declined'),
  decline_class: z.enum(['input', 'card', 'bank', 'fraud']),
})
const review = z.object({ outcome: z.literal('review'), transaction_id: shortText })
const failed = z.object({ outcome: z.literal('failed'), why: z.string() })
const notFound = z.object({ outcome: z.literal('not_found') })

export const AuthorizationReply: z.ZodMiniType<Authorization | Failure> = z.discriminatedUnion('outcome', [
  approved,
  declined,
  review,
  failed,
])
export const LookupReply: z.ZodMiniType<Authorization | { outcome: 'not_found' }> = z.discriminatedUnion('outcome', [
  approved,
  declined,
  review,
  notFound,
])
export const SettlementReply: z.ZodMiniType<{ settlement: Settlement }> = z.object({
  settlement: z.enum(['done', 'refused', 'unknown']),
})
export const TransactionsReply: z.ZodMiniType<{ transactions: Transaction[] }> = z.object({
  transactions: z.array(
    z.object({
      transaction_id: shortText,
      reference: shortText,
      amount_cents: cents,
      state: z.enum(['held', 'review', 'declined', 'captured', 'voided', 'refunded']),
    }),
  ),
})
export const VerdictReply = z.object({ done: z.boolean() })
