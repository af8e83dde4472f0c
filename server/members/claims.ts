import type { Insertable } from 'kysely'
import { fields, messagesByField, takenMessages } from '#contract/fields.ts'
import { reservedWords } from '#contract/site.ts'
import type { Db } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'

const kinds = ['username', 'email'] as const
type Kind = (typeof kinds)[number]
type Claim = Tables['claim']

/** The same name in another case, or with an accent that is encoded differently, is the same claim. */
export const claimValue = (text: string): string => text.trim().toLowerCase().normalize()

/** 'Available', or the reasons why not. An enrollment's own claim does not count against it. */
export async function availability(
  db: Db,
  kind: Kind,
  text: string,
  enrollment_id: string | undefined,
): Promise<'Available' | string[]> {
  const parsed = fields[kind].safeParse(text)
  if (!parsed.success) return Object.values(messagesByField(parsed.error.issues)).flat()
  const value = claimValue(parsed.data)
  if (kind === 'username' && reservedWords.has(value)) return [takenMessages.username]
  const claim = await db
    .selectFrom('claim')
    .select('enrollment_id')
    .where('kind', '=', kind)
    .where('value', '=', value)
    .executeTakeFirst()
  const isTaken = claim && (!claim.enrollment_id || claim.enrollment_id !== enrollment_id)
  return isTaken ? [takenMessages[kind]] : 'Available'
}

/** The claims that an enrollment makes: its username and its email. */
export const claimsOf = (enrollment_id: string, names: Record<Kind, string>): Claim[] =>
  kinds.map((kind) => ({ kind, value: claimValue(names[kind]), enrollment_id }))

/** Claims a single name. False: it is taken. */
export async function claimName(db: Db, claim: Insertable<Claim>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('claim')
    .values(claim)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return Number(numInsertedOrUpdatedRows) === 1
}

/** A message for each claim that is reserved or was not granted. */
export const conflictMessages = (claims: Claim[], granted: Pick<Claim, 'kind'>[]): Partial<Record<Kind, string>> =>
  Object.fromEntries(
    claims
      .filter(
        ({ kind, value }) =>
          (kind === 'username' && reservedWords.has(value)) || !granted.some((claim) => claim.kind === kind),
      )
      .map(({ kind }) => [kind, takenMessages[kind]]),
  )

/** Frees the names of an enrollment that has ended without a member. */
export const releaseClaims = (db: Db, enrollment_id: string) =>
  db.deleteFrom('claim').where('enrollment_id', '=', enrollment_id).execute()
