import { sql } from 'kysely'
import type { EnrollmentReply } from '#contract/api.ts'
import { statement } from '#server/db/statement.ts'
import { requireVerifiedPhone } from '#server/enrollment/screening.ts'
import { Refusal } from '#server/refusal.ts'
import { networkOf, type PaymentRequest, type Visitor } from '#server/visitor.ts'
import type { World } from '#server/world.ts'
import { approvalCount, isRisky, type RiskQuery, recordDecline, riskColumns, riskQuery } from './breaker.ts'
import { countAgainstLimits, countRefusal } from './limits.ts'

/**
 * Runs a payment attempt unless its address, card, phone or enrollment was declined too often. An attempt counts as a
 * decline until it is approved, so that concurrent attempts cannot exceed a limit.
 */
export async function withinCardLimits(
  world: World,
  { order, key, visitor }: PaymentRequest,
  attempt: () => Promise<EnrollmentReply>,
): Promise<EnrollmentReply> {
  const uses = await countAgainstLimits(world, [
    ['LIMIT_DECLINES_BY_CARD', world.keys.hmac('cards', order.cc_number)], // the only trace of a card number, kept for a day
    ['LIMIT_DECLINES_BY_PHONE', order.mobile_phone],
    ['LIMIT_DECLINES_BY_ENROLLMENT', key.enrollment_id],
    ['LIMIT_DECLINES', visitor.address],
  ])
  let payment: EnrollmentReply['payment'] | undefined
  try {
    const reply = await attempt()
    payment = reply.payment
    return reply
  } finally {
    await settle[payment ?? 'Nothing'](world, uses, visitor).catch(() => undefined)
  }
}

type Uses = Awaited<ReturnType<typeof countAgainstLimits>>
type Settle = (world: World, uses: Uses, visitor: Visitor) => Promise<void>

/** A pending payment may still be declined, so card and phone stay counted. */
const settle: Record<EnrollmentReply['payment'] | 'Nothing', Settle> = {
  Approved: (world, uses) => uses.giveBack({ breakerCount: approvalCount(world) }),
  Declined: (world, _uses, visitor) => recordDecline(world, networkOf(visitor)),
  Pending: (_world, uses) => uses.giveBack({ names: ['LIMIT_DECLINES_BY_ENROLLMENT', 'LIMIT_DECLINES'] }),
  Nothing: (_world, uses) => uses.giveBack(),
}

/**
 * Checks the breaker again right before the bank is called, because it may have opened in the meantime. The number of
 * concurrent calls is limited, because the breaker cannot stop calls that are already under way.
 */
export async function recheckBeforeCharge(world: World, request: PaymentRequest): Promise<void> {
  const query = { now: world.now(), ...riskQuery(world, networkOf(request.visitor)) }
  const [risk] = (await readRisk(world.db, query)).rows
  if (!risk) throw new Error('The query for the risk of a payment returned no row.')
  await requireVerifiedPhone(world, request, async () => isRisky(world, risk))
  if (Number(risk.in_flight) < world.config.PAYMENTS_AT_ONCE) return
  countRefusal('PAYMENTS_AT_ONCE')
  throw new Refusal(429, 'Many people are joining right now. Please try again in a moment.', { retryAfter: 5 })
}

const readRisk = statement((db, { now, ...query }: RiskQuery & { now: Date }) =>
  db.selectNoFrom((select) => [
    select
      .selectFrom('payment')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('state', '=', sql.lit('authorizing')) // a literal, because the index is partial on this state
      .where('leased_until', '>', now)
      .as('in_flight'),
    ...riskColumns(db, query),
  ]),
)
