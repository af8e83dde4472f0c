import { sql } from 'kysely'
import { statement } from '#server/db/statement.ts'
import { newEvent } from '#server/events/events.ts'
import { type AttemptKey, referenceOf } from '#server/gateways/payment/attempt-key.ts'
import { gatewayDeadline } from '#server/gateways/payment/deadlines.ts'
import type { RefundResult } from '#server/gateways/payment/port.ts'
import type { World } from '#server/world/world.ts'
import { chargePayload, endedWithoutCharge, transition, transitionQuery } from './payments.ts'

/** Takes the money that the gateway holds, once the member exists. Throws until the gateway has confirmed. */
export async function captureHold(world: World, key: AttemptKey): Promise<void> {
  const payment = await findPayment(world, key)
  if (payment.state !== 'enrolled' || !payment.transaction_id) return
  const result = await world.payment.capture(payment.transaction_id, gatewayDeadline(world))
  if (result === 'unknown') throw new Error('the gateway did not confirm the capture')
  if (result === 'refused') world.log.error({ reference: referenceOf(key) }, 'the gateway refused to capture its hold')
  if (result === 'refused') await transition(world, key, ['enrolled'], { state: 'capture_failed' })
  else await recordCapture(world.db, { key, now: world.now(), event: capturedEvent(payment, world.now()) })
}

const capturedEvent = ({ member_id, ...payment }: FoundPayment, now: Date) =>
  newEvent({ type: 'payment.captured', member_id, payload: chargePayload(payment) }, now)

type Capture = { key: AttemptKey; now: Date; event: ReturnType<typeof newEvent> }

/** With its event, if no other process was first. */
const recordCapture = statement((db, { key, now, event }: Capture) =>
  db
    .with('captured', (cte) =>
      transitionQuery(cte, key, ['enrolled'], { state: 'captured', captured_at: now, updated_at: now }).returning(
        'enrollment_id',
      ),
    )
    .insertInto('new_event')
    .columns(['id', 'type', 'version', 'member_id', 'at', 'payload'])
    .expression(({ selectFrom }) =>
      selectFrom('captured').select([
        sql<string>`${event.id}::uuid`.as('id'),
        sql<string>`${event.type}::text`.as('type'),
        sql<number>`${event.version}::integer`.as('version'),
        sql<string | null>`${event.member_id}::uuid`.as('member_id'),
        sql<Date>`${event.at}::timestamptz`.as('at'),
        sql<string>`${event.payload}::jsonb`.as('payload'),
      ]),
    ),
)

/** Cancels a hold, or refunds what can no longer be voided. Throws until the gateway has confirmed. */
export async function voidHold(world: World, job: AttemptKey & { transaction_id: string }): Promise<void> {
  const { transaction_id, ...key } = job
  const payment = await findPayment(world, key)
  if (!endedWithoutCharge(payment)) return // the attempt led to a member after all
  let result: RefundResult = await world.payment.void(transaction_id, gatewayDeadline(world))
  if (result === 'refused')
    result = await world.payment.refund(
      { refund_reference: referenceOf(key), transaction_id, amount_cents: payment.amount_cents },
      gatewayDeadline(world),
    )
  if (result === 'refused' && (await hasNoCharge(world, key, transaction_id))) result = 'done'
  if (result !== 'done' && result !== 'voided') throw new Error(`the gateway did not confirm the void (${result})`)
  await transition(world, key, ['abandoned', 'declined'], { state: 'voided' })
}

async function findPayment(world: World, { enrollment_id, attempt }: AttemptKey) {
  const [payment] = (await selectPayment(world.db, { enrollment_id, attempt })).rows
  if (!payment) throw new Error('payment not found')
  if (payment.gateway !== world.payment.name)
    throw new Error(`this payment belongs to the gateway '${payment.gateway}'`)
  return payment
}
type FoundPayment = Awaited<ReturnType<typeof findPayment>>

const selectPayment = statement((db, { enrollment_id, attempt }: AttemptKey) =>
  db
    .selectFrom('payment')
    .leftJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .select(['payment.state', 'transaction_id', 'amount_cents', 'gateway', 'reference', 'period'])
    .select('member.id as member_id')
    .where('payment.enrollment_id', '=', enrollment_id)
    .where('attempt', '=', attempt),
)

async function hasNoCharge(world: World, key: AttemptKey, transaction_id: string) {
  const { outcome } = await world.payment.lookup(
    { reference: referenceOf(key), transaction_id, is_once: true }, // no one joined: no card is kept
    gatewayDeadline(world),
  )
  return outcome === 'declined'
}
