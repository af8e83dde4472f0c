import { expiryYears, isExpired } from '#contract/card.ts'
import { messages } from '#contract/fields.ts'
import { showAmount, toAmount } from '#contract/money.ts'
import { renewalTotal } from '#contract/renewal.ts'
import type { Address } from '#server/client.ts'
import { inTransaction } from '#server/db/db.ts'
import type { PaymentState } from '#server/db/tables.ts'
import { gatewayDeadline } from '#server/gateways/payment/deadlines.ts'
import type { CardChange, CardReplacement } from '#server/gateways/payment/port.ts'
import { addJob } from '#server/jobs/queue.ts'
import { refuseField, refuseFields } from '#server/refusal.ts'
import { recordEvent } from '#server/security/security-log.ts'
import { todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { beginCharge, sendCharge } from './membership.ts'
import { cardColumns } from './new-membership.ts'
import { nextStep, type Situation } from './next-step.ts'
import { noticeTomorrow } from './notify.ts'
import { beginPeriod, priceToBegin } from './periods.ts'
import { linesDue } from './prices.ts'
import { hasOpenCharge, type LockedMembership, lockMembership, updateMembership } from './rows.ts'

type NewCard = Pick<CardChange, 'card' | 'billing' | 'reference'> & { address?: Address }

/** Verifies a new card at the bank without charging it, and puts it on file. The old one stays until then. */
export async function replaceCard(
  world: World,
  member_id: string,
  { address, ...card }: NewCard,
): Promise<CardReplacement> {
  const { vault_reference } = await world.db
    .selectFrom('membership')
    .select('vault_reference')
    .where('member_id', '=', member_id)
    .executeTakeFirstOrThrow()
  const answer = await world.payment
    .replaceCard({ ...card, vault_reference }, gatewayDeadline(world))
    .catch((err: unknown) => {
      world.log.warn({ err, reference: card.reference }, 'the payment gateway did not answer')
      return { outcome: 'unknown' as const }
    })
  if (answer.outcome === 'approved')
    await inTransaction(world.db, async (db) => {
      await putOnFile({ ...world, db }, member_id, answer)
      await recordEvent({ ...world, db }, { kind: 'card_changed', member_id, address })
      const { card_brand, card_last_four } = cardColumns(answer)
      const at = world.now()
      await addJob(db, 'card_changed', { member_id, card_brand, card_last_four, at: at.toISOString() }, at)
    })
  if (answer.outcome === 'failed')
    world.log.error({ why: answer.why, reference: card.reference }, 'the payment gateway rejected a new card')
  return answer
}

const putOnFile = (world: World, member_id: string, card: Extract<CardReplacement, { outcome: 'approved' }>) =>
  updateMembership(world.db, member_id, {
    vault_reference: card.vault_reference,
    ...cardColumns(card),
    series_cents: card.network_transaction_id ? 0 : null, // the verification starts the series, and costs nothing
    never_retry_since: null,
    notice_at: noticeTomorrow(world, member_id),
  })

/**
 * Charges what is past due to a new card, apart from the scheduled tries. Returns undefined if nothing is past due, or not the
 * amount that the member has confirmed.
 */
export async function chargePastDue(
  world: World,
  member_id: string,
  shown?: ShownPrice,
): Promise<ChargeOutcome | undefined> {
  const charge = await inTransaction(world.db, async (db) => {
    const membership = await lockMembership(db, member_id)
    const due = pastDue(world, membership, await hasOpenCharge(db, membership.enrollment_id))
    if (!due || (shown && due.price !== shown.shown_price)) return undefined
    return due.isNewPeriod
      ? beginCharge({ ...world, db }, await beginPeriod({ ...world, db }, membership))
      : beginCharge({ ...world, db }, membership, true)
  })
  return charge && sendForMember(world, charge)
}

type Due = Situation & Pick<LockedMembership, 'lines' | 'period_lines' | 'missed_from'>

/** What a new card is charged right away, if anything is. */
export function pastDue(world: World, membership: Due, isCharging: boolean) {
  const { state, on_hold_since, period_lines, lines } = membership
  if (world.config.RENEWALS === 'off' || state !== 'past_due' || on_hold_since || isCharging) return undefined
  const today = todayOf(world)
  const { step } = nextStep(membership, today)
  if (step === 'end') return undefined
  const isNewPeriod = step === 'begin' // nothing could be charged until its month was over
  const cents = isNewPeriod ? priceToBegin(membership, today) : renewalTotal(linesDue(period_lines, lines))
  return cents ? { price: toAmount(cents), isNewPeriod } : undefined
}

/** The amount that the button named. */
export type ShownPrice = { shown_price?: string | undefined }

/** Refuses a charge of any other amount, and names it. */
export function requireShownPrice(price: string | undefined, { shown_price }: ShownPrice): void {
  if (price === shown_price) return
  throw refuseField(
    'shown_price',
    price
      ? `The amount is now ${showAmount(price)}. Please check it and try again.`
      : 'There’s nothing left to pay. Please check the page and try again.',
  )
}

/** The outcome of a charge that a member asked for. */
export type ChargeOutcome = 'Approved' | 'Declined' | 'Pending' | 'Failed'
const outcomes: { [State in PaymentState]?: ChargeOutcome } = {
  captured: 'Approved',
  declined: 'Declined',
  abandoned: 'Failed',
}

/** Sends the charge while the member waits. */
export async function sendForMember(world: World, charge: Parameters<typeof sendCharge>[1]): Promise<ChargeOutcome> {
  await sendCharge(world, charge)
  const { state } = await world.db
    .selectFrom('payment')
    .select('state')
    .where('enrollment_id', '=', charge.key.enrollment_id)
    .where('attempt', '=', charge.key.attempt)
    .executeTakeFirstOrThrow()
  return outcomes[state] ?? 'Pending'
}

/** A date that has passed, or one that no bank would print on a card today. */
export function rejectExpiredCard({ cc_month, cc_year }: { cc_month: string; cc_year: string }, now: Date) {
  if (isExpired(cc_month, cc_year, now)) throw refuseFields({ cc_year: messages.expired })
  if (!expiryYears(now).includes(cc_year)) throw refuseFields({ cc_year: 'Please select the expiration year.' })
}
