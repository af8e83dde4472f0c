import { sql } from 'kysely'
import { admit } from './admission.ts'
import type { PaymentState } from './db/tables.ts'
import { deadline, leaseFrom, park, referenceOf, release, releaseByLetter } from './payment.ts'
import type { AttemptKey } from './visitor.ts'
import type { World } from './world.ts'

/** "Not found" may still be on its way for this long; then the attempt is given up. */
const MINUTES_IN_FLIGHT = 30

type Left = AttemptKey & {
  state: PaymentState
  transaction_id: string | null
  vault_reference: string | null
  created_at: Date
}

/** Finishes what a crash or a lost answer left open: takes an attempt whose lease is over and asks the gateway. */
export async function settleAttempts(world: World): Promise<number> {
  const now = world.now()
  const taken = await sql<Left>`
    update payment set leased_until = ${leaseFrom(now)}
    where (enrollment_id, attempt) in (
      select enrollment_id, attempt from payment
      where state in ('reserved', 'authorizing', 'authorized', 'unknown', 'review') and leased_until < ${now}
      order by leased_until limit 1 for update skip locked)
    returning enrollment_id, attempt, state, transaction_id, vault_reference, created_at`.execute(world.db)
  for (const left of taken.rows)
    await settle(world, left).catch((error: unknown) =>
      world.log.warn({ err: error }, 'an attempt could not be settled yet'),
    )
  return taken.rows.length
}

async function settle(world: World, left: Left): Promise<void> {
  const { enrollment_id, attempt, transaction_id, vault_reference } = left
  const key = { enrollment_id, attempt }
  if (left.state === 'reserved') return release(world, key, 'abandoned', ['reserved']) // the gateway was never asked
  if (left.state === 'authorized' && transaction_id && vault_reference) {
    await admit(world, key, { outcome: 'approved', transaction_id, vault_reference })
    return
  }
  const found = await world.payment.lookup({ reference: referenceOf(key), transaction_id }, deadline(world))
  switch (found.outcome) {
    case 'approved':
      await admit(world, key, found)
      return
    case 'declined':
      return releaseByLetter(world, key, found.decline_class)
    case 'not_found': {
      const age = world.now().getTime() - left.created_at.getTime()
      if (age > MINUTES_IN_FLIGHT * 60_000) return releaseByLetter(world, key, 'abandoned')
      return
    }
    default:
      await park(world, key, found)
  }
}

/** Forgets what has expired: counters, used captchas and grants, codes, sessions. */
export async function sweep(world: World): Promise<void> {
  const now = world.now()
  await world.db.deleteFrom('limit_count').where('expires_at', '<', now).execute()
  await world.db.deleteFrom('spent').where('expires_at', '<', now).execute()
  await world.db.deleteFrom('sandbox_code').where('expires_at', '<', now).execute()
  await world.db.deleteFrom('office_session').where('expires_at', '<', now).execute()
}
