import { sql } from 'kysely'
import type { EnrollmentReply } from '#contract/api.ts'
import { type Client, networkOf } from '#server/client.ts'
import { nowOrLater } from '#server/db/outage.ts'
import { statement } from '#server/db/statement.ts'
import { type AttemptKey, referenceOf } from '#server/gateways/payment/attempt-key.ts'
import { Refusal } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import {
  approvalCount,
  isRisky,
  type RiskQuery,
  recordDecline,
  riskColumns,
  riskQuery,
  secondsOpen,
} from './breaker.ts'
import { countRefusal, countWhileOpen, isWithinLimit, type LimitUse } from './limits.ts'
import { giveBackUses, keepUses, keepUsesOpen } from './open-uses.ts'
import { refuseBlocked } from './restrictions.ts'

/**
 * Refuses a payment attempt whose address, card, phone or enrollment was declined too often, and counts it as a decline
 * until it is settled, so that concurrent attempts cannot exceed a limit. Only a bank's decline stays counted. A test card
 * of the sandbox is declined for everyone, all day, so its declines count nowhere.
 */
export async function countCardUse(world: World, use: CardUse): Promise<Counted> {
  const { reference, client } = use
  if ('cc_number' in use && world.payment.isTestCard?.(use.cc_number)) return { settle: async () => undefined }
  const id = await countWhileOpen(world, reference, [...usesOf(world, use), ['LIMIT_DECLINES', client.address]])
  return {
    async settle(outcome = 'Nothing') {
      await nowOrLater(() => settle[outcome](world, { id, reference }, client)).catch((err: unknown) =>
        world.log.warn({ err, reference }, 'could not settle what an attempt has counted: it expires by itself'),
      )
    },
  }
}

const usesOf = (world: World, { mobile_phone, enrollment_id, ...card }: Payer): LimitUse[] => [
  // The only trace of a card number, kept for a day: under the key in use and, after the keys were changed, under the one before.
  ...world.keys
    .hmacs('cards', 'cc_number' in card ? card.cc_number : card.vault_reference)
    .map((hash): LimitUse => ['LIMIT_DECLINES_BY_CARD', hash]),
  ['LIMIT_DECLINES_BY_PHONE', mobile_phone],
  ['LIMIT_DECLINES_BY_ENROLLMENT', enrollment_id],
]

/** A member's charge was declined after the request for it had ended, so that its address is no longer known. */
export async function countLateDecline(world: World, payer: Payer): Promise<void> {
  for (const [limit, key] of usesOf(world, asMembers(payer))) await isWithinLimit(world, limit, key)
  await recordDecline(world)
}

/**
 * The same for a member who changes a card or pays in the office. From a blocked network, or while the breaker is open, we
 * don't ask the bank.
 */
export async function countMembersCardUse(world: World, use: CardUse): Promise<Counted> {
  await refuseBlocked(world, use.client)
  const { isRisky, isCrowded } = await riskBeforeCharge(world, use.client)
  if (isRisky) {
    countRefusal('BREAKER_DECLINES')
    throw new Refusal(429, RISKY, { retryAfter: (await secondsOpen(world, 'declines')) ?? 3600 })
  }
  if (isCrowded) refuseCrowd()
  return countCardUse(world, asMembers(use))
}

/** Counted separately for members: a stranger who joins with a member's number must not stop the member from paying. */
const asMembers = <Use extends Payer>(use: Use): Use => ({ ...use, mobile_phone: `member ${use.mobile_phone}` })

const RISKY =
  'Too many cards are being declined right now, so we can’t check or charge yours. Nothing has changed. Please try again later.'

type Counted = { settle: (outcome?: Outcome) => Promise<void> }

/** 'Verified': without a charge. 'Nothing': the attempt ended without an answer, for whatever reason. */
type Outcome = EnrollmentReply['payment'] | 'Verified' | 'Nothing'

type Payer = ({ cc_number: string } | { vault_reference: string }) & { mobile_phone: string; enrollment_id: string }
type CardUse = Payer & { reference: string; client: Client }

type Open = { id: string; reference: string }
type Settle = (world: World, open: Open, client: Client) => Promise<unknown>

/** A pending payment may still be declined, so card and phone stay counted until the janitor knows. */
const settle: Record<Outcome, Settle> = {
  Approved: (world, { reference }) => giveBackUses(world.db, { reference, breakerCount: approvalCount(world) }),
  Declined: async (world, { id, reference }, client) => {
    await keepUses(world.db, { reference, id })
    await giveBackUses(world.db, { reference }) // of a repeated request
    await recordDecline(world, networkOf(client))
  },
  Pending: ({ db }, open) =>
    keepUsesOpen(db, { ...open, giveBack: ['LIMIT_DECLINES_BY_ENROLLMENT', 'LIMIT_DECLINES'] }),
  Unknown: (world, open, client) => settle.Pending(world, open, client),
  // A bank verifies more easily than it charges, so this is no success for the breaker, and a member gets only so many a day.
  Verified: ({ db }, open) =>
    keepUsesOpen(db, { ...open, giveBack: ['LIMIT_DECLINES_BY_CARD', 'LIMIT_DECLINES_BY_PHONE', 'LIMIT_DECLINES'] }),
  Nothing: ({ db }, open) => giveBackUses(db, open),
}

/** Settles what a pending payment has left counted, once its outcome is known. */
export const settleLater = ({ db }: World, key: AttemptKey, outcome: 'declined' | 'not declined') =>
  (outcome === 'declined' ? keepUses : giveBackUses)(db, { reference: referenceOf(key) })

/**
 * The breaker right before the bank is called, because it may have opened since the first check. The number of concurrent
 * calls is limited, because the breaker cannot stop calls that are already under way.
 */
export async function riskBeforeCharge(
  world: World,
  client: Client,
): Promise<{ isRisky: boolean; isCrowded: boolean }> {
  const query = { now: world.now(), ...riskQuery(world, networkOf(client)) }
  const [risk] = (await readRisk(world.db, query)).rows
  if (!risk) throw new Error('The query for the risk of a payment returned no row.')
  return { isRisky: isRisky(world, risk), isCrowded: Number(risk.in_flight) >= world.config.PAYMENTS_AT_ONCE }
}

export function refuseCrowd(): never {
  countRefusal('PAYMENTS_AT_ONCE')
  throw new Refusal(429, 'Many people are joining right now. Please try again in a moment.', { retryAfter: 5 })
}

const readRisk = statement((db, { now, ...query }: RiskQuery & { now: Date }) =>
  db.selectNoFrom((select) => [
    select
      .selectFrom('payment')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('state', '=', sql.lit('authorizing')) // a literal, because the index is partial on this state
      .where('period', '=', sql.lit(0)) // renewals have a limit of their own
      .where('leased_until', '>', now)
      .as('in_flight'),
    ...riskColumns(db, query),
  ]),
)
