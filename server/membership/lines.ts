import { inTransaction } from '#server/db/db.ts'
import { Refusal } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import { lockMembership, updateMembership } from './rows.ts'

/** Stops a recurring package from the next renewal on. The membership itself is canceled, not dropped. */
export const dropPackage = (world: World, member_id: string, { product_id }: { product_id: number }): Promise<void> =>
  inTransaction(world.db, async (db) => {
    const { lines } = await lockMembership(db, member_id)
    if (!lines.some((line) => line.product_id === product_id)) return
    if (lines[0]?.product_id === product_id) throw new Refusal(409, 'To stop your membership, please cancel it.')
    const rest = lines.filter((line) => line.product_id !== product_id)
    await updateMembership(db, member_id, { lines: JSON.stringify(rest) })
  })
