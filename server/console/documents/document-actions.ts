import type * as z from 'zod/mini'
import type { Staff } from '#contract/console/access.ts'
import type { consoleDocumentCalls, DocumentPage } from '#contract/console/documents.ts'
import { AT_CHECKOUT, isShownAtCheckout } from '#contract/legal.ts'
import { recordAction } from '#server/audit/audit.ts'
import { storeText } from '#server/catalog/catalog.ts'
import { keepVersion } from '#server/catalog/documents.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { Refusal, refuseFields } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import { NO_DOCUMENT, previewDocument, requireNoneScheduled, viewDocument } from './documents.ts'

type Input<Name extends keyof typeof consoleDocumentCalls> = z.infer<(typeof consoleDocumentCalls)[Name]['input']>

/** Locks them all, so that two at once cannot withdraw the last two, or add one under the same number. */
const lockDocuments = (db: Db) => db.selectFrom('legal_document').selectAll().orderBy('id').forUpdate().execute()

/** A new document is version 1, and everybody who has not paid yet must accept it from now on. */
export async function addDocument(world: World, input: Input<'addDocument'>, staff: Staff): Promise<DocumentPage> {
  const { title } = input
  const { content, sha256 } = await previewDocument(input)
  if (!content) throw refuseFields({ content: 'Nothing of this text can be shown.' })
  const id = await inTransaction(world.db, async (db) => {
    await lockDocuments(db)
    const { rows, isTaken } = await knownTitles(db, title)
    if (isTaken) throw refuseFields({ title: 'There is a document with this title. Write a new version of it.' })
    const id = Math.max(0, ...rows.map(({ id }) => id)) + 1
    const version = 1
    await storeText(db, sha256, content)
    await db
      .insertInto('legal_document')
      .values({ id, version, title, sha256, status: 'active', display_on_checkout: [AT_CHECKOUT] })
      .execute()
    await keepVersion(db, {
      document_id: id,
      version,
      title,
      sha256,
      published_at: world.now(),
      published_by: staff.email,
    })
    await recordAction(
      { ...world, db },
      {
        act: 'add_document',
        actor: staff,
        subject_kind: 'document',
        subject: String(id),
        after: { title, version, sha256 },
      },
    )
    return id
  })
  return viewDocument(world, id)
}

/** Read after the lock, so that a document that was added meanwhile is among them. */
async function knownTitles(db: Db, title: string) {
  const rows = await db.selectFrom('legal_document').select(['id', 'title']).execute()
  return { rows, isTaken: rows.some((row) => row.title.toLowerCase() === title.toLowerCase()) }
}

/** Nobody is asked to accept it any more. What members accepted stays, with the text. */
export const withdrawDocument = (world: World, { document_id, reason }: Input<'withdrawDocument'>, staff: Staff) =>
  setStatus(world, { document_id, status: 'withdrawn', reason }, staff)

export const restoreDocument = (world: World, { document_id }: Input<'restoreDocument'>, staff: Staff) =>
  setStatus(world, { document_id, status: 'active' }, staff)

type Change = { document_id: number; status: 'active' | 'withdrawn'; reason?: string }

async function setStatus(world: World, { document_id, status, reason }: Change, staff: Staff): Promise<DocumentPage> {
  await inTransaction(world.db, async (db) => {
    const documents = await lockDocuments(db)
    const document = documents.find(({ id }) => id === document_id)
    if (!document) throw new Refusal(404, NO_DOCUMENT)
    if (document.status === status)
      throw new Refusal(409, `It is ${status === 'active' ? 'in force' : 'withdrawn'} already. Please reload the page.`)
    await requireNoneScheduled(db, document_id)
    const shown = documents.filter(isShownAtCheckout)
    if (status === 'withdrawn' && shown.length === 1 && shown[0]?.id === document_id)
      throw new Refusal(409, 'This is the last document that visitors accept. Add another one first.')
    await db.updateTable('legal_document').set({ status }).where('id', '=', document_id).execute()
    await recordAction(
      { ...world, db },
      {
        act: status === 'active' ? 'restore_document' : 'withdraw_document',
        actor: staff,
        reason,
        subject_kind: 'document',
        subject: String(document_id),
        before: { status: document.status },
        after: { status },
      },
    )
  })
  return viewDocument(world, document_id)
}
