import { SINGLE_LIST } from '#contract/packages.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { addJob } from '#server/jobs/queue.ts'
import { Refusal } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import { addPriceChanged } from './membership-events.ts'
import { type LockedMembership, lockMembership, setPeriod, stopCharging, updateMembership } from './rows.ts'

/** Stops a recurring package from the next renewal on. The membership itself is canceled, not dropped. */
export const dropPackage = (world: World, member_id: string, { product_id }: { product_id: number }): Promise<void> =>
  inTransaction(world.db, async (db) => {
    const membership = await lockMembership(db, member_id)
    const { lines } = membership
    const stopped = lines.find((line) => line.product_id === product_id)
    if (!stopped) return
    if ((await membershipPackage(db, member_id)) === product_id)
      throw new Refusal(409, 'To stop your membership, please cancel it.')
    const rest = lines.filter((line) => line.product_id !== product_id)
    await updateMembership(db, member_id, { lines: JSON.stringify(rest) })
    const isOver = !rest.length && membership.state !== 'ended' && !membership.cancelled_at
    if (isOver) await stopCharging({ ...world, db }, membership)
    const after = { ...membership, ...(isOver ? { state: 'active' as const } : {}) }
    await addPriceChanged({ ...world, db }, after, { before: lines, after: rest })
    await addJob(db, 'package_stopped', { member_id, name: stopped.name }, world.now())
  })

/** Whether nothing of the membership itself renews, and what renews is next to it. */
export async function isPaidOnce(db: Db, { member_id, lines }: Pick<LockedMembership, 'member_id' | 'lines'>) {
  const own = await membershipPackage(db, member_id)
  return own !== undefined && !lines.some(({ product_id }) => product_id === own)
}

/** Stops packages next to a membership that is paid once, because they stay unpaid. The membership continues. */
export async function stopUnpaid(context: Pick<World, 'db' | 'now'>, membership: LockedMembership): Promise<void> {
  const { db, now } = context
  const { member_id, period, lines } = membership
  if (membership.period_state === 'due') await setPeriod(db, member_id, period, 'unpaid')
  await updateMembership(db, member_id, { lines: '[]' })
  await stopCharging(context, { ...membership, period_state: 'unpaid' })
  await addPriceChanged(context, { ...membership, state: 'active' }, { before: lines, after: [] })
  await addJob(db, 'package_unpaid', { member_id, names: lines.map(({ name }) => name) }, now())
}

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
