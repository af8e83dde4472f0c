import { sql } from 'kysely'
import type { Enrollment } from '#contract/enrollment.ts'
import { toAmount } from '#contract/money.ts'
import { renewalTotal } from '#contract/renewal.ts'
import type { Db } from '#server/db/db.ts'
import { askAgain } from '#server/db/outage.ts'
import { statement } from '#server/db/statement.ts'
import type { Details, PaymentState, Tables } from '#server/db/tables.ts'
import { type AttemptKey, referenceOf } from '#server/gateways/payment/attempt-key.ts'
import { gatewayDeadline, SILENCE_SECONDS } from '#server/gateways/payment/deadlines.ts'
import type { Authorization, Failure } from '#server/gateways/payment/port.ts'
import type { World } from '#server/world/world.ts'

/**
 * The journal of attempts to pay. Every state change is a conditional update, so an answer that comes late cannot change
 * an attempt that has already ended.
 */
export type Attempt = AttemptKey &
  Pick<Tables['payment'], 'amount_cents' | 'created_at'> & { details: Details; password_hash: string }

/** Not decided yet: the card may still be charged. */
const OPEN: PaymentState[] = ['reserved', 'authorizing', 'authorized', 'unknown', 'review']
/** The gateway was called, and its final answer is not recorded yet. */
export const AWAITING_GATEWAY: PaymentState[] = ['authorizing', 'unknown', 'review']
/** The visitor may try again. */
const ENDED_WITHOUT_CHARGE: PaymentState[] = ['declined', 'abandoned', 'voided']

type WithState = { state: PaymentState }
export const isOpen = ({ state }: WithState) => OPEN.includes(state)
export const endedWithoutCharge = ({ state }: WithState) => ENDED_WITHOUT_CHARGE.includes(state)

/** All attempts to pay for an enrollment, oldest first. */
export const findAttempts = async (db: Db, enrollment_id: string) => (await selectAttempts(db, { enrollment_id })).rows

const selectAttempts = statement((db, { enrollment_id }: Pick<AttemptKey, 'enrollment_id'>) =>
  db
    .selectFrom('payment')
    .select(['attempt', 'state', 'decline_class'])
    .where('enrollment_id', '=', enrollment_id)
    .where('period', '=', sql.lit(0)) // not its renewals
    .orderBy('attempt'),
)

/** Asks the gateway to hold the amount. The new state is committed before the gateway is called. */
export async function authorize(world: World, attempt: Attempt, order: Enrollment): Promise<Authorization | Failure> {
  // Only the request that has reserved an attempt authorizes it, so after a lost answer 'authorizing' is its own doing.
  const isOurs = await askAgain((isRepeat) =>
    transition(world, attempt, isRepeat ? ['reserved', 'authorizing'] : ['reserved'], { state: 'authorizing' }),
  )
  if (!isOurs) return { outcome: 'unknown' }
  const { cc_number, cc_month, cc_year, cc_cvv } = order
  const { first_name, last_name, address, address2, city, state, country, post_code } = order
  const hold = {
    reference: referenceOf(attempt),
    amount_cents: attempt.amount_cents,
    card: { cc_number, cc_month, cc_year, cc_cvv },
    billing: { first_name, last_name, address, address2, city, state, country, post_code },
    ...onceOf(attempt.details.lines),
  }
  try {
    const answer = await world.payment.authorize(hold, gatewayDeadline(world))
    if (answer.outcome === 'failed')
      world.log.error({ why: answer.why, reference: hold.reference }, 'the payment gateway rejected the request')
    return answer
  } catch (error) {
    world.log.warn({ err: error, reference: hold.reference }, 'the payment gateway did not answer')
    return { outcome: 'unknown' }
  }
}

/** Tells the gateway not to keep the card of an order of which nothing renews. */
export const onceOf = (lines: { renewal_cents: number }[]) => (renewalTotal(lines) ? {} : { is_once: true as const })

/** The outcome is not known yet. The janitor asks the gateway again: soon at first, then less and less often. */
export const awaitGateway = (world: World, attempt: AttemptKey, answer: { outcome: string }, since = world.now()) =>
  transition(world, attempt, AWAITING_GATEWAY, {
    ...(isReview(answer) ? { state: 'review', transaction_id: answer.transaction_id } : { state: 'unknown' }),
    leased_until: nextLookupAt(world.now(), since, maxLookupSeconds(world, answer)),
  })

type Review = Extract<Authorization, { outcome: 'review' }>
const isReview = (answer: { outcome: string }): answer is Review => answer.outcome === 'review'

/** A lost answer can be looked up as soon as the gateway is back; a person who reviews a payment takes hours. */
const MAX_LOOKUP_SECONDS = 15
const MAX_REVIEW_SECONDS = 300

function maxLookupSeconds({ paymentCalls }: World, answer: { outcome: string }): number {
  if (isReview(answer)) return MAX_REVIEW_SECONDS
  return paymentCalls.isAnswering() ? MAX_LOOKUP_SECONDS : SILENCE_SECONDS
}

/** Waits a quarter of the attempt's age, within limits. */
const nextLookupAt = (now: Date, since: Date, maxSeconds: number) =>
  addSeconds(now, Math.min(Math.max((now.getTime() - since.getTime()) / 4000, 1), maxSeconds))

const addSeconds = (time: Date, seconds: number) => new Date(time.getTime() + seconds * 1000)

type Change = Partial<Omit<Tables['payment'], 'details' | 'refunded_cents' | 'by_member'>> & {
  state: PaymentState
  details?: null
}

type Charge = Pick<Tables['payment'], 'reference' | 'period' | 'amount_cents'>

/** A charge, as events name it. */
export const chargePayload = ({ reference, period, amount_cents }: Charge) => ({
  reference,
  amount: toAmount(amount_cents),
  kind: period ? ('renewal' as const) : ('enrollment' as const),
  period,
})

/** Changes the state of an attempt that is in one of the `from` states. False: it was in another state, and is unchanged. */
export async function transition(
  { db, now }: Pick<World, 'db' | 'now'>,
  { enrollment_id, attempt }: AttemptKey,
  from: PaymentState[],
  change: Change,
): Promise<boolean> {
  const key = { enrollment_id, attempt }
  const { numAffectedRows } = await updateState(db, { key, from, change: { ...change, updated_at: now() } })
  return Number(numAffectedRows) === 1
}

type Transition = { key: AttemptKey; from: PaymentState[]; change: Change & { updated_at: Date } }
const updateState = statement((db, { key, from, change }: Transition) => transitionQuery(db, key, from, change))

/** The same as part of a larger statement. */
export const transitionQuery = (
  db: Pick<Db, 'updateTable'>,
  { enrollment_id, attempt }: AttemptKey,
  from: PaymentState[],
  change: Transition['change'],
) =>
  db
    .updateTable('payment')
    .set(change)
    .where('enrollment_id', '=', enrollment_id)
    .where('attempt', '=', attempt)
    .where('state', 'in', from)

const DATED_AT_ONCE = 5_000

/**
 * Fills in when earlier versions collected a payment: its last change is our best guess. In batches, because there may be
 * millions, and repeatedly, because an old process may run beside this one.
 */
export async function dateCaptures({ db }: Pick<World, 'db'>): Promise<void> {
  for (let dated = DATED_AT_ONCE; dated === DATED_AT_ONCE; ) {
    const { numAffectedRows } = await sql`
      update payment set captured_at = updated_at where reference in (
        select reference from payment
        where captured_at is null and state in ('captured', 'disputed') limit ${sql.lit(DATED_AT_ONCE)})`.execute(db)
    dated = Number(numAffectedRows ?? 0)
  }
}
