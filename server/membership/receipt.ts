import { toAmount } from '#contract/money.ts'
import { intervalOf } from '#contract/packages.ts'
import { renewalTotal } from '#contract/renewal.ts'
import { statement } from '#server/db/statement.ts'
import { dayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { cardOf, disputeLostAt, outcomeOf } from './charges.ts'

/** The order lines, the total and the payment reference of a member's order, and what it costs every month or year. */
export async function receiptOf(world: World, member_id: string) {
  const receipt = await findReceipt(world, member_id)
  if (!receipt) throw new Error('The member has no order.')
  return receipt
}

/** Undefined for an imported member, who paid nothing here to join. */
export async function findReceipt(world: World, member_id: string) {
  const { rows: lines } = await readOrder(world.db, { member_id })
  const [first] = lines
  if (!first) return undefined
  return {
    reference: first.reference,
    paid_on: dayOf(world, first.created_at),
    lines: lines.map(({ name, list, price_cents, renewal_cents, billing_interval }) => ({
      name,
      price: toAmount(price_cents),
      is_recurring: list === 'autoship_product_ids' && renewal_cents > 0,
      billing_interval,
    })),
    total: toAmount(first.grand_total),
    ...cardOf(first),
    ...outcomeOf(world, first),
    renewal_price: toAmount(renewalTotal(lines)),
    interval: intervalOf(lines),
  }
}

const readOrder = statement((db, { member_id }: { member_id: string }) =>
  db
    .selectFrom('orders')
    .innerJoin('member', 'member.id', 'orders.member_id')
    .innerJoin('payment', (join) =>
      join.onRef('payment.enrollment_id', '=', 'member.enrollment_id').onRef('payment.attempt', '=', 'orders.attempt'),
    )
    .innerJoin('order_line', 'order_line.order_id', 'orders.id')
    .select(['reference', 'orders.created_at', 'grand_total', 'name', 'list', 'price_cents', 'renewal_cents'])
    .select(['billing_interval', 'card_brand', 'card_last_four', 'card_expires'])
    .select(['payment.state', 'disputed_at', 'dispute_won_at'])
    .select(disputeLostAt)
    .where('orders.member_id', '=', member_id)
    .orderBy('product_id'),
)
