import type { AuditFilter, AuditRow } from '#contract/console/audit.ts'
import { actions, isAction } from '#contract/console/permissions.ts'
import { recordAction } from '#server/audit/audit.ts'
import { inTransaction } from '#server/db/db.ts'
import { Download } from '#server/http/download.ts'
import { todayOf } from '#server/world/time-zone.ts'
import { forReports, type World } from '#server/world/world.ts'
import type { StaffSession } from '../access/session.ts'
import { CSV_START, csvRow } from '../csv.ts'
import { auditRows } from './audit.ts'

const STEP = 500

/** The filtered rows as a file. The export is logged before the first row is sent. */
export async function exportAudit(world: World, filter: AuditFilter, { staff }: StaffSession): Promise<Download> {
  const after = Object.fromEntries(Object.entries(filter).filter(([name, value]) => value && name !== 'member'))
  await inTransaction(world.db, (db) =>
    recordAction(
      { ...world, db },
      { act: 'export_audit', actor: staff, subject_kind: 'export', subject: 'audit', after },
    ),
  )
  return new Download(
    `audit-${todayOf(world)}.csv`,
    'text/csv; charset=utf-8',
    linesOf(await forReports(world), filter),
  )
}

async function* linesOf(world: World, filter: AuditFilter) {
  yield CSV_START + csvRow(columns.map(([name]) => name))
  let before: string | undefined
  do {
    const rows = await auditRows(world, { ...filter, before }, STEP)
    yield rows.map((row) => csvRow(columns.map(([, cell]) => cell(row)))).join('')
    before = rows.length === STEP ? String(rows.at(-1)?.position) : undefined
  } while (before)
}

const columns: [name: string, cell: (row: AuditRow) => string][] = [
  ['Row', ({ position }) => String(position)],
  ['Time (UTC)', ({ at }) => at.replace('T', ' ').slice(0, 19)],
  ['Who', ({ who }) => who],
  ['Role', ({ role }) => role],
  ['Action', ({ act }) => (isAction(act) ? actions[act].text : act)],
  ['About', ({ subject_kind }) => subject_kind],
  ['Name', ({ subject_name, subject }) => subject_name ?? subject],
  ['Reason', ({ reason }) => reason ?? ''],
  ['Before', ({ before }) => factsText(before)],
  ['After', ({ after }) => factsText(after)],
  ['Network', ({ network }) => network ?? ''],
]

const factsText = (facts: Record<string, unknown> | undefined) =>
  Object.entries(facts ?? {})
    .map(([name, value]) => `${name}: ${value ?? ''}`)
    .join('; ')
