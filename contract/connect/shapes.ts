import * as z from 'zod/mini'
import { memberStates } from '#contract/console/member-page.ts'

/** What other systems see. Fields are never removed: see v1.txt. */

export const amount = z.string().check(z.regex(/^\d+\.\d{2}$/))
const time = z.iso.datetime()
const day = z.iso.date()
const id = z.uuid()

/** Where the next page begins. Absent on the last page. A page may be shorter than `limit`, even empty, and still have one. */
const next = z.optional(z.string())

const Card = z.object({ brand: z.string(), last_four: z.string() })

export const Member = z.object({
  id,
  username: z.string(),
  /** Of the membership: past_due has a failed charge, canceled ends with what is paid, on_hold isn't charged. */
  state: z.enum(memberStates),
  joined_at: time,
  /** The member's sponsor now. `member_id` is absent if it isn't a member's link. */
  sponsor: z.object({ id, site: z.string(), member_id: z.optional(id) }),
  /** Null once erased. */
  person: z.nullable(
    z.object({
      first_name: z.string(),
      last_name: z.string(),
      business_name: z.string(),
      email: z.string(),
      is_email_confirmed: z.boolean(),
      mobile_phone: z.string(),
      address: z.string(),
      address2: z.string(),
      city: z.string(),
      address_state: z.string(),
      post_code: z.string(),
      country: z.string(),
    }),
  ),
  /** What renews, at the price that the member agreed to. */
  packages: z.array(z.object({ product_id: z.int(), name: z.string(), price: amount })),
  /** Of the next charge. */
  price: amount,
  billing_interval: z.enum(['month', 'year']),
  next_charge_on: z.optional(day),
  canceled_at: z.optional(time),
  /** When the membership ends or ended. */
  ends_at: z.optional(time),
  on_hold_since: z.optional(time),
  card: z.optional(z.object({ ...Card.shape, expires: z.optional(z.string()) })),
  /** Its ids in other systems, by the name of the connection. */
  external_ids: z.array(z.object({ connection: z.string(), value: z.string() })),
  erased_at: z.optional(time),
})

export const MemberList = z.object({ members: z.array(Member), next })

export const directions = ['up', 'down'] as const

export const Line = z.object({
  member_id: id,
  direction: z.enum(directions),
  /** Everything that happened before this moment counts. Later pages keep it. */
  as_of: time,
  /**
   * Up: the sponsor first, then theirs. Down: each member before those below them, in the order they joined.
   */
  line: z.array(
    z.object({
      member_id: id,
      username: z.string(),
      /** 1: directly above or below. */
      depth: z.int(),
      /** The member directly above. Absent if that is a link of the operator. */
      sponsor_member_id: z.optional(id),
      joined_at: time,
      is_erased: z.boolean(),
    }),
  ),
  /** Up: the operator's link that the line ends with. Absent if there are more members than `depth`. */
  top: z.optional(z.object({ site: z.string() })),
  next,
})

export const paymentStates = [
  ...(['pending', 'review', 'unknown', 'declined', 'abandoned', 'approved', 'captured'] as const),
  ...(['capture_failed', 'voided', 'refunded', 'disputed'] as const),
] as const

export const refundStates = ['requested', 'done', 'refused'] as const

const payment = {
  reference: z.string(),
  /** Absent if the person didn't become a member. */
  member_id: z.optional(id),
  kind: z.enum(['enrollment', 'renewal']),
  /** 0 is paid at joining, n is the nth renewal. */
  period: z.int(),
  /** approved: not collected yet. refunded: all of it. */
  state: z.enum(paymentStates),
  amount,
  refunded: amount,
  currency: z.literal('USD'),
  created_at: time,
  captured_at: z.optional(time),
  disputed_at: z.optional(time),
  card: z.optional(Card),
}

export const Payment = z.object(payment)

export const PaymentPage = z.object({
  ...payment,
  refunds: z.array(
    z.object({
      id,
      amount,
      /** Canceled before it was collected. */
      is_void: z.boolean(),
      state: z.enum(refundStates),
      requested_at: time,
      ended_at: z.optional(time),
    }),
  ),
})

export const PaymentList = z.object({ payments: z.array(Payment), next })

export const SponsorList = z.object({
  sponsors: z.array(
    z.object({
      id,
      site: z.string(),
      name: z.string(),
      is_active: z.boolean(),
      /** Absent: a link of the operator. */
      member_id: z.optional(id),
      created_at: time,
      picture_url: z.optional(z.string()),
    }),
  ),
  next,
})

export const PackageList = z.object({
  packages: z.array(
    z.object({
      product_id: z.int(),
      name: z.string(),
      description: z.string(),
      /** Today. */
      price: amount,
      /** Every month or year from then on; absent if it is paid once. */
      renewal_price: z.optional(amount),
      billing_interval: z.enum(['month', 'year', 'once']),
      is_recurring: z.boolean(),
      is_special: z.boolean(),
      ships: z.boolean(),
      /** False once it was withdrawn. */
      is_offered: z.boolean(),
      product_category_id: z.int(),
      language_id: z.int(),
      image_url: z.string(),
    }),
  ),
  next,
})

/** What happened, oldest first. Continue with `cursor`, even if there is nothing. */
export const EventPage = z.object({
  events: z.array(
    z.object({
      id,
      type: z.string(),
      version: z.int(),
      at: time,
      member_id: z.nullable(id),
      /** See the catalog of events. */
      payload: z.record(z.string(), z.unknown()),
    }),
  ),
  cursor: z.string(),
  has_more: z.boolean(),
})

/** The replies to changes. Nothing personal, because they're stored for repeated calls. */
export const MembershipState = z.object({
  member_id: id,
  ...z.pick(Member, { state: true, next_charge_on: true, canceled_at: true, ends_at: true, on_hold_since: true }).shape,
})

export const DetailsChange = z.object({
  member_id: id,
  changed: z.array(z.string()),
  /** The new email address takes effect once the member has opened the link that was sent to it. */
  is_email_unconfirmed: z.boolean(),
})

export const Refund = z.object({
  refund_id: id,
  payment_reference: z.string(),
  amount,
  state: z.literal('requested'),
})
