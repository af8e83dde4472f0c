import { sql } from 'kysely'
import { type Db, inTransaction } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'

/**
 * The versions of the legal documents. `legal_document` has what is live, and every reader takes it from there; a text that
 * was live once stays in `legal_version` for ever.
 */

type Context = { db: Db; now: () => Date }
type NewText = { document_id: number; title: string; sha256: string }

/** Makes a stored text the live one, with the next number. Lock the document before. */
export async function publishText(
  db: Db,
  { document_id, title, sha256 }: NewText,
  { published_at, published_by }: { published_at: Date; published_by: string },
): Promise<number> {
  const { version } = await db
    .updateTable('legal_document')
    .set(({ eb }) => ({ title, sha256, version: eb('version', '+', 1) }))
    .where('id', '=', document_id)
    .returning('version')
    .executeTakeFirstOrThrow()
  await keepVersion(db, { document_id, version, title, sha256, published_at, published_by })
  return version
}

export const keepVersion = (db: Db, version: Tables['legal_version']) =>
  db
    .insertInto('legal_version')
    .values(version)
    .onConflict((conflict) => conflict.doNothing())
    .execute()

export const lockDocument = (db: Db, document_id: number) =>
  db.selectFrom('legal_document').selectAll().where('id', '=', document_id).forUpdate().executeTakeFirst()

/**
 * Publishes what is due. Every worker looks at least every five seconds, so a scheduled text is live everywhere within
 * seconds; the lock on the document lets one of them do it.
 */
export async function publishScheduled({ db, now }: Context): Promise<number> {
  const { rows: due } = await sql<{ document_id: number }>`
    select document_id from scheduled_document where publish_at <= ${now()} order by publish_at`.execute(db)
  let count = 0
  for (const { document_id } of due) count += await publishOne({ db, now }, document_id)
  return count
}

const publishOne = ({ db, now }: Context, document_id: number): Promise<number> =>
  inTransaction(db, async (db) => {
    await lockDocument(db, document_id)
    const scheduled = await db
      .deleteFrom('scheduled_document')
      .where('document_id', '=', document_id)
      .where('publish_at', '<=', now())
      .returningAll()
      .executeTakeFirst()
    if (!scheduled) return 0
    await publishText(db, scheduled, { published_at: now(), published_by: scheduled.scheduled_by })
    return 1
  })
