import { expiryYears, isExpired } from '#contract/card.ts'
import { messages } from '#contract/fields.ts'
import type { Address } from '#server/client.ts'
import { inTransaction } from '#server/db/db.ts'
import type { PaymentState } from '#server/db/tables.ts'
import { gatewayDeadline } from '#server/gateways/payment/deadlines.ts'
import type { CardChange, CardReplacement } from '#server/gateways/payment/port.ts'
import { addJob } from '#server/jobs/queue.ts'
import { refuseFields } from '#server/refusal.ts'
import { recordEvent } from '#server/security/security-log.ts'
import { todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { beginCharge, sendCharge } from './membership.ts'
import { cardColumns } from './new-membership.ts'
import { nextStep } from './next-step.ts'
import { noticeTomorrow } from './notify.ts'
import { beginPeriod } from './periods.ts'
import { hasOpenCharge, lockMembership, updateMembership } from './rows.ts'

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

/** Charges what is past due to a new card, apart from the scheduled tries. Returns undefined if nothing is past due. */
export async function chargePastDue(world: World, member_id: string): Promise<ChargeOutcome | undefined> {
  if (world.config.RENEWALS === 'off') return undefined
  const charge = await inTransaction(world.db, async (db) => {
    const membership = await lockMembership(db, member_id)
    if (membership.state !== 'past_due' || membership.on_hold_since) return undefined
    if (await hasOpenCharge(db, membership.enrollment_id)) return undefined
    const { step } = nextStep(membership, todayOf(world))
    if (step === 'end') return undefined
    return step === 'begin' // nothing could be charged until its month was over
      ? beginCharge({ ...world, db }, await beginPeriod({ ...world, db }, membership))
      : beginCharge({ ...world, db }, membership, true)
  })
  return charge && sendForMember(world, charge)
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
