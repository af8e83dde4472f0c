import { type Db, inTransaction } from '#server/db/db.ts'
import { addJob } from '#server/jobs/queue.ts'
import { findAppStep } from '#server/members/credentials/authenticator-app.ts'
import { recoveryHashes } from '#server/members/credentials/recovery-codes.ts'
import { Refusal } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'

/** A member's second factor: an authenticator app, passkeys, or both. It is on as soon as there is one of them. */

export async function factorsOf(db: Db, member_id: string): Promise<{ has_app: boolean; has_passkey: boolean }> {
  const [app, passkey] = await Promise.all([
    db.selectFrom('member_app').select('member_id').where('member_id', '=', member_id).executeTakeFirst(),
    db.selectFrom('member_passkey').select('member_id').where('member_id', '=', member_id).executeTakeFirst(),
  ])
  return { has_app: Boolean(app), has_passkey: Boolean(passkey) }
}

export const isOn = ({ has_app, has_passkey }: Awaited<ReturnType<typeof factorsOf>>) => has_app || has_passkey

export const passkeysOf = (db: Db, member_id: string) =>
  db.selectFrom('member_passkey').selectAll().where('member_id', '=', member_id).orderBy('created_at').execute()

export const lockMember = (db: Db, id: string) =>
  db.selectFrom('member').select('id').where('id', '=', id).forUpdate().execute()

/** Whether a code is right. It works once: of several requests with the same one, one succeeds. */
export const redeemCode = (world: World, member_id: string, code: string): Promise<boolean> =>
  /^\d{6}$/.test(code) ? redeemAppCode(world, member_id, code) : redeemRecoveryCode(world, member_id, code)

async function redeemAppCode(world: World, member_id: string, code: string): Promise<boolean> {
  const app = await world.db
    .selectFrom('member_app')
    .select(['sealed', 'step'])
    .where('member_id', '=', member_id)
    .executeTakeFirst()
  const step = app && findAppStep(world, 'member', app, code)
  if (!step) return false
  const { numUpdatedRows } = await world.db
    .updateTable('member_app')
    .set({ step })
    .where('member_id', '=', member_id)
    .where('step', '<', step)
    .executeTakeFirst()
  return numUpdatedRows > 0
}

const redeemRecoveryCode = (world: World, member_id: string, code: string): Promise<boolean> =>
  inTransaction(world.db, async (db) => {
    const { numDeletedRows } = await db
      .deleteFrom('member_recovery')
      .where('member_id', '=', member_id)
      .where('key_hash', 'in', recoveryHashes(world.keys, code))
      .executeTakeFirst()
    if (!numDeletedRows) return false
    await addJob(db, 'second_factor_changed', { member_id, change: 'recovery_code_used' }, world.now())
    return true
  })

/** Everything of it, for a member who has lost it. Call it in a transaction. */
export async function removeSecondFactor({ db, now }: World, member_id: string): Promise<void> {
  await lockMember(db, member_id)
  if (!isOn(await factorsOf(db, member_id))) throw new Refusal(409, 'This member has no second factor.')
  for (const table of ['member_app', 'member_passkey', 'member_recovery'] as const)
    await db.deleteFrom(table).where('member_id', '=', member_id).execute()
  await addJob(db, 'second_factor_changed', { member_id, change: 'removed_by_staff' }, now())
}
