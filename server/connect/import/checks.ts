import { sql } from 'kysely'
import type { Db } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'

/** Checks across the whole file. Each step looks at a few thousand lines, so no statement takes long. */

const LINES_AT_ONCE = 5_000

type Import = Tables['member_import']
/** How far it is now; undefined once the step is done. */
type Step = (db: Db, file: Import) => Promise<number | undefined>

/** For steps that take the lines in order. */
const byLine =
  (look: (db: Db, file: Import, range: ReturnType<typeof sql>) => Promise<unknown>): Step =>
  async (db, file) => {
    const to = file.reached + LINES_AT_ONCE
    await look(db, file, sql`l.import_id = ${file.id} and l.line > ${file.reached} and l.line <= ${to}`)
    return to < file.last_line ? to : undefined
  }

const report = (db: Db, column_name: string, problem: ReturnType<typeof sql>, lines: ReturnType<typeof sql>) =>
  sql`
    insert into import_problem (import_id, line, column_name, problem)
    select l.import_id, l.line, ${sql.lit(column_name)}, ${problem} from import_line l ${lines}
    on conflict do nothing`.execute(db)

/** PostgreSQL needs to know what a new table holds before it plans. */
const count: Step = async (db) => {
  await sql`analyze import_line`.execute(db)
  return undefined
}

/** Members of an earlier import stay as they are, even erased ones: no file brings a person back. */
const findExisting = byLine((db, { connection }, range) =>
  sql`
    update import_line l set state = 'existing'
    where ${range} and l.state = 'new' and (
      exists (select from external_id x where x.connection = ${connection} and x.value = l.external_id)
      or exists (
        select from claim join member on member.enrollment_id = claim.enrollment_id
          left join imported_member on imported_member.member_id = member.id
          left join external_id x on x.member_id = member.id and x.connection = ${connection}
        where claim.kind = 'username' and claim.value = l.username
          and (imported_member.member_id is not null or member.erased_at is not null)
          and (x.value is null or l.external_id is null or x.value = l.external_id)))`.execute(db),
)

const findTaken = byLine(async (db, _file, range) => {
  const taken = (kind: 'username' | 'email') => sql`
    join claim on claim.kind = ${sql.lit(kind)} and claim.value = l.${sql.ref(kind)}
    where ${range} and l.state = 'new'`
  await report(db, 'username', sql`'is taken by another member or site.'`, taken('username'))
  await report(db, 'email', sql`'belongs to another member.'`, taken('email'))
})

const findTwice = byLine(async (db, _file, range) => {
  for (const name of ['username', 'email', 'external_id'])
    await report(
      db,
      name,
      sql`'is the same as on line ' || first.line || '.'`,
      sql`cross join lateral (
          select min(o.line) as line from import_line o
          where o.import_id = l.import_id and o.${sql.ref(name)} = l.${sql.ref(name)} and o.line < l.line) first
        where ${range} and first.line is not null`,
    )
})

const findSponsors = byLine(async (db, _file, range) => {
  await sql`
    update import_line l set parent_line = parent.line from import_line parent
    where ${range} and l.state = 'new' and parent.import_id = l.import_id and parent.username = l.sponsor_site
      and parent.state = 'new'`.execute(db)
  await report(
    db,
    'sponsor',
    sql`'is not in the file, and no member or site here has this name.'`,
    sql`where ${range} and l.state = 'new' and l.parent_line is null
      and not exists (select from sponsor where site = l.sponsor_site)`,
  )
})

/** Works down from the lines whose sponsor is already here, one level at a time. */
const findDepth: Step = async (db, { id, reached }) => {
  const rows = sql`import_id = ${id} and state = 'new'`
  const { numAffectedRows: found = 0n } =
    reached === 0
      ? await sql`
          update import_line set depth = 0 where import_id = ${id} and line in (
            select line from import_line where ${rows} and depth is null and parent_line is null limit ${sql.lit(LINES_AT_ONCE)})`.execute(
          db,
        )
      : await sql`
          update import_line set depth = ${reached} where import_id = ${id} and line in (
            select l.line from import_line parent
              join import_line l on l.import_id = parent.import_id and l.parent_line = parent.line
            where parent.import_id = ${id} and parent.state = 'new' and parent.depth = ${reached - 1}
              and l.state = 'new' and l.depth is null limit ${sql.lit(LINES_AT_ONCE)})`.execute(db)
  if (found === BigInt(LINES_AT_ONCE)) return reached // perhaps there are more
  const row = db.selectFrom('import_line').select('line').where('import_id', '=', id).where('depth', '=', reached)
  return (await row.limit(1).executeTakeFirst()) ? reached + 1 : undefined
}

const findCircles = byLine((db, _file, range) =>
  report(
    db,
    'sponsor',
    sql`'leads in a circle: the chain of sponsors above never ends.'`,
    sql`where ${range} and l.state = 'new' and l.depth is null`,
  ),
)

const steps: Step[] = [count, findExisting, findTaken, findTwice, findSponsors, findDepth, findCircles]

/** Does the next part. Returns where checking is now; undefined once the whole file is checked. */
export async function checkNext(db: Db, file: Import): Promise<Pick<Import, 'step' | 'reached'> | undefined> {
  const reached = await steps[file.step]?.(db, file)
  if (reached !== undefined) return { step: file.step, reached }
  return file.step + 1 < steps.length ? { step: file.step + 1, reached: 0 } : undefined
}

/** 0 to 1. The depth of the tree isn't known in advance. */
export const checkedShare = ({ step, reached, last_line }: Import): number =>
  Math.min(1, (step + (steps[step] === findDepth ? 0 : reached / Math.max(1, last_line))) / steps.length)
