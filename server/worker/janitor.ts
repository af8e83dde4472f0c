import { sql } from 'kysely'
import { recordDecline } from '#server/abuse/breaker.ts'
import { countLateDecline, settleLater } from '#server/abuse/card-limits.ts'
import { giveBackExpired } from '#server/abuse/open-uses.ts'
import { deleteOldImports } from '#server/connect/import/import.ts'
import { untilDatabaseIsBack } from '#server/db/away.ts'
import type { Details, PaymentState } from '#server/db/tables.ts'
import { admit } from '#server/enrollment/admission.ts'
import { releaseAndEmail, releaseAttempt } from '#server/enrollment/release.ts'
import { forgetOldEvents } from '#server/events/positions.ts'
import { forgetVisitors } from '#server/funnel/funnel.ts'
import { type AttemptKey, referenceOf } from '#server/gateways/payment/attempt-key.ts'
import { gatewayDeadline, leaseEnd, leaseMs } from '#server/gateways/payment/deadlines.ts'
import { abandonRenewal, finishRenewal } from '#server/membership/membership.ts'
import { storedCard } from '#server/membership/new-membership.ts'
import { AWAITING_GATEWAY, awaitGateway, onceOf } from '#server/payments/payments.ts'
import { rollUpVisits } from '#server/sponsors/page-hits.ts'
import type { World } from '#server/world/world.ts'

/** The states that can be settled from our own records, and those that need the gateway, which may be slow. */
export const settlementGroups: Record<'local' | 'gateway', PaymentState[]> = {
  local: ['reserved', 'authorized'],
  gateway: AWAITING_GATEWAY,
}

const needsGateway = (state: PaymentState) => settlementGroups.gateway.includes(state)

/** Small, because a batch takes as long as the gateway's slowest answer. */
export const ATTEMPTS_AT_ONCE = 12

type OpenAttempt = AttemptKey & {
  state: PaymentState
  gateway: string
  transaction_id: string | null
  vault_reference: string | null
  network_transaction_id: string | null
  card_brand: string | null
  card_last_four: string | null
  card_expires: string | null
  period: number
  created_at: Date
  details: Details | null
}

/**
 * Finishes attempts that a crash or a lost answer has left open, and returns how many there were. It takes those whose
 * lease has expired. `authorizing` becomes `unknown`, so that they no longer count toward PAYMENTS_AT_ONCE.
 */
export async function settleAttempts(
  world: World,
  states = [...settlementGroups.local, ...settlementGroups.gateway],
): Promise<number> {
  const now = world.now()
  const isSilent = states.every(needsGateway) && !world.paymentCalls.isAnswering()
  const { rows: attempts } = await sql<OpenAttempt>`
    update payment set leased_until = ${leaseEnd(world)},
      state = case state when 'authorizing' then 'unknown' else state end
    where (enrollment_id, attempt) in (
      select enrollment_id, attempt from payment
      where state in (${sql.join(states.map(sql.lit))}) and leased_until < ${now}
      order by leased_until limit ${sql.lit(isSilent ? 1 : ATTEMPTS_AT_ONCE)} for update skip locked)
    returning enrollment_id, attempt, state, gateway, transaction_id, vault_reference, network_transaction_id,
      card_brand, card_last_four, card_expires, period, created_at, details`.execute(world.db)
  await Promise.all(
    attempts.map((attempt) =>
      untilDatabaseIsBack(leaseMs(world), () => settle(world, attempt)).catch((err: unknown) =>
        world.log.warn({ err, reference: referenceOf(attempt) }, 'an attempt could not be settled yet'),
      ),
    ),
  )
  return attempts.length
}

