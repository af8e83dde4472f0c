import { type Db, inTransaction } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import type { World } from '#server/world/world.ts'

/** Something on which the gateway's books and our journal disagree, described for the operator. */
export type Difference = Pick<Tables['difference'], 'reference' | 'kind' | 'transaction_id' | 'ours' | 'theirs'>

export const newDifference = (
  kind: string,
  { reference, transaction_id = null }: { reference: string; transaction_id?: string | null },
  ours: string,
  theirs: string,
): Difference => ({ reference, kind, transaction_id, ours, theirs })

type Context = Pick<World, 'db' | 'now'>

/**
 * Inserts new differences, updates known ones, and clears those that were compared again and are gone. Returns those that
 * nobody has resolved.
 */
export const recordDifferences = ({ db, now }: Context, differences: Difference[], compared: { reference: string }[]) =>
  inTransaction(db, async (db) => {
    const unresolved: Difference[] = []
    for (const difference of differences)
      if (!(await upsert(db, difference, now())).resolved_at) unresolved.push(difference)
    const stillThere = new Set(differences.map(keyOf))
    const comparedReferences = new Set(compared.map(({ reference }) => reference))
    const open = await uncleared(db).select(['reference', 'kind']).execute()
    const isGone = (row: Key) => comparedReferences.has(row.reference) && !stillThere.has(keyOf(row))
    for (const { reference, kind } of open.filter(isGone))
      await db
        .updateTable('difference')
        .set({ cleared_at: now() })
        .where('reference', '=', reference)
        .where('kind', '=', kind)
        .execute()
    return unresolved
  })

/** A known difference keeps the time when it was first found, and stays resolved while the gateway says the same. */
const upsert = (db: Db, difference: Difference, found_at: Date) =>
  db
    .insertInto('difference')
    .values({ ...difference, found_at, cleared_at: null })
    .onConflict((conflict) =>
      conflict.columns(['reference', 'kind']).doUpdateSet(({ eb, ref }) => {
        const ifUnchanged = <Column extends 'resolved_at' | 'reason'>(column: Column) =>
          eb
            .case()
            .when(
              eb.and([eb('difference.cleared_at', 'is', null), eb('difference.theirs', '=', ref('excluded.theirs'))]),
            )
            .then(ref(`difference.${column}`))
            .end()
        return {
          ...difference,
          cleared_at: null,
          resolved_at: ifUnchanged('resolved_at'),
          reason: ifUnchanged('reason'),
        }
      }),
    )
    .returning('resolved_at')
    .executeTakeFirstOrThrow()

/** A person has looked at a difference and says why it may stay. Returns false if there is no such open difference. */
export async function resolveDifference(
  { db, now }: Context,
  { reference, kind, reason, who }: Key & { reason: string; who: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('difference')
    .set({ resolved_at: now(), reason, resolved_by: who })
    .where('reference', '=', reference)
    .where('kind', '=', kind)
    .where('cleared_at', 'is', null)
    .where('resolved_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0
}

/** All differences of a payment that are not cleared, resolved ones included. */
export const differencesOf = (db: Db, reference: string) =>
  uncleared(db).selectAll().where('reference', '=', reference).orderBy('kind').execute()

type Key = Pick<Difference, 'reference' | 'kind'>
const keyOf = ({ reference, kind }: Key) => `${reference} ${kind}`

const uncleared = (db: Db) => db.selectFrom('difference').where('cleared_at', 'is', null)

/** How many differences are neither cleared nor resolved. */
export async function openDifferences({ db }: Pick<World, 'db'>): Promise<number> {
  const query = uncleared(db)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('resolved_at', 'is', null)
  return Number((await query.executeTakeFirstOrThrow()).count)
}

/** Members without a payment that an earlier comparison found. */
export const knownUnpaidMembers = ({ db }: Pick<World, 'db'>) =>
  uncleared(db).select('reference').where('kind', '=', 'member unpaid').execute()
