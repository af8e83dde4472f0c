import type { Insertable } from 'kysely'
import { fields, messagesByField } from '#contract/fields.ts'
import { reservedWords } from '#contract/site.ts'
import type { Db } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'

const kinds = ['username', 'email'] as const
type Name = (typeof kinds)[number]

export const takenMessages: Record<Name, string> = {
  username: 'This username is already taken.',
  email: 'This email address is already registered.',
}

/** Names are one whatever their case, and however a keyboard puts an accent on a letter. */
export const claimValue = (text: string): string => text.trim().toLowerCase().normalize()

/** 'Available', or why not. A name that this very enrollment has claimed is still available to it. */
export async function availability(
  db: Db,
  name: Name,
  asked: string,
  enrollment_id: string | undefined,
): Promise<'Available' | string[]> {
  const checked = fields[name].safeParse(asked)
  if (!checked.success) return Object.values(messagesByField(checked.error.issues)).flat()
  const value = claimValue(checked.data)
  if (name === 'username' && reservedWords.has(value)) return [takenMessages.username]
  const claim = await db
    .selectFrom('claim')
    .select('enrollment_id')
    .where('kind', '=', name)
    .where('value', '=', value)
    .executeTakeFirst()
  return claim && (!claim.enrollment_id || claim.enrollment_id !== enrollment_id) ? [takenMessages[name]] : 'Available'
}

/** Both names as an enrollment claims them. */
export const claimsOf = (enrollment_id: string, names: Record<Name, string>): Claim[] =>
  kinds.map((kind) => ({ kind, value: claimValue(names[kind]), enrollment_id }))

type Claim = Tables['claim']

/** Claims one name by itself. False: somebody has it. */
export async function claimName(db: Db, claim: Insertable<Claim>): Promise<boolean> {
  const claimed = await db
    .insertInto('claim')
    .values(claim)
    .onConflict((clash) => clash.doNothing())
    .executeTakeFirst()
  return Number(claimed.numInsertedOrUpdatedRows) === 1
}

/** Which of the claims somebody else has. */
export const conflictMessages = (claims: Claim[], claimed: Pick<Claim, 'kind'>[]): Partial<Record<Name, string>> =>
  Object.fromEntries(
    claims
      .filter(
        ({ kind, value }) =>
          (kind === 'username' && reservedWords.has(value)) || !claimed.some((claim) => claim.kind === kind),
      )
      .map(({ kind }) => [kind, takenMessages[kind]]),
  )

/** Gives back what an enrollment that came to nothing had claimed. */
export const releaseClaims = (db: Db, enrollment_id: string) =>
  db.deleteFrom('claim').where('enrollment_id', '=', enrollment_id).execute()
