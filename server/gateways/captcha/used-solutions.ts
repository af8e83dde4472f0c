import type { Db } from '#server/db/db.ts'
import { findUse, useOnce } from '#server/db/spent.ts'

/** Who has used a solution; undefined if it is unused. */
export const solutionUser = async (db: Db, key: string): Promise<string | undefined> =>
  (await findUse(db, 'captcha', key))?.used_by ?? undefined

/** Marks a solution as used until it expires. True for its first user, also when they repeat the request. */
export const markSolutionUsed = async (db: Db, key: string, used_by: string, expires_at: Date): Promise<boolean> =>
  (await useOnce(db, { kind: 'captcha', key, expires_at, used_by })) || (await solutionUser(db, key)) === used_by
