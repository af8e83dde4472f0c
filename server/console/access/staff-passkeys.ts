import type { PasskeyResponse } from '#contract/credentials.ts'
import type { Db } from '#server/db/db.ts'
import { type NewPasskey, requireStored, signInOptions, verifySignIn } from '#server/members/credentials/passkeys.ts'
import type { World } from '#server/world/world.ts'

const PURPOSE = 'sign in'

export const staffSignInOptions = (world: World) => signInOptions(world, PURPOSE)

/** The colleague whose passkey has signed our challenge, or undefined. */
export async function verifyStaffPasskey(
  world: World,
  response: PasskeyResponse,
): Promise<{ staff_id: string } | undefined> {
  const passkey = await findPasskey(world.db, response.id)
  const result = passkey && (await verifySignIn(world, response, PURPOSE, passkey))
  if (!result) return undefined
  await world.db
    .updateTable('staff_passkey')
    .set({ counter: result.counter, used_at: world.now() })
    .where('credential_id', '=', passkey.credential_id)
    .execute()
  return { staff_id: passkey.staff_id }
}

const findPasskey = (db: Db, credential_id: string) =>
  db
    .selectFrom('staff_passkey')
    .innerJoin('staff', 'staff.id', 'staff_passkey.staff_id')
    .select(['credential_id', 'staff_id', 'public_key', 'counter'])
    .where('credential_id', '=', credential_id)
    .where('removed_at', 'is', null)
    .executeTakeFirst()

export async function storePasskey(
  { db, now }: Pick<World, 'db' | 'now'>,
  staff_id: string,
  name: string,
  passkey: NewPasskey,
): Promise<void> {
  const stored = await db
    .insertInto('staff_passkey')
    .values({ ...passkey, staff_id, name, created_at: now() })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  requireStored(stored)
}
