import type { Db } from '#server/db/open.ts'
import { statement } from '#server/db/statement.ts'
import type { Tables } from '#server/db/tables.ts'

/** Who has used a solution, if anybody. */
export async function userOf(db: Db, key: string): Promise<string | undefined> {
  const found = await db
    .selectFrom('spent')
    .select('used_by')
    .where('kind', '=', 'captcha')
    .where('key', '=', key)
    .executeTakeFirst()
  return found?.used_by ?? undefined
}

/** A used solution is written down until it expires by itself; only the first to write it gets in, however often. */
export async function spendOnce(db: Db, key: string, used_by: string, expires_at: Date): Promise<boolean> {
  const first = await writeDown(db, { kind: 'captcha', key, expires_at, used_by })
  return Number(first.numAffectedRows) === 1 || (await userOf(db, key)) === used_by
}

const writeDown = statement((db, spent: Tables['spent']) =>
  db
    .insertInto('spent')
    .values(spent)
    .onConflict((clash) => clash.doNothing()),
)
