import { statement } from '#server/db/statement.ts'
import { type AttemptKey, referenceOf } from '#server/gateways/payment/attempt-key.ts'
import { gatewayDeadline } from '#server/gateways/payment/deadlines.ts'
import type { RefundResult } from '#server/gateways/payment/port.ts'
import type { World } from '#server/world/world.ts'
import { endedWithoutCharge, transition } from './payments.ts'

/** Takes the money that the gateway holds, once the member exists. Throws until the gateway has confirmed. */
export async function captureHold(world: World, key: AttemptKey): Promise<void> {
  const payment = await findPayment(world, key)
  if (payment.state !== 'enrolled' || !payment.transaction_id) return
  const result = await world.payment.capture(payment.transaction_id, gatewayDeadline(world))
  if (result === 'unknown') throw new Error('the gateway did not confirm the capture')
  if (result === 'refused') world.log.error({ reference: referenceOf(key) }, 'the gateway refused to capture its hold')
  await transition(world, key, ['enrolled'], { state: result === 'done' ? 'captured' : 'capture_failed' })
}

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

const selectPayment = statement((db, { enrollment_id, attempt }: AttemptKey) =>
  db
    .selectFrom('payment')
    .select(['state', 'transaction_id', 'amount_cents', 'gateway'])
    .where('enrollment_id', '=', enrollment_id)
    .where('attempt', '=', attempt),
)

async function hasNoCharge(world: World, key: AttemptKey, transaction_id: string) {
  const { outcome } = await world.payment.lookup(
    { reference: referenceOf(key), transaction_id, is_once: true }, // no one joined: no card is kept
    gatewayDeadline(world),
  )
  return outcome === 'declined'
}
