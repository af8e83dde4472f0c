import { type Db, inTransaction } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import type { World } from '#server/world.ts'

/** Something on which the gateway's books and our journal disagree, described for the operator. */
export type Difference = Pick<Tables['difference'], 'reference' | 'kind' | 'transaction_id' | 'ours' | 'theirs'>

export const newDifference = (
  kind: string,
  { reference, transaction_id = null }: { reference: string; transaction_id?: string | null },
  ours: string,
  theirs: string,
): Difference => ({ reference, kind, transaction_id, ours, theirs })

type Context = Pick<World, 'db' | 'now'>

/** Inserts new differences, updates known ones, and clears those that were compared again and are gone. */
export const recordDifferences = ({ db, now }: Context, differences: Difference[], compared: { reference: string }[]) =>
  inTransaction(db, async (db) => {
    for (const difference of differences) await upsert(db, { ...difference, found_at: now(), cleared_at: null })
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
  })

/** A known difference keeps the time when it was first found. */
const upsert = (db: Db, { found_at, ...row }: Tables['difference']) =>
  db
    .insertInto('difference')
    .values({ ...row, found_at })
    .onConflict((conflict) => conflict.columns(['reference', 'kind']).doUpdateSet(row))
    .execute()

type Key = Pick<Difference, 'reference' | 'kind'>
const keyOf = ({ reference, kind }: Key) => `${reference} ${kind}`

const uncleared = (db: Db) => db.selectFrom('difference').where('cleared_at', 'is', null)

/** How many differences are not cleared yet. */
export async function openDifferences({ db }: Pick<World, 'db'>): Promise<number> {
  const query = uncleared(db).select(({ fn }) => fn.countAll<number>().as('count'))
  return Number((await query.executeTakeFirstOrThrow()).count)
}

/** Members without a payment that an earlier comparison found. */
export const knownUnpaidMembers = ({ db }: Pick<World, 'db'>) =>
  uncleared(db).select('reference').where('kind', '=', 'member unpaid').execute()
