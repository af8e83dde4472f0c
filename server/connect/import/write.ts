import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type OperatorNames, operatorNames } from '#server/brand/public-names.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import { type NewEvent, newEvent } from '#server/events/events.ts'
import { newJob } from '#server/jobs/queue.ts'
import { claimsOf } from '#server/members/claims.ts'
import { followRenames } from '#server/sponsors/sponsors.ts'
import { dayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { type ImportedRows, importedRows, type Line, type Offer } from './rows.ts'

type Import = Tables['member_import']

const MEMBERS_AT_ONCE = 500

/**
 * Writes the next members, sponsors before those they brought, in one transaction: after a crash, a line is either a member or
 * still waiting. Returns how many lines it took.
 */
export async function writeNext(world: World, import_id: string): Promise<number> {
  const ours = await operatorNames(world)
  return inTransaction(world.db, async (db) => {
    const file = await lockImport(db, import_id)
    if (file?.state !== 'writing') return 0
    const lines = await nextLines(db, import_id)
    if (lines.length) await writeLines({ ...world, db, ours }, file, lines)
    return lines.length
  })
}

/** Two processes that write the same file take turns. */
export const lockImport = (db: Db, import_id: string) =>
  db.selectFrom('member_import').selectAll().where('id', '=', import_id).forUpdate().executeTakeFirst()

/** Locked: an erasure deletes the person's line before it frees the address, so one of us waits for the other. */
const nextLines = (db: Db, import_id: string) =>
  db
    .selectFrom('import_line')
    .select(['line', 'username', 'email', 'external_id', 'sponsor_site', 'parent_line', 'answers'])
    .where('import_id', '=', import_id)
    .where('state', '=', sql.lit('new'))
    .orderBy('depth')
    .orderBy('line')
    .limit(MEMBERS_AT_ONCE)
    .forUpdate()
    .execute()
type StagedLine = Line & Pick<Tables['import_line'], 'sponsor_site' | 'parent_line'>
type WorldOf = World & { ours: OperatorNames }

async function writeLines(world: WorldOf, file: Import, lines: StagedLine[]) {
  const { db } = world
  const now = world.now()
  const sponsors = await findSponsors(db, [...new Set(lines.map(({ sponsor_site }) => sponsor_site))])
  const offers = await findOffers(db, [...new Set(lines.map(({ answers }) => answers.product_id))])
  const named = lines.map((line) => ({ ...line, enrollment_id: randomUUID() }))
  const taken = await claimNames(db, named)
  const written: ImportedMember[] = []
  const failed: (Failure & { enrollment_id: string })[] = []
  for (const { enrollment_id, ...line } of named) {
    const found = sponsors.get(line.sponsor_site)
    // A sponsor who is a line of this file is the member it has become: someone else may have the name by now.
    const sponsor = line.parent_line === null || found?.import_id === file.id ? found : undefined
    const offer = offers.get(line.answers.product_id)
    const column_name = taken.get(enrollment_id) ?? (sponsor ? 'product_id' : 'sponsor')
    if (!sponsor || !offer || taken.has(enrollment_id)) {
      failed.push({ enrollment_id, line: line.line, column_name, problem: failures[column_name] })
      continue
    }
    const rows = importedRows(world, { ...line, enrollment_id }, offer, sponsor)
    sponsors.set(line.username, { ...rows.sponsor, import_id: file.id }) // for those below, who may be in this batch
    written.push({ ...line, rows })
  }
  await releaseNames(db, failed)
  await insertMembers(world, file, written, now)
  await closeLines(db, file, { written, failed })
}

const failures = {
  username: 'was taken while we imported the file.',
  email: 'was taken while we imported the file.',
  sponsor: 'was not imported.',
  product_id: 'is no longer a package.',
}
type ImportedMember = Line & { rows: ImportedRows }
type Failure = { line: number; column_name: string; problem: string }

/** Every table in one statement, parents before children: a member's sponsor may be in the same batch. */
async function insertMembers(world: WorldOf, file: Import, members: ImportedMember[], now: Date) {
  if (!members.length) return
  const { db } = world
  const tables = [
    'enrollment',
    'sponsor',
    'member',
    'membership',
    'period',
    'orders',
    'order_line',
    'sponsor_touch',
  ] as const
  for (const table of tables)
    await insertRows(
      db,
      table,
      members.map(({ rows }) => rows[table] ?? {}),
    )
  const marks = members.map(({ rows }) => ({
    member_id: rows.member.id,
    import_id: file.id,
    imported_at: now,
    invited_at: file.is_inviting ? now : null,
  }))
  await insertRows(db, 'imported_member', marks)
  const named = members.filter(({ external_id }) => external_id)
  await insertRows(
    db,
    'external_id',
    named.map(({ external_id, rows }) => ({
      connection: file.connection,
      value: external_id,
      member_id: rows.member.id,
    })),
  )
  await insertRows(
    db,
    'new_event',
    members.flatMap(({ rows }) => eventsOf(world, rows)),
  )
  if (file.is_inviting)
    await insertRows(
      db,
      'job',
      members.map(({ rows }) => ({ ...newJob('invitation', { member_id: rows.member.id }, now), tries: 0 })),
    )
}

/** Tells other systems that someone joined, and what the file says about the membership. */
function eventsOf(world: WorldOf, { member, membership, period, order_line }: ImportedRows) {
  const { id: member_id, sponsor_id, cancelled_at, ends_at } = member
  const product_ids = [order_line.product_id]
  const events: NewEvent[] = [
    { type: 'member.joined', member_id, payload: { sponsor_id, product_ids, amount: '0.00', imported: true } },
  ]
  if (period.state === 'waived') {
    const { n, starts_on, ends_on } = period
    events.push({ type: 'renewal.waived', member_id, payload: { period: n, starts_on, ends_on, state: 'active' } })
  }
  if (cancelled_at) {
    const ends_on = ends_at && dayOf(world, ends_at)
    events.push({ type: 'membership.canceled', member_id, payload: { ends_on, state: 'canceled' } })
  }
  if (membership.state === 'ended') {
    const why = cancelled_at ? 'canceled' : 'unpaid'
    events.push({ type: 'membership.ended', member_id, payload: { why, state: 'ended' } })
  }
  return events.map((event) => newEvent(event, world.now()))
}

/** One parameter, however many rows. A column that a row doesn't have is null. */
async function insertRows(db: Db, table: keyof Tables, rows: object[]) {
  const [first] = rows
  if (!first) return
  const columns = sql.join(Object.keys(first).map((name) => sql.ref(name)))
  await sql`
    insert into ${sql.table(table)} (${columns})
    select ${columns} from jsonb_populate_recordset(cast(null as ${sql.table(table)}), cast(${JSON.stringify(rows.map(parsed))} as jsonb))
    ${table === 'external_id' ? sql`on conflict do nothing` : sql``}`.execute(db)
}

/** Columns of JSON are text in a row, and values in this list. */
const parsed = (row: object) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      isJson(name) && typeof value === 'string' ? JSON.parse(value) : value,
    ]),
  )
