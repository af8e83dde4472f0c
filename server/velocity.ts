import { createHmac } from 'node:crypto'
import type { EnrollmentReply } from '#contract/api.ts'
import type { Enrollment } from '#contract/enrollment.ts'
import { noteCard } from './breaker.ts'
import { spend } from './limits.ts'
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
  await refuseACrowd(world)
  const counted = [
    await spend(world, 'LIMIT_DECLINES_BY_CARD', fingerprint(world, order.cc_number)),
    await spend(world, 'LIMIT_DECLINES_BY_ENROLLMENT', enrollment_id),
    await spend(world, 'LIMIT_DECLINES_BY_PHONE', order.mobile_phone),
    await spend(world, 'LIMIT_DECLINES', address),
  ]
  let reply: EnrollmentReply | undefined
  try {
    reply = await attempt()
    return reply
  } finally {
    const isDeclined = reply?.payment === 'Declined'
    if (!isDeclined) for (const { giveBack } of counted) await giveBack().catch(() => undefined)
    if (isDeclined || reply?.payment === 'Approved') await noteCard(world, !isDeclined).catch(() => undefined)
  }
}

/** The one thing that is kept of a card, for a day: a keyed hash, good for counting and for nothing else. */
const fingerprint = (world: World, cc_number: string) =>
  createHmac('sha256', world.keys.hmac('cards')).update(cc_number).digest('base64url')

/** No more cards at the bank at once than a breaker can still stop in time. */
async function refuseACrowd({ db, now, config }: World): Promise<void> {
  const { count } = await db
    .selectFrom('payment')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('state', '=', 'authorizing')
    .where('leased_until', '>', now())
    .executeTakeFirstOrThrow()
  if (Number(count) >= config.PAYMENTS_AT_ONCE)
    throw new Refusal(503, 'Many people are joining right now. Please try again in a moment.', { retryAfter: 5 })
}
