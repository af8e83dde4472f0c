import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { CurrentImport, ImportView } from '#contract/console/import.ts'
import { groupOf } from '#contract/packages.ts'
import { type Actor, recordAction } from '#server/audit/audit.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import { addJob } from '#server/jobs/queue.ts'
import { Refusal } from '#server/refusal.ts'
import { todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { checkedShare, checkNext } from './checks.ts'
import type { CsvRecord } from './csv.ts'
import { type LineContext, type Problem, readHeader, readLine, type StagedLine } from './lines.ts'
import { lockImport, writeNext } from './write.ts'

/**
 * Imports members from another system: a file is read line by line into rows, checked as a whole, and, only if nothing is
 * wrong, written, a few hundred members at a time. A second run of the same file finds everyone and changes nothing.
 */

type Import = Tables['member_import']
type Context = Pick<World, 'config' | 'db' | 'now'>

/** An abandoned file is deleted after a day. */
const KEPT_MS = 24 * 3_600_000
const expiry = ({ now }: Pick<World, 'now'>) => new Date(now().getTime() + KEPT_MS)

/** One file at a time: deletes the rows of earlier files, unless one is being written. */
export const beginImport = (world: Context, connection: string): Promise<string> =>
  inTransaction(world.db, async (db) => {
    await sql`lock table member_import in share update exclusive mode`.execute(db) // lets a file that is being checked end its part
    if (await findWriting(db)) throw new Refusal(409, 'Another file is being imported. Please wait until it’s done.')
    await db.deleteFrom('member_import').execute()
    const id = randomUUID()
    await db
      .insertInto('member_import')
      .values({
        id,
        connection,
        state: 'reading',
        ...{ step: 0, reached: 0, pieces: 0, lines: 0, last_line: 0, problems: 0, existing: 0, added: 0 },
        is_inviting: false,
        started_by: null,
        created_at: world.now(),
        expires_at: expiry(world),
      })
      .execute()
    return id
  })

/** What the rules of a line need to know. It may be the next day by the time the file is written; that moves no renewal. */
export async function lineContext(world: Context): Promise<LineContext> {
  const packages = await world.db
    .selectFrom('package')
    .select(['product_id', 'renewal_cents', 'is_recurring', 'is_special', 'withdrawn_at'])
    .where('billing_interval', '<>', 'once')
    .where('renewal_cents', '>', 0)
    .orderBy('position')
    .orderBy('product_id')
    .execute()
  const starter = packages.find((each) => !each.withdrawn_at && groupOf(each) === 'starter')
  return {
    today: todayOf(world),
    packages: new Map(packages.map((each) => [each.product_id, each])),
    default_product_id: starter?.product_id,
  }
}

type Piece = { header: string[]; records: CsvRecord[]; piece: number }

/** Checks each line by itself, and stages the valid ones. A piece that arrives twice is added once. */
export const addLines = (world: Context, import_id: string, { header, records, piece }: Piece, context: LineContext) =>
  inTransaction(world.db, async (db) => {
    const file = await requireImport(db, import_id, 'reading')
    if (piece < file.pieces) return
    if (piece > file.pieces) throw new Refusal(409, 'A part of the file is missing. Please choose the file again.')
    const columns = readHeader(header)
    const lines: object[] = []
    const problems: (Problem & { line: number })[] = []
    for (const { line, cells } of records) {
      const read = readLine(columns, cells, context)
      if (Array.isArray(read)) problems.push(...read.map((problem) => ({ line, ...problem })))
      else lines.push(stagedRow(import_id, line, read))
    }
    await insertLines(db, lines)
    await insertProblems(db, import_id, problems)
    await db
      .updateTable('member_import')
      .set({
        pieces: piece + 1,
        lines: file.lines + records.length,
        last_line: records.at(-1)?.line ?? file.last_line,
        expires_at: expiry(world),
      })
      .where('id', '=', import_id)
      .execute()
  })

const stagedRow = (import_id: string, line: number, read: StagedLine) => ({ import_id, line, state: 'new', ...read })

const insertLines = (db: Db, lines: object[]) =>
  sql`
    insert into import_line (import_id, line, state, username, email, external_id, sponsor_site, answers)
    select import_id, line, state, username, email, external_id, sponsor_site, answers
    from jsonb_populate_recordset(cast(null as import_line), cast(${JSON.stringify(lines)} as jsonb))`.execute(db)

const insertProblems = (db: Db, import_id: string, problems: (Problem & { line: number })[]) =>
  sql`
    insert into import_problem (import_id, line, column_name, problem)
    select cast(${import_id} as uuid), line, column_name, problem
    from jsonb_populate_recordset(cast(null as import_problem), cast(${JSON.stringify(problems)} as jsonb))
    on conflict do nothing`.execute(db)

/** The command line continues by itself; for staff, a job does. */
const goOn = async ({ db, now }: Context, import_id: string, { id }: Actor): Promise<void> => {
  if (id) await addJob(db, 'import', { import_id }, now())
}

export const startChecking = (world: Context, import_id: string, actor: Actor) =>
  inTransaction(world.db, async (db) => {
    await requireImport(db, import_id, 'reading')
    await change(db, import_id, { state: 'checking', step: 0, reached: 0, expires_at: expiry(world) })
    await goOn({ ...world, db }, import_id, actor)
  })

type Start = { is_inviting: boolean; actor: Actor }

/** Only a file without a single problem. */
export const startWriting = (world: World, import_id: string, { is_inviting, actor }: Start) =>
  inTransaction(world.db, async (db) => {
    const { problems, lines, existing, connection } = await requireImport(db, import_id, 'checked')
    if (problems) throw new Refusal(409, 'This file has problems. Fix them and choose it again.')
    const started_by = actor.id ?? actor.role
    await change(db, import_id, { is_inviting, started_by, state: 'writing', expires_at: expiry(world) })
    await goOn({ ...world, db }, import_id, actor)
    const after = { connection, members: lines - existing, is_inviting }
    await recordAction(
      { ...world, db },
      { act: 'start_import', actor, subject_kind: 'import', subject: import_id, after },
    )
  })

/** An import that a crash has interrupted. */
export const findWriting = async (db: Db) =>
  (await db.selectFrom('member_import').select('id').where('state', '=', 'writing').executeTakeFirst())?.id

/** Deletes what was read, or stops writing. Members already written stay. */
export const discardImport = (world: World, import_id: string, actor: Actor) =>
  inTransaction(world.db, async (db) => {
    const file = await lockImport(db, import_id)
    if (file?.state !== 'writing') return deleteImport(db, import_id)
    await finish(db, file, 'stopped')
    const after = { members: file.added }
    await recordAction(
      { ...world, db },
      { act: 'stop_import', actor, subject_kind: 'import', subject: import_id, after },
    )
  })

export const deleteImport = async (db: Db, import_id: string): Promise<void> => {
  await db.deleteFrom('member_import').where('id', '=', import_id).execute()
}

/** Does the next part of checking or writing. False: there is nothing more to do. */
export async function continueImport(world: World, import_id: string): Promise<boolean> {
  const state = await inTransaction(world.db, async (db) => {
    const file = await lockImport(db, import_id)
    if (file?.state !== 'checking') return file?.state
    const next = await checkNext(db, file)
    if (next) await change(db, import_id, { ...next, expires_at: expiry(world) })
    else await change(db, import_id, { state: 'checked', ...(await countChecked(db, import_id)) })
    return next ? file.state : 'checked'
  })
  if (state === 'checking') return true
  if (state !== 'writing') return false
  if (await writeNext(world, import_id)) return true
  await inTransaction(world.db, async (db) => {
    const file = await lockImport(db, import_id)
    if (file?.state === 'writing') await finish(db, file, 'done')
  })
  await updateStatistics(world.db)
  return false
}

/** The embedded database doesn't do this by itself. */
const updateStatistics = (db: Db) =>
  sql`analyze claim, enrollment, member, sponsor, membership, period, orders, order_line, sponsor_touch`.execute(db)

async function countChecked(db: Db, import_id: string) {
  const count = async (table: 'import_line' | 'import_problem', state?: 'existing') => {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(table)}
      where import_id = ${import_id} ${state ? sql`and state = 'existing'` : sql``}`.execute(db)
    return Number(rows[0]?.count)
  }
  return { problems: await count('import_problem'), existing: await count('import_line', 'existing') }
}

/** Deletes names and addresses; the counts stay for the screen. */
async function finish(db: Db, { id }: Import, state: 'done' | 'stopped') {
  await db.deleteFrom('import_line').where('import_id', '=', id).execute()
  await change(db, id, { state })
}

const change = (db: Db, id: string, values: Partial<Import>) =>
  db.updateTable('member_import').set(values).where('id', '=', id).execute()

async function requireImport(db: Db, import_id: string, state: Import['state']): Promise<Import> {
  const file = await lockImport(db, import_id)
  if (!file) throw new Refusal(404, 'This file was deleted. Please choose it again.')
  if (file.state !== state) throw new Refusal(409, 'This import has moved on. Please reload the page.')
  return file
}

export async function viewImport(db: Db): Promise<CurrentImport> {
  const file = await db.selectFrom('member_import').selectAll().orderBy('created_at', 'desc').executeTakeFirst()
  return { ...(file ? { import: toView(file) } : {}), may_invite: await hasUninvited(db) }
}

const toView = (file: Import): ImportView => {
  const { id, connection, state, lines, problems, existing, added, is_inviting } = file
  const share =
    state === 'checking' ? checkedShare(file) : state === 'writing' ? added / Math.max(1, lines - existing) : 0
  return { id, connection, state, percent: Math.floor(share * 100), lines, problems, existing, added, is_inviting }
}

const hasUninvited = async (db: Db) =>
  Boolean(
    await db
      .selectFrom('imported_member')
      .innerJoin('member', 'member.id', 'imported_member.member_id')
      .select('member.id')
      .where('invited_at', 'is', null)
      .where('password_hash', '=', '')
      .where('erased_at', 'is', null)
      .limit(1)
      .executeTakeFirst(),
  )

const PROBLEMS_AT_ONCE = 100

/** The bad lines in the order of the file, from the line after `after`. */
export async function listProblems(db: Db, import_id: string, after = 0, limit = PROBLEMS_AT_ONCE) {
  const problems = await db
    .selectFrom('import_problem')
    .select(['line', 'column_name', 'problem'])
    .where('import_id', '=', import_id)
    .where('line', '>', after)
    .orderBy('line')
    .orderBy('column_name')
    .limit(limit + MOST_OF_A_LINE)
    .execute()
  const last = problems.length > limit ? problems[limit - 1]?.line : undefined
  return last === undefined ? { problems } : { problems: problems.filter(({ line }) => line <= last), next: last }
}
/** Of one line, so a page ends with a whole one. */
const MOST_OF_A_LINE = 30

/** Erasing a person also deletes their waiting lines, before their address is free again: see writeNext. */
export async function eraseStaged(db: Db, { emails, member_id }: { emails: string[]; member_id: string }) {
  await sql`
    delete from import_line where username in (select site from sponsor where member_id = ${member_id}) or email in (${sql.join(emails.length ? emails : [''])})
      or external_id in (select value from external_id where member_id = ${member_id})`.execute(db)
}

/** Abandoned files. */
export const deleteOldImports = ({ db, now }: Pick<World, 'db' | 'now'>) =>
  db.deleteFrom('member_import').where('expires_at', '<', now()).execute()

/** Emails every imported member without a password a link to set one. */
export const inviteImported = (world: World, actor: Actor) =>
  inTransaction(world.db, async (db) => {
    await addJob(db, 'invite_imported', {}, world.now())
    await recordAction({ ...world, db }, { act: 'invite_imported', actor, subject_kind: 'import', subject: 'members' })
  })

/** Marks some of those who can't sign in yet, and emails them a link. Returns how many. */
export const inviteSome = ({ db, now }: Context): Promise<number> =>
  inTransaction(db, async (db) => {
    const { rows } = await sql<{ count: number }>`
      with chosen as (
        select imported_member.member_id from imported_member join member on member.id = imported_member.member_id
        where invited_at is null and password_hash = '' and erased_at is null limit ${sql.lit(INVITED_AT_ONCE)}
        for update of imported_member skip locked),
      marked as (update imported_member set invited_at = ${now()} where member_id in (select member_id from chosen) returning member_id),
      added as (
        insert into job (id, kind, payload, run_at)
        select gen_random_uuid(), 'invitation', jsonb_build_object('member_id', member_id), cast(${now()} as timestamptz) from marked returning id)
      select count(*) as count from added`.execute(db)
    return Number(rows[0]?.count)
  })
const INVITED_AT_ONCE = 2_000
