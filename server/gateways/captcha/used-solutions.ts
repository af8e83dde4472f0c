import type { Db } from '#server/db/db.ts'
import { findSpent, spendOnce } from '#server/db/spent.ts'

/** Who has used a solution, if anybody. */
export const userOf = async (db: Db, key: string): Promise<string | undefined> =>
  (await findSpent(db, 'captcha', key))?.used_by ?? undefined

/** A used solution is written down until it expires by itself; only the first to write it gets in, however often. */
export const spendSolution = async (db: Db, key: string, used_by: string, expires_at: Date): Promise<boolean> =>
  (await spendOnce(db, { kind: 'captcha', key, expires_at, used_by })) || (await userOf(db, key)) === used_by
