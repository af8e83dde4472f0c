import * as z from 'zod/mini'
import { Package } from '#contract/api.ts'

const day = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/))
const amount = Package.shape.price

/** What may be shown of a card. `expires` is '2030-07'. */
export const StoredCard = z.object({ brand: z.string(), last_four: z.string(), expires: z.string() })

/** Who runs the site, how to reach them, and what they do about refunds. */
export const Operator = z.object({
  name: z.string(),
  address: z.optional(z.string()),
  support: z.optional(z.object({ href: z.string(), text: z.string() })),
  refunds: z.optional(z.string()),
})

/** A charge and what became of it. The texts are in receipt-texts.ts. */
export const Receipt = z.object({
  reference: z.string(),
  paid_on: day,
  /** The period that a renewal pays for. */
  starts_on: z.optional(day),
  ends_on: z.optional(day),
  /** A recurring line is paid again every month or year. */
  lines: z.array(
    z.object({
      name: z.string(),
      price: amount,
      is_recurring: z.optional(z.boolean()),
      billing_interval: z.optional(z.string()),
    }),
  ),
  total: amount,
  /** Absent if the gateway did not say. */
  card: z.optional(StoredCard),
  /** Refunds, or a void, oldest first. */
  credit_notes: z.array(z.object({ number: z.int(), issued_on: day, amount, is_void: z.boolean() })),
  /** A dispute with the bank, and the day it ended: won if the charge stands, lost if the bank returned the payment. */
  disputed_on: z.optional(day),
  dispute_won_on: z.optional(day),
  dispute_lost_on: z.optional(day),
  /** False: the gateway refused to collect it. */
  is_collected: z.boolean(),
})

/** A credit note as it is shown and printed: what goes back of each line, and the receipt it belongs to. */
export const CreditNote = z.object({
  number: z.int(),
  issued_on: day,
  is_void: z.boolean(),
  lines: z.array(z.object({ name: z.string(), price: amount })),
  amount,
  receipt: z.object({
    reference: z.string(),
    paid_on: day,
    starts_on: z.optional(day),
    ends_on: z.optional(day),
    total: amount,
    card: z.optional(StoredCard),
  }),
  member: z.object({ first_name: z.string(), last_name: z.string(), business_name: z.string() }),
  operator: Operator,
})

export type Operator = z.infer<typeof Operator>
export type Receipt = z.infer<typeof Receipt>
export type CreditNote = z.infer<typeof CreditNote>
