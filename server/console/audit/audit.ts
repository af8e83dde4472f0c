import { sql } from 'kysely'
import type { AuditFilter, AuditRow } from '#contract/console/audit.ts'
import { addDays } from '#contract/renewal.ts'
import { siteIn } from '#contract/site.ts'
import type { Db } from '#server/db/db.ts'
import { startOfDay } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'

const PAGE = 50
/** Enough to tell the networks of a staff apart. */
const SHOWN_NETWORK = 6

type Query = AuditFilter & { before?: string | undefined }

/** Newest first, without the seals of the security log. */
export async function listAudit(world: World, query: Query) {
  const found = await auditRows(world, query, PAGE + 1)
  const rows = found.slice(0, PAGE)
  return { rows, ...(found.length > PAGE ? { next: String(rows.at(-1)?.position) } : {}) }
}

/** Each filter follows its own index. Names are looked up now: the log itself holds ids. */
export async function auditRows(world: World, query: Query, limit: number): Promise<AuditRow[]> {
  const { db, config } = world
  const { before, staff, action, member, day } = query
  const member_id = member?.trim() ? await memberIdOf(db, member) : undefined
  if (member?.trim() && !member_id) return []
  let select = db
    .selectFrom('audit')
    .leftJoin('staff', 'staff.id', 'audit.staff_id')
    .selectAll('audit')
    .select('staff.name')
    .where('act', '<>', sql.lit('seal_events')) // a literal, because the index is partial
    .orderBy('position', 'desc')
    .limit(limit)
  if (before) select = select.where('position', '<', Number(before))
  if (staff) select = select.where('audit.staff_id', '=', staff)
  if (action) select = select.where('act', '=', action)
  if (member_id) select = select.where('subject_kind', '=', 'member').where('subject', '=', member_id)
  if (day)
    select = select
      .where('at', '>=', startOfDay(config.TIME_ZONE, day))
      .where('at', '<', startOfDay(config.TIME_ZONE, addDays(day, 1)))
  const rows = await select.execute()
  const names = await namesOf(db, rows)
  return rows.map((row): AuditRow => {
    const subject_name = names.get(`${row.subject_kind} ${row.subject}`)
    return {
      position: Number(row.position),
      at: row.at.toISOString(),
      kind: row.kind,
      act: row.act,
      ...actorOf(row, names),
      subject_kind: row.subject_kind,
      subject: row.subject,
      ...(subject_name ? { subject_name } : {}),
      ...JSON.parse(row.details ?? '{}'),
      is_erased: row.details === null,
      ...(row.network ? { network: row.network.slice(0, SHOWN_NETWORK) } : {}),
    }
  })
}

/** What an API key did is shown with the name of the key. */
function actorOf({ name, role }: { name: string | null; role: string }, names: Map<string, string>) {
  const id = keyIdOf(role)
  if (id) return { who: names.get(`api_key ${id}`) ?? 'An API key', role: 'API key' }
  return { who: name ?? (role === 'server' ? 'The server' : 'Command line'), role }
}

const keyIdOf = (role: string) => /^api key (.+)$/.exec(role)?.[1]

/** By id, email address, username or link. */
async function memberIdOf(db: Db, text: string): Promise<string | undefined> {
  const word = siteIn(text).toLowerCase()
  if (UUID.test(word)) return word
  const member = await db
    .selectFrom('member')
    .select('id')
    .where(word.includes('@') ? sql`lower(email) collate "C"` : sql.ref('username'), '=', word)
    .limit(1)
    .executeTakeFirst()
  return member?.id
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

const NUMBER = /^\d{1,9}$/

type Subject = { subject_kind: string; subject: string; role: string }

/** Packages and documents have numbers, sponsors have ids. */
async function catalogNames(db: Db, subjects: Subject[]): Promise<[string, string][]> {
  const idsOf = (kind: string, pattern: RegExp) =>
    subjects.flatMap(({ subject_kind, subject }) => (subject_kind === kind && pattern.test(subject) ? [subject] : []))
  const [packages, documents] = [idsOf('package', NUMBER).map(Number), idsOf('document', NUMBER).map(Number)]
  const sponsors = idsOf('sponsor', UUID)
  const [packageRows, documentRows, sponsorRows] = await Promise.all([
    packages.length
      ? db.selectFrom('package').select(['product_id', 'name']).where('product_id', 'in', packages).execute()
      : [],
    documents.length
      ? db.selectFrom('legal_document').select(['id', 'title']).where('id', 'in', documents).execute()
      : [],
    sponsors.length ? db.selectFrom('sponsor').select(['id', 'site']).where('id', 'in', sponsors).execute() : [],
  ])
  return [
    ...packageRows.map(({ product_id, name }): [string, string] => [`package ${product_id}`, name]),
    ...documentRows.map(({ id, title }): [string, string] => [`document ${id}`, title]),
    ...sponsorRows.map(({ id, site }): [string, string] => [`sponsor ${id}`, `/${site}`]),
  ]
}

async function namesOf(db: Db, subjects: Subject[]): Promise<Map<string, string>> {
  const idsOf = (kind: string) => {
    const ids = subjects.filter(({ subject_kind }) => subject_kind === kind).map(({ subject }) => subject)
    return [...new Set(ids)].filter((id) => UUID.test(id))
  }
  const [members, staff] = [idsOf('member'), idsOf('staff')]
  const memberRows = members.length
    ? await db.selectFrom('member').select(['id', 'first_name', 'last_name']).where('id', 'in', members).execute()
    : []
  const staffRows = staff.length
    ? await db.selectFrom('staff').select(['id', 'name']).where('id', 'in', staff).execute()
    : []
  const keys = [...idsOf('api_key'), ...subjects.flatMap(({ role }) => keyIdOf(role) ?? [])].filter((id) =>
    UUID.test(id),
  )
  const keyRows = keys.length
    ? await db.selectFrom('api_key').select(['id', 'name']).where('id', 'in', keys).execute()
    : []
  return new Map([
    ...(await catalogNames(db, subjects)),
    ...keyRows.map(({ id, name }): [string, string] => [`api_key ${id}`, name]),
    ...memberRows.map(({ id, first_name, last_name }): [string, string] => [
      `member ${id}`,
      `${first_name} ${last_name}`,
    ]),
    ...staffRows.map(({ id, name }): [string, string] => [`staff ${id}`, name]),
  ])
}
