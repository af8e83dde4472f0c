import { fields, messagesOf } from '#contract/fields.ts'
import { reservedWords } from '#contract/limits.ts'
import type { Db } from './db/open.ts'

type Name = 'username' | 'email'

export const taken: Record<Name, string> = {
  username: 'This username is already taken.',
  email: 'This email address is already registered.',
}

/** Names are one whatever their case. */
export const claimValue = (text: string): string => text.trim().toLowerCase()

/** 'Available', or why not. A name that this very enrollment has claimed is still available to it. */
export async function availability(
  db: Db,
  name: Name,
  asked: string,
  enrollment_id: string | undefined,
): Promise<'Available' | string[]> {
  const checked = fields[name].safeParse(asked)
  if (!checked.success) return Object.values(messagesOf(checked.error.issues)).flat()
  const value = claimValue(checked.data)
  if (name === 'username' && reservedWords.has(value)) return [taken.username]
  const claim = await db
    .selectFrom('claim')
    .select('enrollment_id')
    .where('kind', '=', name)
    .where('value', '=', value)
    .executeTakeFirst()
  return claim && (!claim.enrollment_id || claim.enrollment_id !== enrollment_id) ? [taken[name]] : 'Available'
}

/** Takes both names for an enrollment, or says which one somebody else has. Runs inside the caller's transaction. */
export async function claimNames(
  db: Db,
  enrollment_id: string,
  names: Record<Name, string>,
): Promise<Partial<Record<Name, string>>> {
  const clashes: Partial<Record<Name, string>> = {}
  for (const kind of ['username', 'email'] as const) {
    const value = claimValue(names[kind])
    const claimed = await db
      .insertInto('claim')
      .values({ kind, value, enrollment_id })
      .onConflict((clash) => clash.doNothing())
      .executeTakeFirst()
    const reserved = kind === 'username' && reservedWords.has(value)
    if (reserved || Number(claimed.numInsertedOrUpdatedRows) === 0) clashes[kind] = taken[kind]
  }
  return clashes
}

/** Gives back what an enrollment that came to nothing had claimed. */
export const releaseNames = (db: Db, enrollment_id: string) =>
  db.deleteFrom('claim').where('enrollment_id', '=', enrollment_id).execute()
