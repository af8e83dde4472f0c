import type { Db } from './db.ts'
import { statement } from './statement.ts'
import type { Tables } from './tables.ts'

type OneTimeKey = Omit<Tables['one_time_key'], 'used_by'> & { used_by?: string }

/** Uses a key. Of all callers in all processes, only the first gets true. */
export async function consumeKey(db: Db, key: OneTimeKey): Promise<boolean> {
  const inserted = await insertKey(db, key)
  return Number(inserted.numAffectedRows) === 1
}

const insertKey = statement((db, key: OneTimeKey) =>
  db
    .insertInto('one_time_key')
    .values(key)
    .onConflict((conflict) => conflict.doNothing()),
)

/** Who used a key, if anyone did. */
export async function findUser(db: Db, kind: OneTimeKey['kind'], key: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('one_time_key')
    .select('used_by')
    .where('kind', '=', kind)
    .where('key', '=', key)
    .executeTakeFirst()
  return row?.used_by ?? undefined
}
