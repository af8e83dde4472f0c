import type { Db } from '#server/db/db.ts'
import { findUse, useOnce } from '#server/db/spent.ts'

/** Who has used a solution, if anybody. */
export const solutionUser = async (db: Db, key: string): Promise<string | undefined> =>
  (await findUse(db, 'captcha', key))?.used_by ?? undefined

/** A used solution is written down until it expires by itself; only the first to write it gets in, however often. */
export const markSolutionUsed = async (db: Db, key: string, used_by: string, expires_at: Date): Promise<boolean> =>
  (await useOnce(db, { kind: 'captcha', key, expires_at, used_by })) || (await solutionUser(db, key)) === used_by
