import * as z from 'zod/mini'
import { Package } from '#contract/api.ts'
import { placementSides } from '#contract/commission.ts'
import { day } from './fields.ts'

const amount = Package.shape.price

export const memberStates = ['active', 'past_due', 'canceled', 'on_hold', 'ended'] as const
export const state = z.enum(memberStates, 'Please choose a state.')
export const Card = z.object({ brand: z.string(), last_four: z.string(), expires: z.optional(z.string()) })

const Payment = z.object({
  reference: z.string(),
  /** 0 is the first charge, n the renewal for the nth period. */
  period: z.int(),
  at: z.string(),
  /** 'voided' if it was canceled before it was collected. */
  state: z.string(),
  disputed_on: z.optional(day),
  dispute_won_on: z.optional(day),
  amount,
  refunded: amount,
  /** Requested and not done yet. */
  refund_pending: amount,
  /** What can still be refunded; absent if nothing can. */
  refundable: z.optional(amount),
  may_void: z.boolean(),
  card: z.optional(z.object({ brand: z.string(), last_four: z.string() })),
  decline: z.optional(z.string()),
  refunds: z.array(
    z.object({
      amount,
      is_void: z.boolean(),
      state: z.enum(['requested', 'done', 'refused']),
      /** The number of its credit note, once it is done. */
      credit_note: z.optional(z.int()),
      reason: z.string(),
      who: z.string(),
      at: z.string(),
    }),
  ),
})

export const timelineKinds = ['money', 'membership', 'email', 'sign_in', 'staff', 'link'] as const

/** One thing that happened. The texts are made where they are shown. */
const TimelineEntry = z.object({
  at: z.string(),
  kind: z.enum(timelineKinds),
  what: z.string(),
  amount: z.optional(amount),
  /** A reference, a link, a card, a reason. */
  detail: z.optional(z.string()),
  reason: z.optional(z.string()),
  who: z.optional(z.string()),
  tone: z.enum(['good', 'bad', 'plain']),
  /** An email that can be sent again. */
  email_id: z.optional(z.string()),
})

const placementSide = z.enum(placementSides)
const SponsorName = z.object({ site: z.string(), name: z.string() })

export const MemberPage = z.object({
  id: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  business_name: z.string(),
  username: z.string(),
  email: z.string(),
  /** Whether someone has opened a link that was sent to it. */
  is_email_confirmed: z.boolean(),
  /** The mail server refuses the address: no such mailbox, closed, or not an address at all. */
  email_bounce: z.optional(z.enum(['unknown', 'closed', 'malformed'])),
  email_bounced_on: z.optional(z.string()),
  /** A new address that the member has not confirmed yet. */
  unconfirmed_email: z.optional(z.string()),
  mobile_phone: z.string(),
  /** Of what staff can correct: names, contact and address. */
  details_version: z.string(),
  postal: z.object({
    address: z.string(),
    address2: z.string(),
    city: z.string(),
    state: z.string(),
    post_code: z.string(),
    country: z.string(),
  }),
  joined_at: z.string(),
  /** The personal data is gone. */
  erased_on: z.optional(z.string()),
  /** Who counts as the sponsor now. */
  sponsor: SponsorName,
  credit: z.object({
    /** The sponsor on the day of joining. */
    joined: SponsorName,
    /** What is wrong with the sealed record, if anything. */
    problem: z.optional(z.string()),
    /** Oldest first. */
    moves: z.array(
      z.object({
        from: SponsorName,
        to: SponsorName,
        who: z.string(),
        at: z.string(),
        reason: z.optional(z.string()),
      }),
    ),
  }),
  /** Where a commission plan should put the member. */
  placement: z.object({
    side: placementSide,
    /** The sponsor, if there is none. */
    parent: z.optional(SponsorName),
    /** Oldest first. */
    moves: z.array(
      z.object({
        side: placementSide,
        parent: z.optional(SponsorName),
        who: z.string(),
        at: z.string(),
        reason: z.optional(z.string()),
      }),
    ),
  }),
  link: z.string(),
  sessions: z.int(),
  has_second_factor: z.boolean(),
  membership: z.object({
    state,
    /** From the next period on. */
    price: amount,
    interval: z.enum(['month', 'year']),
    lines: z.array(z.object({ name: z.string(), price: amount })),
    /** Higher prices to come. Not charged before the member was told. */
    announced: z.array(z.object({ name: z.string(), price: amount, from_on: day, is_told: z.boolean() })),
    period: z.optional(z.object({ starts_on: day, ends_on: day, state: z.string() })),
    /** When the next charge or try is due, if there is one. */
    next_charge_on: z.optional(day),
    ends_on: z.optional(day),
    hold_reason: z.optional(z.string()),
    card: z.optional(Card),
    may_cancel: z.boolean(),
    may_resume: z.boolean(),
    may_hold: z.boolean(),
    may_release: z.boolean(),
    /** What follows when the hold is released: immediately, or on a later day. A membership that is paid once doesn't end; its packages stop. */
    on_release: z.optional(
      z.object({ step: z.enum(['begin', 'retry', 'waive', 'wait', 'end', 'stop', 'nothing']), until: z.optional(day) }),
    ),
    /** The period that would be charged next and could be waived. */
    may_waive: z.optional(z.object({ starts_on: day, ends_on: day })),
    /** The next period, which is not charged. */
    waived: z.optional(z.object({ starts_on: day, ends_on: day })),
    /** What the free days of a move are counted from, and those of other periods in the past 12 months. */
    may_move_day: z.optional(z.object({ paid_until: day, free_days_given: z.int() })),
    /** The day of the month on which it renews. */
    day_of_month: z.int(),
  }),
  payments: z.array(Payment),
  accepted: z.array(z.object({ title: z.string(), version: z.int(), sha256: z.string(), accepted_at: z.string() })),
  /** Those that can be sent again. */
  emails: z.array(z.object({ email_id: z.string(), text: z.string() })),
  timeline: z.array(TimelineEntry),
})

export type MemberState = (typeof memberStates)[number]
export type MemberPage = z.infer<typeof MemberPage>
export type TimelineEntry = z.infer<typeof TimelineEntry>
export type PaymentRow = z.infer<typeof Payment>
