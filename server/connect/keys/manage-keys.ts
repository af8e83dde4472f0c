import { randomUUID } from 'node:crypto'
import { KEYS_AT_MOST, type NewKey } from '#contract/connect/keys.ts'
import { type Actor, lockHead, recordAction } from '#server/audit/audit.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { Refusal, refuseField } from '#server/refusal.ts'
import { sha256 } from '#server/secrets/secrets.ts'
import { endOfDay, todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { newKey } from './key-format.ts'

/** Makes a key. It's in the answer and nowhere else. */
export async function createKey(world: World, input: NewKey, actor: Actor): Promise<{ id: string; key: string }> {
  const { name, scopes, ends_on } = input
  if (ends_on && ends_on < todayOf(world)) throw refuseField('ends_on', 'Please choose today or a later day.')
  const key = newKey()
  const id = randomUUID()
  await inTransaction(world.db, async (db) => {
    await lockHead(db) // keys are made one after the other
    await refuseTaken(db, name)
    await db
      .insertInto('api_key')
      .values({
        id,
        name,
        key_hash: sha256(key),
        ending: key.slice(-4),
        scopes,
        created_at: world.now(),
        created_by: actor.id,
        ends_at: ends_on ? endOfDay(world, ends_on) : null,
      })
      .execute()
    await recordAction(
      { ...world, db },
      {
        act: 'create_api_key',
        actor,
        subject_kind: 'api_key',
        subject: id,
        after: { scopes: scopes.join(' '), ends_on: ends_on ?? null },
      },
    )
  })
  return { id, key }
}

async function refuseTaken(db: Db, name: string) {
  const inUse = await db.selectFrom('api_key').select(['name']).where('revoked_at', 'is', null).execute()
  if (inUse.some((key) => key.name.toLowerCase() === name.toLowerCase()))
    throw refuseField('name', 'Another active API key has this name.')
  if (inUse.length >= KEYS_AT_MOST)
    throw new Refusal(409, `You already have ${KEYS_AT_MOST} API keys. Revoke one you no longer need first.`)
}

/** The next request with it is refused. */
export async function revokeKey(world: World, { id, reason }: { id: string; reason: string }, actor: Actor) {
  await inTransaction(world.db, async (db) => {
    const { numUpdatedRows } = await db
      .updateTable('api_key')
      .set({ revoked_at: world.now() })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
    if (!numUpdatedRows) throw new Refusal(409, 'This API key doesn’t exist or was already revoked.')
    await recordAction({ ...world, db }, { act: 'revoke_api_key', actor, subject_kind: 'api_key', subject: id, reason })
  })
}