async function settle(world: World, open: OpenAttempt): Promise<void> {
  const { enrollment_id, attempt, transaction_id, vault_reference } = open
  const key = { enrollment_id, attempt }
  if (open.state === 'reserved') {
    await releaseAttempt(world, key, 'abandoned', ['reserved']) // the gateway was never called
    await settleLater(world, key, 'not declined')
    return
  }
  if (open.state === 'authorized' && transaction_id && vault_reference !== null) {
    await admit(world, key, { outcome: 'approved', transaction_id, ...storedCard({ ...open, vault_reference }) })
    await settleLater(world, key, 'not declined')
    return
  }
  if (open.gateway !== world.payment.name) throw new Error(`this attempt belongs to the gateway '${open.gateway}'`)
  const once = open.details ? onceOf(open.details.lines) : {}
  const query = { reference: referenceOf(key), transaction_id, since: open.created_at, ...once }
  const answer = await world.payment.lookup(query, gatewayDeadline(world))
  if (open.period > 0) return settleRenewal(world, key, answer, open.created_at)
  switch (answer.outcome) {
    case 'approved':
      await admit(world, key, answer)
      await settleLater(world, key, 'not declined')
      return
    case 'declined':
      if (await releaseAndEmail(world, key, answer.decline_class)) await recordDecline(world)
      await settleLater(world, key, 'declined')
      return
    case 'not_found': {
      if (isNoLongerInFlight(world, open)) {
        await releaseAndEmail(world, key, 'abandoned')
        await settleLater(world, key, 'not declined') // no bank was asked
        return
      }
    }
  }
  await awaitGateway(world, key, answer, open.created_at)
}

/** Our request may still be on its way to the gateway, so an attempt is only given up when it is old enough. */
const isNoLongerInFlight = ({ config, now }: World, { created_at }: { created_at: Date }) =>
  now().getTime() - created_at.getTime() > config.PAYMENT_IN_FLIGHT_SECONDS * 1000

/** What a lookup found about a renewal: no visitor waits for it, and its member exists. */
async function settleRenewal(world: World, key: AttemptKey, answer: LookupAnswer, created_at: Date): Promise<void> {
  if (answer.outcome === 'approved') return finishRenewal(world, key, answer)
  if (answer.outcome === 'declined') {
    await finishRenewal(world, key, answer)
    return countIfDeclined(world, key)
  }
  if (answer.outcome === 'not_found' && isNoLongerInFlight(world, { created_at })) {
    const repeated = await abandonRenewal(world, key)
    if (repeated) await countIfDeclined(world, repeated)
    return
  }
  await awaitGateway(world, key, answer, created_at)
}

/** A charge that a member asked for counts like one that they waited for. */
async function countIfDeclined(world: World, { enrollment_id, attempt }: AttemptKey): Promise<void> {
  const declined = await world.db
    .selectFrom('payment')
    .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .select(['payment.enrollment_id', 'mobile_phone', 'vault_reference'])
    .where('payment.enrollment_id', '=', enrollment_id)
    .where('attempt', '=', attempt)
    .where('by_member', '=', true)
    .where('payment.state', '=', 'declined')
    .executeTakeFirst()
  if (declined) await countLateDecline(world, { ...declined, vault_reference: declined.vault_reference ?? '' })
}
type LookupAnswer = Awaited<ReturnType<World['payment']['lookup']>>

const expiringTables = [
  ...(['limit_count', 'sandbox_code', 'office_session', 'email_link', 'pending_sign_in'] as const),
  ...(['one_time_key', 'lease', 'breaker_trip', 'reconciliation_run'] as const),
  ...(['staff_invitation', 'console_session'] as const),
  ...(['network_block', 'breaker_event', 'limit_refusal', 'csp_report', 'provider_attempt', 'api_answer'] as const),
]

/** Deletes expired rows and old jobs, and replaces the visits of past days with their number. */
export async function deleteExpired(world: World): Promise<void> {
  const now = world.now()
  const daysAgo = (days: number) => new Date(now.getTime() - days * 24 * 3_600_000)
  await giveBackExpired(world) // before the counts that they belong to are deleted
  for (const table of expiringTables) await world.db.deleteFrom(table).where('expires_at', '<', now).execute()
  await world.db.deleteFrom('phone_check').where('sent_at', '<', daysAgo(7)).execute()
  await world.db.deleteFrom('job').where('done_at', '<', daysAgo(30)).execute()
  await deleteOldEvents(world, daysAgo(EVENT_DAYS))
  await forgetOldEvents(world)
  await deleteOldImports(world)
  await rollUpVisits(world)
  await forgetVisitors(world)
}

/** How long a member's timeline has emails and sign-ins. */
const EVENT_DAYS = 730
const EVENTS_AT_ONCE = 20_000

/** In batches, because there are many. The membership's history stays. */
const deleteOldEvents = ({ db }: World, before: Date) =>
  sql`
    delete from member_event where ctid = any(array(
      select ctid from member_event where at < ${before} and kind <> 'membership'
      order by at limit ${sql.lit(EVENTS_AT_ONCE)}))`.execute(db)
