import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { showAmount, toAmount } from '#contract/money.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import type { PaymentState, Tables } from '#server/db/tables.ts'
import { addEvent } from '#server/events/events.ts'
import { refundReferenceOf } from '#server/gateways/payment/attempt-key.ts'
import { gatewayDeadline } from '#server/gateways/payment/deadlines.ts'
import { addJob, type JobPayloads } from '#server/jobs/queue.ts'
import { OperatorError } from '#server/operator-error.ts'
import type { World } from '#server/world/world.ts'
import { chargePayload } from './payments.ts'

type Context = Pick<World, 'config' | 'db' | 'log' | 'now' | 'payment'>

export type RefundRequest = {
  reference: string
  /** Without it, everything that is left. */
  amount_cents?: number | undefined
  reason: string
  who: string
}

/**
 * Writes a refund and the job that makes it, for the first charge and renewals alike. The payment is locked, so that all
 * refunds together never exceed what was captured. The job starts at `run_at`: who wants to wait for the outcome calls
 * executeRefund before then.
 */
export const requestRefund = (
  context: Context,
  { reference, amount_cents, ...request }: RefundRequest,
  run_at = context.now(),
) =>
  inTransaction(context.db, async (db) => {
    const payment = await lockPayment(db, reference)
    refuseWrongState(payment)
    const left = payment.amount_cents - (await sumOfRefunds(db, reference))
    if (left < 1) throw new OperatorError(`All of ${dollars(payment.amount_cents)} has already been refunded.`)
    if ((amount_cents ?? left) > left)
      throw new OperatorError(
        `${dollars(amount_cents ?? left)} is too much: of ${dollars(payment.amount_cents)}, ${dollars(left)} can still be refunded.`,
      )
    return addRefund({ ...context, db }, { ...request, reference, amount_cents: amount_cents ?? left }, run_at)
  })

/** Gateways settle once a day. Only until then does a void leave no trace on the member's statement. */
const SETTLES_AFTER_MS = 86_400_000

/** Whether it can still be voided, if nothing of it has been refunded. */
export const mayVoid = (
  { now }: Pick<World, 'now'>,
  { state, updated_at }: Pick<Tables['payment'], 'state' | 'updated_at'>,
): boolean => mayRefund({ state }) && now().getTime() - updated_at.getTime() < SETTLES_AFTER_MS

/** Cancels a charge that has not settled: a full refund that the gateway turns into a void. */
export const requestVoid = (
  context: Context,
  { reference, ...request }: Omit<RefundRequest, 'amount_cents'>,
  run_at = context.now(),
) =>
  inTransaction(context.db, async (db) => {
    const payment = await lockPayment(db, reference)
    refuseWrongState(payment)
    const hasSettled = !mayVoid(context, payment)
    if (hasSettled || (await sumOfRefunds(db, reference)))
      throw new TooLateToVoid(
        `This charge ${hasSettled ? 'has settled' : 'already has a refund'}, so it can no longer be voided. Refund it instead.`,
      )
    const { amount_cents } = payment
    return addRefund({ ...context, db }, { ...request, reference, amount_cents, is_void: true }, run_at)
  })

export class TooLateToVoid extends OperatorError {}

async function lockPayment(db: Db, reference: string) {
  const payment = await db
    .selectFrom('payment')
    .select(['state', 'amount_cents', 'updated_at'])
    .where('reference', '=', reference)
    .forUpdate()
    .executeTakeFirst()
  if (!payment) throw unknownReference(reference)
  return payment
}

export const unknownReference = (reference: string) =>
  new OperatorError(`There is no payment with the reference '${reference}'. Receipts and 'npm run reconcile' show it.`)

/** Why a payment cannot be refunded now. */
const refusedStates: { [State in PaymentState]?: string } = {
  refunded: 'All of it has already been refunded.',
  disputed: 'It is disputed: the bank has already taken the money back.',
  declined: 'It was declined, so nothing was charged.',
  voided: 'It was voided, so nothing was charged.',
  abandoned: 'Nothing was charged. If the gateway says otherwise, refund it there.',
}

/** 'enrolled' is refunded too: the job waits until the charge is captured. */
const refundable: PaymentState[] = ['enrolled', 'captured', 'capture_failed']

/** Whether staff can refund it, as far as its state says. */
export const mayRefund = ({ state }: Pick<Tables['payment'], 'state'>): boolean => refundable.includes(state)

function refuseWrongState({ state }: Pick<Tables['payment'], 'state'>) {
  if (!mayRefund({ state }))
    throw new OperatorError(
      `This payment cannot be refunded. ${refusedStates[state] ?? 'Its outcome is not known yet. Try again later.'}`,
    )
}

/** Also those that are not confirmed yet. */
async function sumOfRefunds(db: Db, reference: string): Promise<number> {
  const { sum } = await db
    .selectFrom('refund')
    .select(({ fn }) => fn.sum<string | null>('amount_cents').as('sum'))
    .where('payment_reference', '=', reference)
    .where('state', '!=', 'refused')
    .executeTakeFirstOrThrow()
  return Number(sum ?? 0)
}

/** What became of a member's first payment if we no longer have it, to be told to the member. */
export async function whyFirstPaymentIsGone(db: Db, member_id: string): Promise<string | undefined> {
  const payment = await db
    .selectFrom('payment')
    .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .leftJoin('refund', (join) => join.onRef('payment_reference', '=', 'reference').on('is_void', '=', true))
    .select(['reference', 'payment.amount_cents', 'payment.state', 'refund.state as void_state'])
    .where('member.id', '=', member_id)
    .where('period', '=', 0)
    .orderBy('attempt', 'desc')
    .executeTakeFirst()
  if (!payment) return undefined // imported: the membership was paid elsewhere
  if (payment.state === 'disputed') return 'You disputed your payment with your bank.'
  if (payment.state === 'capture_failed') return 'Your payment wasn’t collected.'
  if (payment.void_state && payment.void_state !== 'refused') return 'Your payment was canceled.'
  return (await sumOfRefunds(db, payment.reference)) < payment.amount_cents ? undefined : 'Your payment was refunded.'
}