const isJson = (name: string) => name === 'lines' || name === 'payload'

/** The enrollments that didn't get both names, with the one that is taken. */
async function claimNames(
  db: Db,
  lines: (Line & { enrollment_id: string })[],
): Promise<Map<string, 'username' | 'email'>> {
  const claims = lines.flatMap(({ enrollment_id, username, answers }) =>
    claimsOf(enrollment_id, { username, email: answers.email }),
  )
  const { rows: granted } = await sql<{ kind: string; enrollment_id: string }>`
    insert into claim (kind, value, enrollment_id)
    select kind, value, enrollment_id from jsonb_populate_recordset(cast(null as claim), cast(${JSON.stringify(claims)} as jsonb))
    order by kind, value
    on conflict do nothing returning kind, enrollment_id`.execute(db)
  const got = new Set(granted.map(({ kind, enrollment_id }) => `${kind} ${enrollment_id}`))
  const lost = claims.filter(({ kind, enrollment_id }) => !got.has(`${kind} ${enrollment_id}`))
  return new Map(lost.map(({ kind, enrollment_id }) => [String(enrollment_id), kind]))
}

/** Frees the names that a line did get, if it can't be written. */
async function releaseNames(db: Db, failed: { enrollment_id: string }[]) {
  const ids = failed.map(({ enrollment_id }) => enrollment_id)
  if (ids.length) await db.deleteFrom('claim').where('enrollment_id', 'in', ids).execute()
}

/** By the word in the file. A renamed site leads to its new one. */
async function findSponsors(db: Db, sites: string[]): Promise<Map<string, Sponsor>> {
  const rows = await db
    .selectFrom('sponsor')
    .leftJoin('imported_member', 'imported_member.member_id', 'sponsor.member_id')
    .select(['id', 'site', 'renamed_to', 'import_id'])
    .where('site', 'in', sites)
    .execute()
  const found = new Map<string, Sponsor>()
  for (const row of rows) {
    const sponsor = row.renamed_to ? await followRenames(db, row.site) : row
    if (sponsor) found.set(row.site, { id: sponsor.id, site: sponsor.site, import_id: row.import_id })
  }
  return found
}
type Sponsor = { id: string; site: string; import_id: string | null }

async function findOffers(db: Db, ids: number[]): Promise<Map<number, Offer>> {
  const offers = await db
    .selectFrom('package')
    .select(['product_id', 'name', 'billing_interval'])
    .where('product_id', 'in', ids)
    .execute()
  return new Map(offers.map((offer) => [offer.product_id, offer]))
}

/** A line that has become a member is deleted, with the name and address in it. */
async function closeLines(
  db: Db,
  file: Import,
  { written, failed }: { written: Line[]; failed: (Failure & { enrollment_id: string })[] },
) {
  const numbers = [...written, ...failed].map(({ line }) => line)
  await db.deleteFrom('import_line').where('import_id', '=', file.id).where('line', 'in', numbers).execute()
  if (failed.length)
    await db
      .insertInto('import_problem')
      .values(failed.map(({ enrollment_id: _, ...row }) => ({ import_id: file.id, ...row })))
      .execute()
  await db
    .updateTable('member_import')
    .set({ added: file.added + written.length, problems: file.problems + failed.length })
    .where('id', '=', file.id)
    .execute()
}
