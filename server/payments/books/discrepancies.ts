import { type Db, inTransaction } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import { addEvent } from '#server/events/events.ts'
import type { World } from '#server/world/world.ts'
import { chargePayload } from '../payments.ts'

/** Something on which the gateway's books and our journal disagree, described for the operator. */
export type Discrepancy = Pick<Tables['difference'], 'reference' | 'kind' | 'transaction_id' | 'ours' | 'theirs'>

export const newDiscrepancy = (
  kind: string,
  { reference, transaction_id = null }: { reference: string; transaction_id?: string | null },
  ours: string,
  theirs: string,
): Discrepancy => ({ reference, kind, transaction_id, ours, theirs })

type Context = Pick<World, 'db' | 'now'>

/**
 * Inserts new discrepancies, updates known ones, and clears those that were compared again and are gone. Returns those
 * that nobody has resolved.
 */
export const recordDiscrepancies = (
  { db, now }: Context,
  discrepancies: Discrepancy[],
  compared: { reference: string }[],
) =>
  inTransaction(db, async (db) => {
    const unresolved: Discrepancy[] = []
    for (const discrepancy of discrepancies)
      if (!(await upsert(db, discrepancy, now())).resolved_at) unresolved.push(discrepancy)
    const stillThere = new Set(discrepancies.map(keyOf))
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

/** A known discrepancy keeps the time when it was first found, and stays resolved while the gateway says the same. */
const upsert = (db: Db, discrepancy: Discrepancy, found_at: Date) =>
  db
    .insertInto('difference')
    .values({ ...discrepancy, found_at, cleared_at: null })
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
          ...discrepancy,
          cleared_at: null,
          resolved_at: ifUnchanged('resolved_at'),
          reason: ifUnchanged('reason'),
        }
      }),
    )
    .returning('resolved_at')
    .executeTakeFirstOrThrow()

type Resolution = Key & { reason: string; who: string; is_lost?: boolean }

/** A person has looked at a discrepancy and says why it may stay. Returns false if there is no such open one. */
export const resolveDiscrepancy = (
  { db, now }: Context,
  { reference, kind, reason, who, is_lost = false }: Resolution,
): Promise<boolean> =>
  inTransaction(db, async (db) => {
    const { numUpdatedRows } = await db
      .updateTable('difference')
      .set({ resolved_at: now(), reason, resolved_by: who, is_lost })
      .where('reference', '=', reference)
      .where('kind', '=', kind)
      .where('cleared_at', 'is', null)
      .where('resolved_at', 'is', null)
      .executeTakeFirst()
    if (numUpdatedRows && is_lost) await addLostDisputeEvent({ db, now }, reference)
    return numUpdatedRows > 0
  })

async function addLostDisputeEvent({ db, now }: Pick<Context, 'db' | 'now'>, reference: string) {
  const payment = await db
    .selectFrom('payment')
    .leftJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .select(['reference', 'period', 'amount_cents', 'member.id as member_id'])
    .where('reference', '=', reference)
    .executeTakeFirst()
  if (!payment) return
  const payload = { ...chargePayload(payment), outcome: 'lost' as const }
  await addEvent(db, now(), { type: 'dispute.closed', member_id: payment.member_id, payload })
}

/** All discrepancies of a payment that are not cleared, resolved ones included. */
export const discrepanciesOf = (db: Db, reference: string) =>
  uncleared(db).selectAll().where('reference', '=', reference).orderBy('kind').execute()

type Key = Pick<Discrepancy, 'reference' | 'kind'>
const keyOf = ({ reference, kind }: Key) => `${reference} ${kind}`

const uncleared = (db: Db) => db.selectFrom('difference').where('cleared_at', 'is', null)

/** How many discrepancies are neither cleared nor resolved. */
export async function openDiscrepancies({ db }: Pick<World, 'db'>): Promise<number> {
  const query = uncleared(db)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('resolved_at', 'is', null)
  return Number((await query.executeTakeFirstOrThrow()).count)
}

/** Members without a payment that an earlier comparison found. */
export const knownUnpaidMembers = ({ db }: Pick<World, 'db'>) =>
  uncleared(db).select('reference').where('kind', '=', 'member unpaid').execute()
