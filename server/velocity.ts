import type { EnrollmentReply } from '#contract/api.ts'
import type { Enrollment } from '#contract/enrollment.ts'
import { noteCard } from './breaker.ts'
import type { LimitName } from './config.ts'
import { countRefusal, spendAll } from './limits.ts'
import { Refusal } from './refusal.ts'
import type { AttemptKey, Visitor } from './visitor.ts'
import type { World } from './world.ts'

/**
 * Lets somebody try a card as long as their address, card, phone and enrollment were not declined too often. A try counts
 * as a decline until it is none, so that many at once cannot outrun a limit.
 */
export async function tryCard(
  world: World,
  order: Enrollment,
  { enrollment_id }: AttemptKey,
  { address }: Visitor,
  attempt: () => Promise<EnrollmentReply>,
): Promise<EnrollmentReply> {
  const counted = await spendAll(world, [
    ['LIMIT_DECLINES_BY_CARD', world.keys.hmac('cards', order.cc_number)], // the one thing that is kept of a card, for a day
    ['LIMIT_DECLINES_BY_PHONE', order.mobile_phone],
    ['LIMIT_DECLINES_BY_ENROLLMENT', enrollment_id],
    ['LIMIT_DECLINES', address],
  ])
  let payment: EnrollmentReply['payment'] | undefined
  try {
    const reply = await attempt()
    payment = reply.payment
    return reply
  } finally {
    if (payment !== 'Declined') await counted.giveBack(payment === 'Pending' ? PLACE : undefined).catch(() => undefined)
    if (payment === 'Declined' || payment === 'Approved')
      await noteCard(world, payment === 'Approved').catch(() => undefined)
  }
}

/** What is pending may still fail: card and phone keep their count until then. */
const PLACE: LimitName[] = ['LIMIT_DECLINES_BY_ENROLLMENT', 'LIMIT_DECLINES']

/** No more cards at the bank at once than a breaker can still stop in time. */
export async function refuseACrowd({ db, now, config }: World): Promise<void> {
  const { count } = await db
    .selectFrom('payment')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('state', '=', 'authorizing')
    .where('leased_until', '>', now())
    .executeTakeFirstOrThrow()
  if (Number(count) < config.PAYMENTS_AT_ONCE) return
  countRefusal('PAYMENTS_AT_ONCE')
  throw new Refusal(429, 'Many people are joining right now. Please try again in a moment.', { retryAfter: 5 })
}
