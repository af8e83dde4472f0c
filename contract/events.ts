import * as z from 'zod/mini'
import { placementSides } from './commission.ts'

/**
 * What other systems are told, as data. A payload is thin: ids, states, amounts and days, never a name, an address, a phone
 * number or a card. The API has the rest. Payloads only gain fields; any other change needs a new `version`.
 */
const eventType = <Payload extends z.ZodMiniObject>(meaning: string, payload: Payload) => ({
  version: 1,
  meaning,
  payload,
})

const id = z.uuid()
const reference = z.string()
/** '99.00' */
const amount = z.string().check(z.regex(/^\d+\.\d{2}$/))
const day = z.iso.date()
/** The membership's state after the event. */
const state = z.enum(['active', 'past_due', 'canceled', 'on_hold', 'ended'])
const period = { period: z.int(), starts_on: day, ends_on: day }
const charge = { reference, amount, kind: z.enum(['enrollment', 'renewal']), period: z.int() }

export const eventTypes = {
  'member.joined': eventType(
    'Someone paid and became a member, or was imported.',
    z.object({
      sponsor_id: id,
      product_ids: z.array(z.int()),
      amount,
      imported: z.optional(z.literal(true)),
    }),
  ),
  'member.changed': eventType(
    'A member’s details changed; `fields` names them.',
    z.object({ fields: z.array(z.string()) }),
  ),
  'member.erased': eventType('A member’s personal data was erased.', z.object({})),
  'payment.captured': eventType('A charge was collected.', z.object(charge)),
  'payment.refunded': eventType(
    'Part or all of a charge went back. `refunded` is the total so far.',
    z.object({ ...charge, refund_id: id, refunded: amount, credit_note: z.int() }),
  ),
  'payment.voided': eventType(
    'A charge was canceled before it settled, so the member never paid it.',
    z.object({ ...charge, refund_id: id, credit_note: z.int() }),
  ),
  'renewal.paid': eventType('A membership period was paid.', z.object({ reference, amount, ...period, state })),
  'renewal.failed': eventType(
    'A charge for a period was declined. `next_try_on` is null if we won’t try again.',
    z.object({ reference, amount, ...period, decline_class: z.string(), next_try_on: z.nullable(day), state }),
  ),
  'renewal.waived': eventType('A membership period won’t be charged.', z.object({ ...period, state })),
  'membership.canceled': eventType(
    'A membership was canceled, as of `ends_on` or immediately.',
    z.object({ ends_on: z.nullable(day), state }),
  ),
  'membership.resumed': eventType(
    'A cancellation was undone, a hold was released, or a former member came back.',
    z.object({ from: z.enum(['canceled', 'on_hold', 'ended']), state }),
  ),
  'membership.on_hold': eventType(
    'A membership was put on hold until staff decide.',
    z.object({ why: z.enum(['dispute', 'staff']), state }),
  ),
  'membership.ended': eventType('A membership ended.', z.object({ why: z.enum(['canceled', 'unpaid']), state })),
  'membership.price_changed': eventType(
    'From the next charge on, different packages renew, or at different prices. `price` is the total.',
    z.object({
      price: amount,
      former_price: amount,
      packages: z.array(z.object({ product_id: z.int(), price: amount })),
      state,
    }),
  ),
  'membership.renewal_moved': eventType(
    'A membership renews on a different day.',
    z.object({ renews_on: day, former_renews_on: day, state }),
  ),
  'sponsor.moved': eventType(
    'Staff moved a member to a different sponsor.',
    z.object({ sponsor_id: id, former_sponsor_id: id }),
  ),
  'sponsor.renamed': eventType(
    'A sponsor’s link was renamed. A member’s new link is a new sponsor, and the former one redirects to it.',
    z.object({ sponsor_id: id, former_sponsor_id: id }),
  ),
  'placement.changed': eventType(
    'Staff changed where a commission plan should place a member. Without a parent, it’s under the sponsor.',
    z.object({ placement: z.enum(placementSides), parent_id: z.nullable(id) }),
  ),
  'dispute.opened': eventType('The cardholder’s bank took back a charge.', z.object(charge)),
  'dispute.closed': eventType('A dispute was decided.', z.object({ ...charge, outcome: z.enum(['won', 'lost']) })),
  'audit.sealed': eventType(
    'The audit log’s daily seal. Store it away from the database.',
    z.object({ position: z.int(), hash: z.string() }),
  ),
} as const

export type EventType = keyof typeof eventTypes
export type EventPayloads = { [Type in EventType]: z.infer<(typeof eventTypes)[Type]['payload']> }

export const allEventTypes = Object.keys(eventTypes) as EventType[]

/** How long an event can be read. */
export const EVENT_DAYS = 90

/** An event as other systems get it, in the feed and in webhooks. */
export type FeedEvent<Type extends EventType = EventType> = {
  [T in Type]: {
    id: string
    type: T
    version: number
    /** When it happened. */
    at: string
    member_id: string | null
    payload: EventPayloads[T]
  }
}[Type]
