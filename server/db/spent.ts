import { sql } from 'kysely'
import type { Db } from './db.ts'
import { statement } from './statement.ts'

/** What a row of `spent` stands for. It goes when it has expired. */
export type SpentKind =
  | 'grant' // a key to the office that was used
  | 'letter' // a word that was made good
  | 'captcha' // a solution that was used, and by whom
  | 'code' // a number that waits for its next code
  | 'breaker' // one that is open
  | `breaker ${'declines' | 'codes'}` // the times at which it has tripped
  | 'comparison' // a turn at comparing the gateway's books with ours
  | 'compared' // the times at which they were

type Spent = { kind: SpentKind; key: string; expires_at: Date; used_by?: string }

/** Writes it down, unless it is there already: of many who try at once, over all processes, one was first. */
export async function useOnce(db: Db, spent: Spent): Promise<boolean> {
  const written = await writeDown(db, spent)
  return Number(written.numAffectedRows) === 1
}

const writeDown = statement((db, spent: Spent) =>
  db
    .insertInto('spent')
    .values(spent)
    .onConflict((clash) => clash.doNothing()),
)

/** Has it from now on until it expires, unless somebody else still has it. */
export async function acquireLease(db: Db, now: Date, { kind, key, expires_at }: Spent): Promise<boolean> {
  const taken = await sql`
    insert into spent (kind, key, expires_at) values (${kind}, ${key}, ${expires_at})
    on conflict (kind, key) do update set expires_at = excluded.expires_at where spent.expires_at <= ${now}
    returning key`.execute(db)
  return taken.rows.length === 1
}

/** What was written down, if it was. */
export const findUse = (db: Db, kind: SpentKind, key: string) =>
  db
    .selectFrom('spent')
    .select(['expires_at', 'used_by'])
    .where('kind', '=', kind)
    .where('key', '=', key)
    .executeTakeFirst()
