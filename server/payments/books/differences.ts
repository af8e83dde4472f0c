import { type Db, inTransaction } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import type { World } from '#server/world.ts'

/** What the gateway's books and ours do not agree on, in words for the operator. */
export type Difference = Pick<Tables['difference'], 'reference' | 'kind' | 'transaction_id' | 'ours' | 'theirs'>

type Named = { reference: string; transaction_id?: string | null }
type Make = (kind: string, of: Named, ours: string, theirs: string) => Difference
export const difference: Make = (kind, { reference, transaction_id = null }, ours, theirs) => ({
  reference,
  kind,
  transaction_id,
  ours,
  theirs,
})

type Place = Pick<World, 'db' | 'now'>

/** New ones are written, known ones brought up to date, and those that were compared and are gone are cleared. */
export const recordDifferences = ({ db, now }: Place, found: Difference[], compared: { reference: string }[]) =>
  inTransaction(db, async (db) => {
    for (const each of found) await write(db, { ...each, found_at: now(), cleared_at: null })
    const still = new Set(found.map(nameOf))
    const looked = new Set(compared.map(({ reference }) => reference))
    const open = await uncleared(db).select(['reference', 'kind']).execute()
    for (const each of open.filter((each) => looked.has(each.reference) && !still.has(nameOf(each))))
      await db
        .updateTable('difference')
        .set({ cleared_at: now() })
        .where('reference', '=', each.reference)
        .where('kind', '=', each.kind)
        .execute()
  })

const write = (db: Db, { found_at, ...row }: Tables['difference']) =>
  db
    .insertInto('difference')
    .values({ ...row, found_at })
    .onConflict((clash) => clash.columns(['reference', 'kind']).doUpdateSet(row))
    .execute()

const nameOf = ({ reference, kind }: { reference: string; kind: string }) => `${reference} ${kind}`

const uncleared = (db: Db) => db.selectFrom('difference').where('cleared_at', 'is', null)

/** How many nobody has cleared yet. */
export async function openDifferences({ db }: Pick<World, 'db'>): Promise<number> {
  const counted = uncleared(db).select((select) => select.fn.countAll<number>().as('count'))
  return Number((await counted.executeTakeFirstOrThrow()).count)
}

/** Members without a payment whom an earlier comparison has found. */
export const knownUnpaidMembers = ({ db }: Pick<World, 'db'>) =>
  uncleared(db).select('reference').where('kind', '=', 'member unpaid').execute()
