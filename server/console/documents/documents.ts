import { sql } from 'kysely'
import type * as z from 'zod/mini'
import type { Staff } from '#contract/console/access.ts'
import type { CappedCount, consoleDocumentCalls, DocumentPage, DocumentRow } from '#contract/console/documents.ts'
import { isShownAtCheckout } from '#contract/legal.ts'
import { recordAction } from '#server/audit/audit.ts'
import { storeText } from '#server/catalog/catalog.ts'
import { lockDocument, publishText } from '#server/catalog/documents.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { Refusal, refuseField, refuseFields } from '#server/refusal.ts'
import { startOfDay, todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { formChanged } from '../form-version.ts'
import { keyOf, parseKey } from '../list-key.ts'

export async function listDocuments({ db }: Pick<World, 'db'>): Promise<DocumentRow[]> {
  const rows = await selectRows(db).orderBy('id').execute()
  return Promise.all(rows.map((row) => toRow(db, row)))
}

const selectRows = (db: Db) =>
  db
    .selectFrom('legal_document')
    .leftJoin('legal_version', (join) =>
      join.onRef('document_id', '=', 'id').onRef('legal_version.version', '=', 'legal_document.version'),
    )
    .leftJoin('scheduled_document', 'scheduled_document.document_id', 'id')
    .selectAll('legal_document')
    .select(['published_at', 'publish_at'])

type Row = Awaited<ReturnType<ReturnType<typeof selectRows>['execute']>>[number]

const toRow = async (db: Db, row: Row): Promise<DocumentRow> => {
  const { id, title, status, version, sha256, published_at, publish_at } = row
  return {
    id,
    title,
    status,
    version,
    sha256,
    is_at_checkout: isShownAtCheckout(row),
    ...(published_at ? { published_at: published_at.toISOString() } : {}),
    accepted: await countAcceptances(db, row),
    ...(publish_at ? { scheduled_at: publish_at.toISOString() } : {}),
  }
}

const MAX_COUNT = 10_000

/** Stops at some thousands, so that the time does not depend on how many members there are. */
async function countAcceptances(
  db: Db,
  text: { title: string; version: number; sha256: string },
): Promise<CappedCount> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select from acceptance
      where agreement = 'agreement_1' and sha256 = ${text.sha256} and version = ${text.version} and title = ${text.title}
      limit ${sql.lit(MAX_COUNT + 1)}) accepted`.execute(db)
  const count = Number(rows[0]?.count ?? 0)
  return { count: Math.min(count, MAX_COUNT), is_capped: count > MAX_COUNT }
}

export const NO_DOCUMENT = 'There is no such document.'
const MAX_VERSIONS = 100

export async function viewDocument({ db }: Pick<World, 'db'>, document_id: number): Promise<DocumentPage> {
  const row = await selectRows(db).where('id', '=', document_id).executeTakeFirst()
  if (!row) throw new Refusal(404, NO_DOCUMENT)
  const versions = await db
    .selectFrom('legal_version')
    .selectAll()
    .where('document_id', '=', document_id)
    .orderBy('version', 'desc')
    .limit(MAX_VERSIONS)
    .execute()
  const scheduled = await db
    .selectFrom('scheduled_document')
    .innerJoin('legal_text', 'legal_text.sha256', 'scheduled_document.sha256')
    .select(['title', 'content', 'publish_at', 'scheduled_by'])
    .where('document_id', '=', document_id)
    .executeTakeFirst()
  return {
    ...(await toRow(db, row)),
    content: await textOf(db, row.sha256),
    ...(scheduled ? { scheduled: { ...scheduled, publish_at: scheduled.publish_at.toISOString() } } : {}),
    versions: await Promise.all(
      versions.map(async ({ version, title, sha256, published_at, published_by }) => ({
        version,
        title,
        sha256,
        ...(published_at ? { published_at: published_at.toISOString() } : {}),
        ...(published_by ? { published_by } : {}),
        accepted: await countAcceptances(db, { title, version, sha256 }),
      })),
    ),
  }
}

const textOf = async (db: Db, sha256: string): Promise<string> =>
  (await db.selectFrom('legal_text').select('content').where('sha256', '=', sha256).executeTakeFirstOrThrow()).content

type AboutVersion = { document_id: number; version: number }

/** The text of a version and, to compare, of the one before. */
export async function viewVersion({ db }: Pick<World, 'db'>, { document_id, version }: AboutVersion) {
  const [found, before] = await db
    .selectFrom('legal_version')
    .innerJoin('legal_text', 'legal_text.sha256', 'legal_version.sha256')
    .select(['version', 'title', 'content'])
    .where('document_id', '=', document_id)
    .where('version', '<=', version)
    .orderBy('version', 'desc')
    .limit(2)
    .execute()
  if (found?.version !== version) throw new Refusal(404, 'There is no such version.')
  return { title: found.title, content: found.content, ...(before ? { before } : {}) }
}

const PAGE = 50

export async function listAcceptances({ db }: Pick<World, 'db'>, query: AboutVersion & { after?: string | undefined }) {
  const { document_id, version } = query
  const text = await db
    .selectFrom('legal_version')
    .select(['title', 'sha256'])
    .where('document_id', '=', document_id)
    .where('version', '=', version)
    .executeTakeFirst()
  if (!text) throw new Refusal(404, 'There is no such version.')
  const key = query.after ? parseKey(query.after) : undefined
  const { rows } = await sql<{
    id: string
    first_name: string
    last_name: string
    username: string
    accepted_at: Date
  }>`
    select member.id, first_name, last_name, username, accepted_at
    from acceptance join member on member.id = member_id
    where agreement = 'agreement_1' and sha256 = ${text.sha256} and version = ${version} and title = ${text.title}
      ${key ? sql`and (accepted_at, member_id) < (cast(${key[0]} as timestamptz), cast(${key[1]} as uuid))` : sql``}
    order by accepted_at desc, member_id desc limit ${sql.lit(PAGE + 1)}`.execute(db)
  const page = rows.slice(0, PAGE)
  const last = page.at(-1)
  return {
    members: page.map(({ id, first_name, last_name, username, accepted_at }) => ({
      id,
      name: `${first_name} ${last_name}`,
      username,
      accepted_at: accepted_at.toISOString(),
    })),
    ...(rows.length > PAGE && last ? { next: keyOf(last.accepted_at, last.id) } : {}),
  }
}

/** What would be stored, and so what visitors would see. */
export async function previewDocument({ content: html }: { content: string }) {
  const { cleanText, hashText } = await import('#server/catalog/document-text.ts')
  const content = cleanText(html)
  return { content, sha256: hashText(content) }
}

type NewVersion = z.infer<(typeof consoleDocumentCalls)['publishDocument']['input']>

/**
 * A new text or title is a new version with its own hash; what was published stays as it was. Visitors who have the old text
 * on their screen are asked to read the new one before they can pay.
 */
export async function publishDocument(world: World, input: NewVersion, staff: Staff): Promise<DocumentPage> {
  const { document_id, version, title, publish_on } = input
  const { content, sha256 } = await previewDocument(input)
  if (!content) throw refuseFields({ content: 'Nothing of this text can be shown.' })
  const publish_at = publish_on ? startOf(world, publish_on) : undefined
  await inTransaction(world.db, async (db) => {
    const live = await lockDocument(db, document_id)
    if (!live) throw new Refusal(404, NO_DOCUMENT)
    if (live.version !== version) throw formChanged()
    if (live.sha256 === sha256 && live.title === title)
      throw refuseFields({ content: `This is the text of version ${version}, word for word.` })
    await requireNoneScheduled(db, document_id)
    await storeText(db, sha256, content)
    if (publish_at)
      await db
        .insertInto('scheduled_document')
        .values({ document_id, title, sha256, publish_at, scheduled_by: staff.email })
        .execute()
    else await publishText(db, { document_id, title, sha256 }, { published_at: world.now(), published_by: staff.email })
    await recordAction(
      { ...world, db },
      {
        act: publish_at ? 'schedule_document' : 'publish_document',
        actor: staff,
        subject_kind: 'document',
        subject: String(document_id),
        before: { title: live.title, version, sha256: live.sha256 },
        after: { title, sha256, ...(publish_at ? { publish_at: publish_at.toISOString() } : { version: version + 1 }) },
      },
    )
  })
  return viewDocument(world, document_id)
}

function startOf(world: World, day: string): Date {
  const isDay = !Number.isNaN(Date.parse(day))
  if (!isDay || day <= todayOf(world)) throw refuseField('publish_on', 'Please choose a day after today.')
  return startOfDay(world.config.TIME_ZONE, day)
}

export async function requireNoneScheduled(db: Db, document_id: number) {
  const scheduled = await db
    .selectFrom('scheduled_document')
    .select('document_id')
    .where('document_id', '=', document_id)
    .executeTakeFirst()
  if (scheduled) throw new Refusal(409, 'Another text is scheduled. Take it back first.')
}

export async function unscheduleDocument(
  world: World,
  { document_id }: { document_id: number },
  staff: Staff,
): Promise<DocumentPage> {
  await inTransaction(world.db, async (db) => {
    await lockDocument(db, document_id)
    const scheduled = await db
      .deleteFrom('scheduled_document')
      .where('document_id', '=', document_id)
      .returningAll()
      .executeTakeFirst()
    if (!scheduled) throw new Refusal(409, 'Nothing is scheduled anymore. Please reload the page.')
    await recordAction(
      { ...world, db },
      {
        act: 'unschedule_document',
        actor: staff,
        subject_kind: 'document',
        subject: String(document_id),
        before: { title: scheduled.title, sha256: scheduled.sha256, publish_at: scheduled.publish_at.toISOString() },
      },
    )
  })
  return viewDocument(world, document_id)
}
