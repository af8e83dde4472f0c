import type { Db } from '#server/db/db.ts'
import { consumeKey, findUser } from '#server/db/one-time-keys.ts'

/** Who has used a solution; undefined if it is unused. */
export const solutionUser = (db: Db, key: string) => findUser(db, 'captcha', key)

/** Marks a solution as used until it expires. True for its first user, also when they repeat the request. */
export const markSolutionUsed = async (db: Db, key: string, used_by: string, expires_at: Date): Promise<boolean> =>
  (await consumeKey(db, { kind: 'captcha', key, expires_at, used_by })) || (await solutionUser(db, key)) === used_by
