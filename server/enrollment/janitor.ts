import { sql } from 'kysely'
import { recordDecline } from '#server/abuse/breaker.ts'
import type { PaymentState } from '#server/db/tables.ts'
import {
  AWAITING_GATEWAY,
  awaitGateway,
  gatewayDeadline,
  leaseEnd,
  referenceOf,
  releaseAndEmail,
  releaseAttempt,
} from '#server/payments/payments.ts'
import { deleteExpiredChoices } from '#server/sponsors/credit.ts'
import { rollUpVisits } from '#server/sponsors/page-hits.ts'
import type { World } from '#server/world.ts'
import { admit } from './admission.ts'
import type { AttemptKey } from './visitor.ts'

type Left = AttemptKey & {
  state: PaymentState
  gateway: string
  transaction_id: string | null
  vault_reference: string | null
  created_at: Date
}

/** Whose next word is ours, and whose is the gateway's, which may take as long as its deadline. */
export const settlementGroups: Record<'ours' | 'theirs', PaymentState[]> = {
  ours: ['reserved', 'authorized'],
  theirs: AWAITING_GATEWAY,
}

/** Who waits for a gateway that does not answer must not hold up all the others. */
export const ATTEMPTS_AT_ONCE = 12

/**
 * Finishes what a crash or a lost answer left open: takes attempts whose lease is over and asks the gateway. One that was at
 * the bank leaves it: nobody waits for its answer any more.
 */
export async function settleAttempts(
  world: World,
  states = [...settlementGroups.ours, ...settlementGroups.theirs],
): Promise<number> {
  const now = world.now()
  const taken = await sql<Left>`
    update payment set leased_until = ${leaseEnd(world)},
      state = case state when 'authorizing' then 'unknown' else state end
    where (enrollment_id, attempt) in (
      select enrollment_id, attempt from payment
      where state in (${sql.join(states.map(sql.lit))}) and leased_until < ${now}
      order by leased_until limit ${sql.lit(ATTEMPTS_AT_ONCE)} for update skip locked)
    returning enrollment_id, attempt, state, gateway, transaction_id, vault_reference, created_at`.execute(world.db)
  await Promise.all(taken.rows.map((left) => settle(world, left).catch((error) => putOff(world, left, error))))
  return taken.rows.length
}

/** Its lease ends by itself. */
const putOff = (world: World, left: Left, err: unknown) =>
  world.log.warn({ err, reference: referenceOf(left) }, 'an attempt could not be settled yet')

async function settle(world: World, left: Left): Promise<void> {
  const { enrollment_id, attempt, transaction_id, vault_reference } = left
  const key = { enrollment_id, attempt }
  if (left.state === 'reserved') {
    await releaseAttempt(world, key, 'abandoned', ['reserved']) // the gateway was never asked
    return
  }
  if (left.state === 'authorized' && transaction_id && vault_reference !== null) {
    await admit(world, key, { outcome: 'approved', transaction_id, vault_reference })
    return
  }
  if (left.gateway !== world.payment.name) throw new Error(`only the gateway '${left.gateway}' knows of this attempt`)
  const asked = { reference: referenceOf(key), transaction_id, since: left.created_at }
  const found = await world.payment.lookup(asked, gatewayDeadline(world))
  switch (found.outcome) {
    case 'approved':
      await admit(world, key, found)
      return
    case 'declined':
      if (await releaseAndEmail(world, key, found.decline_class)) await recordDecline(world)
      return
    case 'not_found': {
      // Our request may still be on its way, so this is not final at once.
      const age = world.now().getTime() - left.created_at.getTime()
      if (age > world.config.PAYMENT_IN_FLIGHT_SECONDS * 1000) {
        await releaseAndEmail(world, key, 'abandoned')
        return
      }
    }
  }
  await awaitGateway(world, key, found, left.created_at)
}

const expiring = [
  ...['limit_count', 'sandbox_code', 'office_session', 'email_link'],
  ...['one_time_key', 'lease', 'breaker_trip', 'reconciliation_run'],
] as const

/** Forgets what has expired or was done long ago, choices without a payment, and who the visitors of past days were. */
export async function deleteExpired(world: World): Promise<void> {
  const now = world.now()
  const daysAgo = (days: number) => new Date(now.getTime() - days * 24 * 3_600_000)
  for (const table of expiring) await world.db.deleteFrom(table).where('expires_at', '<', now).execute()
  await world.db.deleteFrom('phone_check').where('sent_at', '<', daysAgo(7)).execute()
  await world.db.deleteFrom('job').where('done_at', '<', daysAgo(30)).execute()
  await deleteExpiredChoices(world)
  await rollUpVisits(world)
}
