import { createHmac } from 'node:crypto'
import type { EnrollmentReply } from '#contract/api.ts'
import type { Enrollment } from '#contract/enrollment.ts'
import { noteCard } from './breaker.ts'
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
  const failure = await spendAll(world, [
    ['LIMIT_DECLINES_BY_CARD', fingerprint(world, order.cc_number)],
    ['LIMIT_DECLINES_BY_PHONE', order.mobile_phone],
  ])
  const place = await spendAll(world, [
    ['LIMIT_DECLINES_BY_ENROLLMENT', enrollment_id],
    ['LIMIT_DECLINES', address],
  ]).catch(async (error: unknown) => {
    await failure.giveBack()
    throw error
  })
  let payment: EnrollmentReply['payment'] | undefined
  try {
    const reply = await attempt()
    payment = reply.payment
    return reply
  } finally {
    if (payment !== 'Declined') await place.giveBack().catch(() => undefined)
    if (payment !== 'Declined' && payment !== 'Pending') await failure.giveBack().catch(() => undefined) // what is pending may still fail
    if (payment === 'Declined' || payment === 'Approved')
      await noteCard(world, payment === 'Approved').catch(() => undefined)
  }
}

/** The one thing that is kept of a card, for a day: a keyed hash, good for counting and for nothing else. */
const fingerprint = (world: World, cc_number: string) =>
  createHmac('sha256', world.keys.hmac('cards')).update(cc_number).digest('base64url')

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
