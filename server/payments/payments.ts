import { hash } from 'node:crypto'
import type { Enrollment } from '#contract/enrollment.ts'
import { MASTER } from '#contract/site.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { statement } from '#server/db/statement.ts'
import type { Details, PaymentState, Tables } from '#server/db/tables.ts'
import { releaseClaims } from '#server/enrollment/claims.ts'
import { memberOfEnrollment } from '#server/enrollment/members.ts'
import type { AttemptKey } from '#server/enrollment/visitor.ts'
import type { Authorization, DeclineClass, Failure } from '#server/gateways/payment/port.ts'
import { addJob } from '#server/jobs/queue.ts'
import type { World } from '#server/world.ts'

/**
 * The journal of attempts to pay. Every change of state is a conditional update, so a late answer cannot move what is
 * final.
 */
export type Attempt = AttemptKey & Pick<Tables['payment'], 'amount_cents' | 'created_at'> & Kept
/** What a member is made of, until there is one. */
type Kept = { details: Details; password_hash: string }

/** Nobody knows yet whether money will move. */
const OPEN: PaymentState[] = ['reserved', 'authorizing', 'authorized', 'unknown', 'review']
/** The gateway was asked, and nobody has written down what it says. */
export const AWAITING_GATEWAY: PaymentState[] = ['authorizing', 'unknown', 'review']
/** Ended without a charge: the enrollment may try again. */
const ENDED_WITHOUT_CHARGE: PaymentState[] = ['declined', 'abandoned', 'voided']

type State = { state: PaymentState }
export const isOpen = ({ state }: State) => OPEN.includes(state)
export const endedWithoutCharge = ({ state }: State) => ENDED_WITHOUT_CHARGE.includes(state)

/** Our name for the attempt at the gateway: 20 letters and digits, as much as every gateway takes. */
export const referenceOf = ({ enrollment_id, attempt }: AttemptKey): string =>
  BigInt(`0x${hash('sha256', `${enrollment_id}.${attempt}`, 'hex')}`)
    .toString(36)
    .slice(-20)

/** Whoever works on something has it to themselves until then: longer than any answer is waited for. */
export const leaseEnd = ({ config, now }: World) => after(now(), 2 * config.PAYMENT_DEADLINE_SECONDS + 1)

const after = (then: Date, seconds: number) => new Date(then.getTime() + seconds * 1000)

/** All attempts of an enrollment in order, and the member it led to. */
export async function findAttempts(db: Db, enrollment_id: string) {
  const { rows: attempts } = await attemptsOf(db, { enrollment_id })
  const joined = attempts.some(({ state }) => !isOpen({ state }) && !endedWithoutCharge({ state }))
  return { attempts, member: joined ? await memberOfEnrollment(db, enrollment_id) : undefined }
}

const attemptsOf = statement((db, { enrollment_id }: Pick<AttemptKey, 'enrollment_id'>) =>
  db
    .selectFrom('payment')
    .select(['attempt', 'state', 'decline_class'])
    .where('enrollment_id', '=', enrollment_id)
    .orderBy('attempt'),
)

/** Asks the gateway to hold the amount. That we asked is committed before the network is touched. */
export async function authorize(world: World, attempt: Attempt, order: Enrollment): Promise<Authorization | Failure> {
  const asked = await transition(world, attempt, ['reserved'], { state: 'authorizing' })
  if (!asked) return { outcome: 'unknown' }
  const { cc_number, cc_month, cc_year, cc_cvv } = order
  const { first_name, last_name, address, address2, city, state, country, post_code } = order
  const hold = {
    reference: referenceOf(attempt),
    amount_cents: attempt.amount_cents,
    card: { cc_number, cc_month, cc_year, cc_cvv },
    billing: { first_name, last_name, address, address2, city, state, country, post_code },
  }
  try {
    const answer = await world.payment.authorize(hold, gatewayDeadline(world))
    if (answer.outcome === 'failed')
      world.log.error({ why: answer.why, reference: hold.reference }, 'the payment gateway turned a payment away')
    return answer
  } catch (error) {
    world.log.warn({ err: error, reference: hold.reference }, 'the payment gateway did not answer')
    return { outcome: 'unknown' }
  }
}

