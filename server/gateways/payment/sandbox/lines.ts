import * as z from 'zod/mini'
import { brandNames } from '#contract/card.ts'
import { type CardName, testCards } from '#server/gateways/payment/cards.ts'

/** The lines of the ledger file: references, amounts and outcomes, never a card number or a CVC. */

const at = z._default(z.string(), new Date(0).toISOString()) // old ledgers have no times

const State = z.enum(['held', 'review', 'declined', 'captured', 'voided', 'refunded', 'disputed'])
export type State = z.infer<typeof State>

/** A new transaction, or a new state of one. */
const TransactionLine = z.object({
  at,
  transaction_id: z.string(),
  reference: z.string(),
  amount_cents: z.number(),
  state: State,
  decline_class: z.optional(z.enum(['input', 'card', 'bank', 'fraud'])),
  issuer_code: z.optional(z.string()),
  advice_code: z.optional(z.string()),
  vault_reference: z.optional(z.string()),
  is_renewal: z.optional(z.literal(true)),
  dispute_at: z.optional(z.string()),
  refunded_cents: z.optional(z.number()), // only in old ledgers; refunds have lines of their own
})
export type TransactionLine = z.infer<typeof TransactionLine>

const RefundLine = z.object({
  at,
  transaction_id: z.string(),
  refund_reference: z.string(),
  refund_cents: z.number(),
  is_void: z.optional(z.literal(true)),
})
export type RefundLine = z.infer<typeof RefundLine>

/** A stored card: how it behaves, and what may be shown of it. */
const CardLine = z.object({
  at,
  vault_reference: z.string(),
  test_card: z.enum(Object.keys(testCards) as [CardName, ...CardName[]]),
  brand: z.enum(brandNames),
  last_four: z.string(),
  expires: z.string(),
})
export type CardLine = z.infer<typeof CardLine>

export type Line = TransactionLine | RefundLine | CardLine

const lineTypes: [key: string, schema: z.ZodMiniType<Line>][] = [
  ['reference', TransactionLine],
  ['refund_reference', RefundLine],
  ['test_card', CardLine],
]

/** Undefined for a line that a crash cut short: its request got no response. */
export function parseLine(text: string): Line | undefined {
  try {
    const line = JSON.parse(text)
    const schema = lineTypes.find(([key]) => key in line)?.[1]
    return schema && z.parse(schema, line)
  } catch {
    return undefined
  }
}
