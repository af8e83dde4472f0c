import { type Db, inTransaction } from '#server/db/db.ts'
import type { World } from '#server/world/world.ts'
import { lockMembership, updateMembership } from './rows.ts'

type Context = Pick<World, 'db' | 'now'>

/** Nothing is charged until the hold is lifted. The membership and its link go on. */
export const putOnHold = ({ db, now }: Context, member_id: string, hold_reason: string): Promise<boolean> =>
  changeHold(db, member_id, false, { on_hold_since: now(), hold_reason })

/** The worker decides what is next: what was missed meanwhile is waived, and the running period is charged. */
export const liftHold = ({ db, now }: Context, member_id: string): Promise<boolean> =>
  changeHold(db, member_id, true, { on_hold_since: null, hold_reason: null, due_at: now() })

/** False if it was so already. */
const changeHold = (
  db: Db,
  member_id: string,
  wasOnHold: boolean,
  change: Parameters<typeof updateMembership>[2],
): Promise<boolean> =>
  inTransaction(db, async (db) => {
    const { on_hold_since, cancelled_at } = await lockMembership(db, member_id)
    if (Boolean(on_hold_since) !== wasOnHold) return false
    const rest = wasOnHold || cancelled_at ? {} : { due_at: null } // a canceled membership ends on its day
    await updateMembership(db, member_id, { ...change, ...rest })
    return true
  })
