import type { Db } from '#server/db/db.ts'
import { consumeKey, findUser } from '#server/db/one-time-keys.ts'

export const solutionUser = (db: Db, key: string) => findUser(db, 'captcha', key)

/** A solution works once. The same caller may repeat its request with it. */
export const consumeSolution = async (db: Db, key: string, used_by: string, expires_at: Date): Promise<boolean> =>
  (await consumeKey(db, { kind: 'captcha', key, expires_at, used_by })) || (await solutionUser(db, key)) === used_by