type NewRefund = Required<Pick<RefundRequest, 'reference' | 'reason' | 'who'>> & {
  amount_cents: number
  is_void?: boolean
}

async function addRefund({ db, now }: Context, { reference, is_void = false, ...refund }: NewRefund, run_at: Date) {
  const id = randomUUID()
  await db
    .insertInto('refund')
    .values({
      ...refund,
      id,
      payment_reference: reference,
      is_void,
      state: 'requested',
      refund_reference: refundReferenceOf(id),
      created_at: now(),
    })
    .execute()
  await addJob(db, 'refund', { refund_id: id }, run_at)
  return { refund_id: id, amount_cents: refund.amount_cents }
}

/** Makes a refund at the gateway. Throws until the gateway has confirmed or refused it. May be repeated. */
export async function executeRefund(context: Context, { refund_id }: JobPayloads['refund']): Promise<void> {
  const refund = await findRefund(context.db, refund_id)
  if (refund.state !== 'requested') return
  if (refund.gateway !== context.payment.name)
    throw new Error(`this payment belongs to the gateway '${refund.gateway}'`)
  if (refund.payment_state === 'enrolled' || !refund.transaction_id) throw new Error('the charge is not captured yet')
  const { refund_reference, transaction_id, amount_cents, created_at: since } = refund
  const result = await context.payment.refund(
    { refund_reference, transaction_id, amount_cents, since },
    gatewayDeadline(context),
  )
  if (result === 'not_settled') throw new NotSettled()
  if (result === 'unknown') throw new Error('the gateway did not confirm the refund')
  if (result === 'refused')
    context.log.error({ reference: refund.payment_reference, amount_cents }, 'the gateway refused a refund')
  await inTransaction(context.db, (db) => recordResult({ ...context, db }, refund, result))
}

/** A part can be refunded only when the charge has settled, usually the next day. */
export class NotSettled extends Error {
  constructor() {
    super('the charge has not settled yet; a partial refund has to wait for that')
  }
}

const findRefund = (db: Db, refund_id: string) =>
  db
    .selectFrom('refund')
    .innerJoin('payment', 'payment.reference', 'refund.payment_reference')
    .leftJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .selectAll('refund')
    .select(['gateway', 'transaction_id', 'period', 'payment.state as payment_state', 'member.id as member_id'])
    .where('refund.id', '=', refund_id)
    .executeTakeFirstOrThrow()

type FoundRefund = Awaited<ReturnType<typeof findRefund>>

/** `updated_at` of the payment stays the time when it was paid, which receipts show. */
async function recordResult({ db, now }: Context, refund: FoundRefund, result: 'done' | 'voided' | 'refused') {
  const isOurs = await db
    .selectFrom('refund')
    .select('id')
    .where('id', '=', refund.id)
    .where('state', '=', 'requested')
    .forUpdate()
    .executeTakeFirst()
  if (!isOurs) return
  const isDone = result !== 'refused'
  const credit_note = isDone ? await nextCreditNote(db) : null
  const outcome = isDone ? { state: 'done' as const, is_void: result === 'voided' } : { state: 'refused' as const }
  await db
    .updateTable('refund')
    .set({ ...outcome, credit_note, ended_at: now() })
    .where('id', '=', refund.id)
    .execute()
  if (credit_note === null) return
  const { refunded_cents } = await db
    .updateTable('payment')
    .set(({ eb, ref }) => {
      const refunded_cents = eb('refunded_cents', '+', refund.amount_cents)
      const isFull = eb(refunded_cents, '>=', ref('amount_cents'))
      return {
        refunded_cents,
        state: eb.case().when(isFull).then<PaymentState>('refunded').else(ref('state')).end(),
      }
    })
    .where('reference', '=', refund.payment_reference)
    .returning('refunded_cents')
    .executeTakeFirstOrThrow()
  await addRefundEvent({ db, now }, refund, { is_void: result === 'voided', credit_note, refunded_cents })
  if (refund.member_id) await addJob(db, 'refunded', { member_id: refund.member_id, refund_id: refund.id }, now())
}

type DoneRefund = { is_void: boolean; credit_note: number; refunded_cents: number }

async function addRefundEvent(
  { db, now }: Pick<Context, 'db' | 'now'>,
  refund: FoundRefund,
  { is_void, credit_note, refunded_cents }: DoneRefund,
) {
  const { id: refund_id, member_id, payment_reference: reference } = refund
  const payload = { ...chargePayload({ ...refund, reference }), refund_id, credit_note }
  const refunded = toAmount(refunded_cents)
  if (is_void) await addEvent(db, now(), { type: 'payment.voided', member_id, payload })
  else await addEvent(db, now(), { type: 'payment.refunded', member_id, payload: { ...payload, refunded } })
}

const CREDIT_NOTE_LOCK = 3_853_315

/** The number after the last one. No other transaction can take one until this one ends, so that there is never a gap. */
async function nextCreditNote(db: Db): Promise<number> {
  await sql`select pg_advisory_xact_lock(${CREDIT_NOTE_LOCK})`.execute(db)
  const { last } = await db
    .selectFrom('refund')
    .select(({ fn }) => fn.max('credit_note').as('last'))
    .executeTakeFirstOrThrow()
  return Number(last ?? 0) + 1
}

/** '$99.00' */
export const dollars = (cents: number) => showAmount(toAmount(cents))
