import * as z from 'zod/mini'
import { Package } from '#contract/api.ts'
import { Operator, Receipt, StoredCard } from '#contract/receipts.ts'

const day = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/))
const amount = Package.shape.price

/** Visits to the member's page and joins through it in one week. */
const Week = z.object({ from: day, visits: z.int(), joins: z.int() })

/** Everything a member sees in the office. `brought` are their referrals: name and day only, for privacy. */
export const OfficeView = z.object({
  first_name: z.string(),
  last_name: z.string(),
  /** If there is one, visitors see it instead of the name. */
  business_name: z.string(),
  picture_url: z.optional(z.string()),
  username: z.string(),
  /** The username was changed, and can be changed again from this day on. */
  username_fixed_until: z.optional(day),
  email: z.string(),
  /** A new address that is not confirmed yet. */
  unconfirmed_email: z.optional(z.string()),
  /** Nobody has opened a link that was sent to the address yet. */
  is_email_confirmed: z.boolean(),
  /** What the office says about the address at its top. Members of long standing see it only in their details. */
  email_notice: z.optional(z.enum(['unconfirmed', 'undeliverable'])),
  mobile_phone: z.string(),
  /** A new number that waits for its code. */
  unconfirmed_phone: z.optional(z.string()),
  link: z.string(),
  /** Whether the member gets an email when someone joins through the link. */
  join_emails: z.boolean(),
  /** Whether the member gets an email three days before each charge. */
  renewal_emails: z.boolean(),
  joined_on: day,
  sponsor_name: z.string(),
  /** For how long the sign-in still counts as recent. From then on, a new card and coming back need the password. */
  proof_seconds: z.int(),
  /** What is true about the membership, and a link to the place in the office for what to do next. */
  status: z.object({
    label: z.string(),
    tone: z.enum(['good', 'warm', 'alert']),
    sentence: z.string(),
    action: z.optional(z.object({ label: z.string(), href: z.enum(['#card', '#come-back', '#resume']) })),
  }),
  membership: z.object({
    state: z.enum(['active', 'past_due', 'ended']),
    /** What the next renewal costs, '99.00'. */
    price: amount,
    billing_interval: z.enum(['month', 'year']),
    /** A higher price that was announced, and the day of the first charge at it. */
    new_price: z.optional(z.object({ now: amount, price: amount, from_on: day })),
    /** What renews. The membership itself is canceled; the others can be stopped. */
    lines: z.array(z.object({ product_id: z.int(), name: z.string(), price: amount, can_stop: z.boolean() })),
    /** The day the paid month or year ends and, unless the membership is canceled, the next one begins. */
    renews_on: day,
    /** The end of what is paid, if the member cancels now. Without it, the membership ends immediately. */
    cancel_ends_on: z.optional(day),
    /** The period from that day on is not charged. */
    waived: z.optional(z.object({ starts_on: day, ends_on: day })),
    cancelled_on: z.optional(day),
    ended_on: z.optional(day),
    is_over: z.boolean(),
    is_on_hold: z.boolean(),
    /** False: the operator charges renewals elsewhere. */
    is_charged_here: z.boolean(),
    card: z.optional(StoredCard),
    /** What a new card is charged right away. */
    card_charge: z.optional(amount),
    /** What undoing the cancellation charges right away, because the next month or year begins today. */
    resume_charge: z.optional(amount),
    /** A charge was declined. */
    payment_problem: z.optional(
      z.object({
        price: amount,
        /** Another try has not been answered yet. */
        is_checking: z.boolean(),
        needs_new_card: z.boolean(),
        retry_on: z.optional(day),
        ends_on: day,
      }),
    ),
    /** A payment to come back has not been answered yet. */
    is_checking: z.optional(z.boolean()),
    /** After the end: what coming back costs, now and every month or year; '0.00' if it was paid once. Absent if the member can't come back here. */
    return_price: z.optional(amount),
    /** The card on file can't pay for that. */
    return_needs_card: z.optional(z.boolean()),
  }),
  /** Absent: our own captcha. */
  captcha: z.optional(
    z.union([
      z.literal('off'),
      z.object({ script: z.string(), onload: z.string(), global: z.string(), site_key: z.string() }),
    ]),
  ),
  /** Newest first. The first charge is `receipt`. An imported member has none. */
  renewals: z.array(Receipt),
  receipt: z.optional(Receipt),
  /** As receipts name them. */
  operator: Operator,
  accepted: z.array(
    z.object({
      title: z.string(),
      version: z.int(),
      sha256: z.string(),
      accepted_on: day,
    }),
  ),
  /** Oldest first. */
  weeks: z.array(Week),
  totals: z.object({ visits: z.int(), joins: z.int() }),
  /** The newest only; `totals.joins` counts all. */
  brought: z.array(z.object({ name: z.string(), joined_on: day })),
})

export type OfficeView = z.infer<typeof OfficeView>