/** How long the gateway's answer is waited for. */
export const gatewayDeadline = ({ config }: World) => AbortSignal.timeout(config.PAYMENT_DEADLINE_SECONDS * 1000)

/** Declined, or given up: the names are free again and the answers forgotten. False: somebody else has moved it on. */
export async function releaseAttempt(
  world: World,
  attempt: AttemptKey,
  why: DeclineClass | 'abandoned',
  from: PaymentState[] = AWAITING_GATEWAY,
): Promise<boolean> {
  const ended = why === 'abandoned' ? { state: why } : { state: 'declined' as const, decline_class: why }
  return inTransaction(world.db, async (db) => {
    const moved = await transition({ ...world, db }, attempt, from, { ...ended, details: null, password_hash: null })
    if (moved) await releaseClaims(db, attempt.enrollment_id)
    return moved
  })
}

/** The same long after the visitor asked: they may have left, so they hear by letter that nothing was charged. */
export async function releaseAndEmail(
  world: World,
  attempt: AttemptKey,
  why: DeclineClass | 'abandoned',
  from?: PaymentState[],
): Promise<boolean> {
  return inTransaction(world.db, async (db) => {
    const kept = await db
      .selectFrom('payment')
      .select('details')
      .where('enrollment_id', '=', attempt.enrollment_id)
      .where('attempt', '=', attempt.attempt)
      .forUpdate()
      .executeTakeFirst()
    const released = await releaseAttempt({ ...world, db }, attempt, why, from)
    if (!released || !kept?.details) return false // somebody else has moved it on: it may even be paid
    const { email, first_name } = kept.details.member
    const sponsor = await db
      .selectFrom('sponsor')
      .select('site')
      .where('id', '=', kept.details.sponsor_id)
      .executeTakeFirst()
    const { enrollment_id } = attempt
    await addJob(db, 'unpaid', { enrollment_id, email, first_name, site: sponsor?.site ?? MASTER }, world.now())
    return true
  })
}

/** Nobody can say yet. The janitor asks the gateway again: soon at first, then ever more slowly. */
export const awaitGateway = (world: World, attempt: AttemptKey, hold: { outcome: string }, since = world.now()) =>
  transition(world, attempt, AWAITING_GATEWAY, {
    ...(isReview(hold) ? { state: 'review', transaction_id: hold.transaction_id } : { state: 'unknown' }),
    leased_until: askAgainAt(world.now(), since, isReview(hold) ? SLOWEST_REVIEW : SLOWEST_ANSWER),
  })

type Review = Extract<Authorization, { outcome: 'review' }>
const isReview = (hold: { outcome: string }): hold is Review => hold.outcome === 'review'

/** A lost answer is there as soon as the gateway is; a person who looks at a payment takes hours. */
const SLOWEST_ANSWER = 15
const SLOWEST_REVIEW = 300

const askAgainAt = (now: Date, since: Date, slowest: number) =>
  after(now, Math.min(Math.max((now.getTime() - since.getTime()) / 4000, 1), slowest))

type Change = Partial<Omit<Tables['payment'], 'details'>> & { state: PaymentState; details?: null }

/** Moves an attempt from one of the states it may come from. False: somebody else has moved it on. */
export async function transition(
  { db, now }: Pick<World, 'db' | 'now'>,
  { enrollment_id, attempt }: AttemptKey,
  from: PaymentState[],
  change: Change,
): Promise<boolean> {
  const moved = await move(db, { key: { enrollment_id, attempt }, from, change: { ...change, updated_at: now() } })
  return Number(moved.numAffectedRows) === 1
}

type Move = { key: AttemptKey; from: PaymentState[]; change: Change & { updated_at: Date } }
const move = statement((db, { key, from, change }: Move) => transitionQuery(db, key, from, change))

/** The same as a part of a larger statement. */
export const transitionQuery = (
  write: Pick<Db, 'updateTable'>,
  { enrollment_id, attempt }: AttemptKey,
  from: PaymentState[],
  change: Move['change'],
) =>
  write
    .updateTable('payment')
    .set(change)
    .where('enrollment_id', '=', enrollment_id)
    .where('attempt', '=', attempt)
    .where('state', 'in', from)
