import { sql } from 'kysely'
import { addDays } from '#contract/renewal.ts'
import { recordMembershipEvent } from '#server/audit/membership-history.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { addEvent } from '#server/events/events.ts'
import { type AttemptKey, referenceOf } from '#server/gateways/payment/attempt-key.ts'
import { gatewayDeadline, leaseEnd } from '#server/gateways/payment/deadlines.ts'
import type { Approval, Authorization, Decline, Failure, Renewal } from '#server/gateways/payment/port.ts'
import { addJob } from '#server/jobs/queue.ts'
import { AWAITING_GATEWAY, awaitGateway, chargePayload, transition } from '#server/payments/payments.ts'
import { dayOf, todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { dueAt } from './due.ts'
import { isPaidOnce, stopUnpaid } from './lines.ts'
import { addRenewalFailed, addRenewalPaid, addResumed, addWaived, daysOf } from './membership-events.ts'
import { cardColumns } from './new-membership.ts'
import { type NextStep, nextStep, scheduledTries, startsOn } from './next-step.ts'
import { tellPrices } from './notify.ts'
import { addPeriod, announceResumed, beginPeriod, pricePeriod } from './periods.ts'
import {
  hasOpenCharge,
  type LockedMembership,
  lockMembership,
  setDue,
  setEnd,
  setPeriod,
  stopCharging,
  updateMembership,
} from './rows.ts'

/**
 * Does what is due for each membership: charges the period that has begun, tries a declined card again, or ends the
 * membership. Returns how many were due. Any number of processes may run this at once.
 */
export async function renewMemberships(world: World): Promise<number> {
  const { RENEWALS, RENEWALS_AT_ONCE } = world.config
  if (RENEWALS === 'off') return 0
  const members = await claimDue(world, RENEWALS_AT_ONCE)
  const isBusy = members.length === RENEWALS_AT_ONCE
  const until = world.now().getTime() + RUN_MS
  let count = 0
  const lane = async (member: ClaimedMember) => {
    for (let next: ClaimedMember | undefined = member; next; ) {
      const { member_id } = next
      await renew(world, member_id).catch((err: unknown) => world.log.error({ err, member_id }, 'a renewal failed'))
      count += 1
      next = isBusy && world.now().getTime() < until ? (await claimDue(world, 1))[0] : undefined
    }
  }
  await Promise.all(members.map(lane))
  return count
}

/** How long a busy run claims more: each answer makes room for the next charge, and the worker can still be stopped soon. */
const RUN_MS = 5_000

type ClaimedMember = { member_id: string }

/** One membership. The journal says "authorizing" before the gateway is called, so a crash cannot charge a period twice. */
export async function renew(world: World, member_id: string): Promise<void> {
  const charge = await beginStep(world, member_id)
  if (charge) await sendCharge(world, charge)
}

/** The gateway's answer, or the lookup of a lost one, moves the membership. */
export async function sendCharge(world: World, { key, renewal }: Charge): Promise<void> {
  const answer = await world.payment.charge(renewal, gatewayDeadline(world)).catch((err: unknown) => {
    world.log.warn({ err, reference: renewal.reference }, 'the payment gateway did not answer')
    return { outcome: 'unknown' as const }
  })
  await finishRenewal(world, key, answer)
}

/** Other processes skip a claimed membership until the lease ends. A crash before anything was written repeats the step. */
async function claimDue(world: World, count: number) {
  const now = world.now()
  const { rows } = await sql<ClaimedMember>`
    update membership set due_at = ${leaseEnd(world)}
    where member_id in (
      select member_id from membership where due_at is not null and due_at <= ${now}
      order by due_at limit ${sql.lit(count)} for update skip locked)
    returning member_id`.execute(world.db)
  return rows
}

type Charge = { key: AttemptKey; renewal: Renewal }

/** Decides what is due and writes it down. Returns the charge to send, if there is one. */
function beginStep(world: World, member_id: string): Promise<Charge | undefined> {
  return inTransaction(world.db, async (db) => {
    const membership = await lockMembership(db, member_id)
    if (await hasOpenCharge(db, membership.enrollment_id)) {
      await setDue(db, member_id, null) // the end of that charge decides what is next
      return undefined
    }
    const { cancelled_at, ends_at } = membership
    if (cancelled_at && ends_at && ends_at > world.now()) {
      await setDue(db, member_id, ends_at)
      return undefined
    }
    if (!membership.lines.length && !cancelled_at && membership.state !== 'ended' && !membership.on_hold_since) {
      await stopCharging({ ...world, db }, membership)
      return undefined
    }
    const next = nextStep(membership, todayOf(world))
    switch (next.step) {
      case 'begin':
        return beginCharge({ ...world, db }, await beginPeriod({ ...world, db }, membership))
      case 'retry':
        return beginCharge({ ...world, db }, membership)
      case 'waive': {
        const { period } = await addPeriod({ ...world, db }, membership, membership.period + 1, { state: 'waived' })
        const due_at = dueAt(world, member_id, startsOn(membership, period + 1))
        const after = { state: 'active' as const, waived_period: null, due_at }
        await updateMembership(db, member_id, after)
        await addWaived({ ...world, db }, { ...membership, ...after }, daysOf(membership, period))
        return undefined
      }
      case 'wait':
        await setDue(db, member_id, dueAt(world, member_id, next.until))
        return undefined
      case 'end':
        await endMembership({ ...world, db }, membership, next.why)
        return undefined
      case 'nothing':
        await setDue(db, member_id, null)
        return undefined
    }
  })
}

/** Writes the payment of the newest period. From here on, only the gateway's answer or a lookup moves the membership. */
export async function beginCharge(world: World, membership: LockedMembership, by_member = false): Promise<Charge> {
  const { db } = world
  const { member_id, enrollment_id, period } = membership
  const amount_cents = await pricePeriod(db, membership)
  const { attempt } = await db
    .selectFrom('payment')
    .select(({ fn, lit }) => sql<number>`coalesce(${fn.max('attempt')}, ${lit(0)}) + ${lit(1)}`.as('attempt'))
    .where('enrollment_id', '=', enrollment_id)
    .executeTakeFirstOrThrow()
  const key = { enrollment_id, attempt }
  const reference = referenceOf(key)
  const now = world.now()
  await db
    .insertInto('payment')
    .values({
      ...key,
      reference,
      period,
      by_member,
      state: 'authorizing',
      amount_cents,
      gateway: world.payment.name,
      vault_reference: membership.vault_reference,
      card_brand: membership.card_brand,
      card_last_four: membership.card_last_four,
      card_expires: membership.card_expires,
      leased_until: leaseEnd(world),
      created_at: now,
      updated_at: now,
    })
    .execute()
  await setDue(db, member_id, null)
  const { network_transaction_id, series_cents } = membership
  return {
    key,
    renewal: {
      reference,
      amount_cents,
      vault_reference: membership.vault_reference,
      ...(network_transaction_id ? { series: { network_transaction_id, amount_cents: series_cents ?? 0 } } : {}),
      is_retry: membership.declines > 0,
    },
  }
}

/** Records how a charge ended, once: with the answer to the request, or with what a later lookup found. */
export async function finishRenewal(world: World, key: AttemptKey, answer: Authorization | Failure): Promise<void> {
  switch (answer.outcome) {
    case 'approved':
      return inTransaction(world.db, (db) => recordPaid({ ...world, db }, key, answer))
    case 'declined':
      return inTransaction(world.db, (db) => recordDeclined({ ...world, db }, key, answer))
    case 'failed':
      world.log.error({ why: answer.why, reference: referenceOf(key) }, 'the payment gateway rejected a renewal')
      if (answer.is_card_missing)
        return inTransaction(world.db, (db) => recordDeclined({ ...world, db }, key, { ...noCard, never_retry: true }))
      await abandonRenewal(world, key, FAILED_RETRY_SECONDS)
      return
    default:
      await awaitGateway(world, key, answer) // looked up later, and never charged again blindly
  }
}

const noCard = { outcome: 'declined' as const, decline_class: 'card' as const }

/** The operator has something to fix at the gateway; the member has done nothing wrong. */
const FAILED_RETRY_SECONDS = 3_600

async function recordPaid(world: World, key: AttemptKey, approval: Approval) {
  const columns = { transaction_id: approval.transaction_id, ...(approval.card ? cardColumns(approval) : {}) }
  if (!(await transition(world, key, AWAITING_GATEWAY, { state: 'captured', captured_at: world.now(), ...columns })))
    return
  const { membership, payment } = await membershipOf(world.db, key)
  const { member_id } = membership
  await addEvent(world.db, world.now(), { type: 'payment.captured', member_id, payload: chargePayload(payment) })
  const isBack = membership.state === 'ended'
  if (isBack) {
    await setEnd(world.db, member_id, null, null)
    await recordMembershipEvent(world.db, member_id, 'returned', world.now())
    await addResumed(world, { ...membership, state: 'active', cancelled_at: null }, 'ended')
  }
  await setPeriod(world.db, member_id, payment.period, 'paid')
  await announceResumed(world, membership)
  await tellPrices(world, membership)
  const after = { state: 'active' as const, declines: 0 }
  const cancelled_at = isBack ? null : membership.cancelled_at
  const next = nextStep({ ...membership, ...after, cancelled_at, period_state: 'paid' }, todayOf(world))
  await updateMembership(world.db, member_id, { ...after, due_at: dueFor(world, member_id, next) })
  await addRenewalPaid(world, { ...membership, ...after, cancelled_at }, payment)
  await addJob(world.db, 'renewed', { member_id, ...key }, world.now())
}

async function recordDeclined(world: World, key: AttemptKey, { decline_class, issuer_code, never_retry }: Decline) {
  const change = { state: 'declined' as const, decline_class, issuer_code: issuer_code ?? null }
  if (!(await transition(world, key, AWAITING_GATEWAY, change))) return
  const { membership, payment } = await membershipOf(world.db, key)
  const { member_id, cancelled_at } = membership
  const now = world.now()
  const isCardOnFile = payment.vault_reference === membership.vault_reference // it may have been replaced since
  const never_retry_since = never_retry && isCardOnFile ? now : membership.never_retry_since
  if (membership.state === 'ended') {
    await setPeriod(world.db, member_id, payment.period, 'unpaid') // the member tried to come back and sees that it failed
    await updateMembership(world.db, member_id, { never_retry_since })
    await addRenewalFailed(world, membership, { ...payment, decline_class })
    return
  }
  await announceResumed(world, membership)
  await tellPrices(world, membership)
  const tried_on = dayOf(world, payment.created_at)
  const declines = isCardOnFile // a card that the member has tried today isn't tried again today
    ? scheduledTries(membership, tried_on)
    : Math.max(membership.declines, scheduledTries(membership, addDays(tried_on, -1))) // so that the new card still gets its try
  const after = { state: 'past_due' as const, declines, never_retry_since }
  await updateMembership(world.db, member_id, after)
  const next = nextStep({ ...membership, ...after, period_state: 'due' }, todayOf(world))
  const following = cancelled_at ? undefined : next
  await addRenewalFailed(world, { ...membership, ...after }, { ...payment, decline_class }, following)
  if (cancelled_at || next.step === 'end') {
    const unpaid = { ...membership, period_state: 'due' as const, ends_at: null }
    return endMembership(world, unpaid, cancelled_at ? 'canceled' : 'unpaid')
  }
  await setDue(world.db, member_id, dueFor(world, member_id, next))
  await addJob(world.db, 'renewal_declined', { member_id, ...key }, now)
}

/** When the worker looks at a membership again. */
const dueFor = (world: World, member_id: string, next: NextStep) =>
  next.step === 'nothing' ? null : dueAt(world, member_id, next.step === 'wait' ? next.until : todayOf(world))

/**
 * The gateway has charged nothing, and not because of the card. The same period is charged again with a new reference, or the
 * membership ends if the member has canceled in the meantime. Returns the key of a charge that it has sent immediately.
 */
export async function abandonRenewal(world: World, key: AttemptKey, afterSeconds = 0): Promise<AttemptKey | undefined> {
  const repeated = await inTransaction(world.db, async (db): Promise<Charge | undefined> => {
    if (!(await transition({ ...world, db }, key, AWAITING_GATEWAY, { state: 'abandoned' }))) return undefined
    const { membership, payment } = await membershipOf(db, key)
    if (membership.cancelled_at && membership.state !== 'ended') {
      await endMembership({ ...world, db }, { ...membership, ends_at: null }, 'canceled')
      return undefined
    }
    const isBetweenTries = nextStep(membership, todayOf(world)).step === 'wait' // a new card doesn't wait for the next one
    if (payment.by_member && isBetweenTries && !afterSeconds) return beginCharge({ ...world, db }, membership, true)
    await setDue(db, membership.member_id, new Date(world.now().getTime() + afterSeconds * 1000))
    return undefined
  })
  if (repeated) await sendCharge(world, repeated)
  return repeated?.key
}

/** A renewal, and the membership that it belongs to, locked. */
async function membershipOf(db: Db, { enrollment_id, attempt }: AttemptKey) {
  const { member_id, ...payment } = await db
    .selectFrom('payment')
    .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .select(['member.id as member_id', 'period', 'by_member', 'payment.created_at', 'vault_reference'])
    .select(['reference', 'amount_cents'])
    .where('payment.enrollment_id', '=', enrollment_id)
    .where('attempt', '=', attempt)
    .executeTakeFirstOrThrow()
  return { membership: await lockMembership(db, member_id), payment }
}

/** The site turns inactive. The member can still sign in, see receipts and come back. */
export async function endMembership(world: World, membership: LockedMembership, why: 'canceled' | 'unpaid') {
  const { member_id, period } = membership
  const { db } = world
  const now = world.now()
  if (why === 'unpaid' && (await isPaidOnce(db, membership))) return stopUnpaid(world, membership)
  if (membership.period_state === 'due') await setPeriod(db, member_id, period, 'unpaid')
  if (!membership.ends_at) await setEnd(db, member_id, now)
  const over = { due_at: null, waived_period: null, on_hold_since: null, hold_reason: null }
  await updateMembership(db, member_id, { state: 'ended', ...over })
  await recordMembershipEvent(db, member_id, 'ended', now)
  await addEvent(db, now, { type: 'membership.ended', member_id, payload: { why, state: 'ended' } })
  await addJob(db, 'membership_ended', { member_id, why }, now)
}
