import { fields, messagesOf } from '#contract/fields.ts'
import { reservedWords } from '#contract/limits.ts'
import type { Db } from './db/open.ts'

const kinds = ['username', 'email'] as const
type Name = (typeof kinds)[number]

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
  const claims = kinds.map((kind) => ({ kind, value: claimValue(names[kind]), enrollment_id }))
  const claimed = await db
    .insertInto('claim')
    .values(claims)
    .onConflict((clash) => clash.doNothing())
    .returning('kind')
    .execute()
  const clashing = claims.filter(
    ({ kind, value }) =>
      (kind === 'username' && reservedWords.has(value)) || !claimed.some((claim) => claim.kind === kind),
  )
  return Object.fromEntries(clashing.map(({ kind }) => [kind, taken[kind]]))
}

/** Gives back what an enrollment that came to nothing had claimed. */
export const releaseNames = (db: Db, enrollment_id: string) =>
  db.deleteFrom('claim').where('enrollment_id', '=', enrollment_id).execute()
