import { SINGLE_LIST } from '#contract/packages.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { Refusal } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import { lockMembership, stopCharging, updateMembership } from './rows.ts'

/** Stops a recurring package from the next renewal on. The membership itself is canceled, not dropped. */
export const dropPackage = (world: World, member_id: string, { product_id }: { product_id: number }): Promise<void> =>
  inTransaction(world.db, async (db) => {
    const membership = await lockMembership(db, member_id)
    const { lines } = membership
    if (!lines.some((line) => line.product_id === product_id)) return
    if ((await membershipPackage(db, member_id)) === product_id)
      throw new Refusal(409, 'To stop your membership, please cancel it.')
    const rest = lines.filter((line) => line.product_id !== product_id)
    await updateMembership(db, member_id, { lines: JSON.stringify(rest) })
    if (!rest.length && membership.state !== 'ended' && !membership.cancelled_at) await stopCharging(db, membership)
  })

/** The package that is the membership itself, which can be canceled but not stopped. */
export async function membershipPackage(db: Db, member_id: string): Promise<number | undefined> {
  const line = await db
    .selectFrom('orders')
    .innerJoin('order_line', 'order_line.order_id', 'orders.id')
    .select('product_id')
    .where('member_id', '=', member_id)
    .where('list', '=', SINGLE_LIST)
    .executeTakeFirst()
  return line?.product_id
}
