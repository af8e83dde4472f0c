import * as z from 'zod/mini'
import { brandNames } from '#contract/card.ts'
import type { AccountCheck } from '#server/gateways/account.ts'
import type {
  Authorization,
  CardChange,
  CardReplacement,
  Failure,
  Hold,
  LookupQuery,
  Refund,
  RefundResult,
  Renewal,
  Settlement,
  Transaction,
} from '#server/gateways/payment/port.ts'

/** Requests and responses between Foyer and a sandbox that runs as a separate process. */

const shortText = z.string().check(z.minLength(1), z.maxLength(100))
const cents = z.int().check(z.minimum(0))
const card = z.object({ cc_number: z.string(), cc_month: z.string(), cc_year: z.string(), cc_cvv: z.string() })
const billing = z.object({
  first_name: z.string(),
  last_name: z.string(),
  address: z.string(),
  address2: z.string(),
  city: z.string(),
  state: z.string(),
  country: z.string(),
  post_code: z.string(),
})

export const HoldMessage: z.ZodMiniType<Hold> = z.object({
  reference: shortText,
  amount_cents: cents,
  card,
  billing,
  is_once: z.optional(z.literal(true)),
})
export const RenewalMessage: z.ZodMiniType<Renewal> = z.object({
  reference: shortText,
  amount_cents: cents,
  vault_reference: z.string(),
  series: z.optional(z.object({ network_transaction_id: z.string(), amount_cents: cents })),
  is_retry: z.boolean(),
})
export const CardChangeMessage: z.ZodMiniType<CardChange> = z.object({
  reference: shortText,
  vault_reference: z.string(),
  card,
  billing,
})
export const LookupMessage: z.ZodMiniType<Pick<LookupQuery, 'reference' | 'is_once'>> = z.object({
  reference: shortText,
  is_once: z.optional(z.literal(true)),
})
export const TransactionMessage = z.object({ transaction_id: shortText })
export const RefundMessage: z.ZodMiniType<Omit<Refund, 'since'>> = z.object({
  refund_reference: shortText,
  transaction_id: shortText,
  amount_cents: z.number(),
})
export const SinceMessage = z.object({ since: z.iso.datetime() })
export const VerdictMessage = z.object({ transaction_id: shortText, verdict: z.enum(['approve', 'decline']) })
export const DisputeMessage = z.object({ transaction_id: shortText, change: z.enum(['open', 'won']) })
export const ClockMessage = z.object({ advance_seconds: z.int().check(z.minimum(0)) })

const storedCard = z.object({ brand: z.enum(brandNames), last_four: z.string(), expires: z.string() })
const approved = z.object({
  outcome: z.literal('approved'),
  transaction_id: shortText,
  vault_reference: z.string(),
  network_transaction_id: z.optional(z.string()),
  card: z.optional(storedCard),
})
const replaced = z.object({
  outcome: z.literal('approved'),
  vault_reference: shortText,
  network_transaction_id: z.optional(z.string()),
  card: storedCard,
})
const declined = z.object({
  outcome: z.literal('declined'),
  decline_class: z.enum(['input', 'card', 'bank', 'fraud']),
  issuer_code: z.optional(z.string()),
  advice_code: z.optional(z.string()),
  never_retry: z.optional(z.literal(true)),
})
const review = z.object({ outcome: z.literal('review'), transaction_id: shortText })
const failed = z.object({
  outcome: z.literal('failed'),
  why: z.string(),
  is_card_missing: z.optional(z.literal(true)),
})
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
export const CardReplacementReply: z.ZodMiniType<CardReplacement> = z.discriminatedUnion('outcome', [
  replaced,
  declined,
  failed,
])
export const SettlementReply: z.ZodMiniType<{ settlement: Settlement }> = z.object({
  settlement: z.enum(['done', 'refused', 'unknown']),
})
export const RefundReply: z.ZodMiniType<{ settlement: RefundResult }> = z.object({
  settlement: z.enum(['done', 'voided', 'refused', 'unknown', 'not_settled']),
})
export const TransactionsReply: z.ZodMiniType<{ transactions: Transaction[] }> = z.object({
  transactions: z.array(
    z.object({
      transaction_id: shortText,
      reference: shortText,
      amount_cents: cents,
      state: z.enum(['held', 'review', 'declined', 'captured', 'voided', 'refunded', 'disputed']),
      refunded_cents: z.optional(cents),
      is_renewal: z.optional(z.literal(true)),
    }),
  ),
})
/** Whether the change was made. */
export const DoneReply = z.object({ done: z.boolean() })
export const AccountReply: z.ZodMiniType<AccountCheck> = z.discriminatedUnion('state', [
  z.object({ state: z.literal('ok') }),
  z.object({ state: z.enum(['wrong', 'unknown']), why: z.string() }),
])
