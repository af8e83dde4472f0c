import { sql } from 'kysely'
import { type Db, inTransaction } from '#server/db/db.ts'
import { Refusal, refuseField } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'

/** Longer than a day, so a system that was down overnight can still repeat a call. */
const KEPT_MS = 48 * 3_600_000

type Request = { key_id: string; idempotency_key: string; content: string }
type Answer = Record<string, unknown>

/**
 * Does something once for an Idempotency-Key. The change and its answer are written together or not at all: a repeat gets the
 * answer, and a failed call can be tried again.
 */
export const once = (
  world: World,
  { key_id, idempotency_key, content }: Request,
  work: (world: World) => Promise<Answer>,
): Promise<{ answer: Answer; isRepeat: boolean }> =>
  inTransaction(world.db, async (db) => {
    if (!(await takeLock(db, `${key_id} ${idempotency_key}`)))
      throw new Refusal(409, 'A call with this Idempotency-Key is still running. Please repeat it in a moment.', {
        retryAfter: 1,
      })
    const stored = await db
      .selectFrom('api_answer')
      .select(['request_hash', 'answer'])
      .where('key_id', '=', key_id)
      .where('idempotency_key', '=', idempotency_key)
      .executeTakeFirst()
    if (stored) {
      if (!world.keys.isHmac('api requests', content, stored.request_hash))
        throw refuseField(
          'idempotency-key',
          'This Idempotency-Key was used for a different call. Please use a new one for each change.',
        )
      return { answer: stored.answer, isRepeat: true }
    }
    const answer = await work({ ...world, db })
    await db
      .insertInto('api_answer')
      .values({
        ...{ key_id, idempotency_key, answer: JSON.stringify(answer) },
        request_hash: world.keys.hmac('api requests', content),
        expires_at: new Date(world.now().getTime() + KEPT_MS),
      })
      .execute()
    return { answer, isRepeat: false }
  })

/** Locked until the transaction ends. False: another one has the lock. */
async function takeLock(db: Db, name: string): Promise<boolean> {
  const { rows } = await sql<{ is_ours: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 4900)) as is_ours`.execute(db)
  return rows[0]?.is_ours ?? false
}
