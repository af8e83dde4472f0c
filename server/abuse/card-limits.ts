import { sql } from 'kysely'
import type { EnrollmentReply } from '#contract/api.ts'
import { statement } from '#server/db/statement.ts'
import { requireVerifiedPhone } from '#server/enrollment/screening.ts'
import { networkOf, type PaymentRequest, type Visitor } from '#server/enrollment/visitor.ts'
import { Refusal } from '#server/refusal.ts'
import type { World } from '#server/world.ts'
import { approvalCount, isRisky, type RiskQuery, recordDecline, riskColumns, riskQuery } from './breaker.ts'
import { countAgainstLimits, countRefusal } from './limits.ts'

/**
 * Lets somebody try a card as long as their address, card, phone and enrollment were not declined too often. A try counts
 * as a decline until it is none, so that many at once cannot outrun a limit.
 */
export async function withinCardLimits(
  world: World,
  { order, key, visitor }: PaymentRequest,
  attempt: () => Promise<EnrollmentReply>,
): Promise<EnrollmentReply> {
  const counted = await countAgainstLimits(world, [
    ['LIMIT_DECLINES_BY_CARD', world.keys.hmac('cards', order.cc_number)], // the one thing that is kept of a card, for a day
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
    await conclude[payment ?? 'Nothing'](world, counted, visitor).catch(() => undefined)
  }
}

type Counted = Awaited<ReturnType<typeof countAgainstLimits>>
type Conclude = (world: World, counted: Counted, visitor: Visitor) => Promise<void>

/** What is pending may still fail: card and phone keep their count until then. */
const conclude: Record<EnrollmentReply['payment'] | 'Nothing', Conclude> = {
  Approved: (world, counted) => counted.giveBack({ also: approvalCount(world) }),
  Declined: (world, _counted, visitor) => recordDecline(world, networkOf(visitor)),
  Pending: (_world, counted) => counted.giveBack({ names: ['LIMIT_DECLINES_BY_ENROLLMENT', 'LIMIT_DECLINES'] }),
  Nothing: (_world, counted) => counted.giveBack(),
}

/**
 * A last look at everybody else, since a breaker may have tripped while this one waited. No more cards are at the bank at
 * once than it can still stop in time.
 */
export async function recheckBeforeCharge(world: World, press: PaymentRequest): Promise<void> {
  const asked = { now: world.now(), ...riskQuery(world, networkOf(press.visitor)) }
  const [around] = (await readRisk(world.db, asked)).rows
  if (!around) throw new Error('a look around finds nothing')
  await requireVerifiedPhone(world, press, async () => isRisky(world, around))
  if (Number(around.asking) < world.config.PAYMENTS_AT_ONCE) return
  countRefusal('PAYMENTS_AT_ONCE')
  throw new Refusal(429, 'Many people are joining right now. Please try again in a moment.', { retryAfter: 5 })
}

const readRisk = statement((db, { now, ...asked }: RiskQuery & { now: Date }) =>
  db.selectNoFrom((select) => [
    select
      .selectFrom('payment')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('state', '=', sql.lit('authorizing')) // in the text: the index holds no others
      .where('leased_until', '>', now)
      .as('asking'),
    ...riskColumns(db, asked),
  ]),
)
