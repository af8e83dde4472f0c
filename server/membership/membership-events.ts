import type { EventPayloads } from '#contract/events.ts'
import { toAmount } from '#contract/money.ts'
import { renewalTotal } from '#contract/renewal.ts'
import type { RenewalLine, Tables } from '#server/db/tables.ts'
import { addEvent } from '#server/events/events.ts'
import type { Decline } from '#server/gateways/payment/port.ts'
import { todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { type Anchor, type NextStep, startsOn } from './next-step.ts'
import { type StateColumns, seenState } from './state.ts'

/** The events of a membership. Each is written in the transaction of its change. */

type Context = Pick<World, 'db' | 'now'>

type Subject = { member_id: string } & StateColumns

/** The membership continues. */
export const addResumed = (
  { db, now }: Context,
  { member_id, ...after }: Subject,
  from: EventPayloads['membership.resumed']['from'],
): Promise<unknown> =>
  addEvent(db, now(), { type: 'membership.resumed', member_id, payload: { from, state: seenState(after) } })

/** The first and last day of a period, as events name them. */
export const daysOf = (anchor: Anchor, period: number) => ({
  period,
  starts_on: startsOn(anchor, period),
  ends_on: startsOn(anchor, period + 1),
})

type Charged = Pick<Tables['payment'], 'reference' | 'amount_cents' | 'period'>

const renewalFacts = (after: Anchor & StateColumns, { reference, amount_cents, period }: Charged) => ({
  reference,
  amount: toAmount(amount_cents),
  ...daysOf(after, period),
  state: seenState(after),
})

export const addRenewalPaid = ({ db, now }: Context, after: Anchor & Subject, charge: Charged): Promise<unknown> =>
  addEvent(db, now(), {
    type: 'renewal.paid',
    member_id: after.member_id,
    payload: renewalFacts(after, charge),
  })

/** `next`: what follows, unless the membership ends. */
export const addRenewalFailed = (
  context: Pick<World, 'config' | 'db' | 'now'>,
  after: Anchor & Subject & Pick<Tables['membership'], 'never_retry_since'>,
  charge: Charged & Pick<Decline, 'decline_class'>,
  next?: NextStep,
): Promise<unknown> => {
  const next_try_on = after.never_retry_since ? null : tryOn(next, todayOf(context))
  return addEvent(context.db, context.now(), {
    type: 'renewal.failed',
    member_id: after.member_id,
    payload: { ...renewalFacts(after, charge), decline_class: charge.decline_class, next_try_on },
  })
}

function tryOn(next: NextStep | undefined, today: string): string | null {
  if (next?.step === 'wait') return next.until
  return next?.step === 'retry' || next?.step === 'begin' ? today : null
}

/** A period isn't charged. */
export const addWaived = (
  { db, now }: Context,
  { member_id, ...after }: Subject,
  days: ReturnType<typeof daysOf>,
): Promise<unknown> =>
  addEvent(db, now(), { type: 'renewal.waived', member_id, payload: { ...days, state: seenState(after) } })

/** What renews, or its price, has changed. An announced price changes nothing until its first period. */
export async function addPriceChanged(
  { db, now }: Context,
  { member_id, ...after }: Subject,
  { before, after: lines }: Record<'before' | 'after', RenewalLine[]>,
): Promise<void> {
  const packages = lines.map(toPackage)
  if (JSON.stringify(packages) === JSON.stringify(before.map(toPackage))) return
  const [price, former_price] = [toAmount(renewalTotal(lines)), toAmount(renewalTotal(before))]
  const payload = { price, former_price, packages, state: seenState(after) }
  await addEvent(db, now(), { type: 'membership.price_changed', member_id, payload })
}

const toPackage = ({ product_id, renewal_cents }: RenewalLine) => ({ product_id, price: toAmount(renewal_cents) })
