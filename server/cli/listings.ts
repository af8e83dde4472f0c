import { toAmount } from '#contract/money.ts'
import type { Db } from '#server/db/db.ts'
import { claimValue } from '#server/members/claims.ts'
import { creditProblem, findMoves } from '#server/sponsors/moves.ts'
import { findTouches } from '#server/sponsors/touches.ts'

const MAX_ROWS = 200

/** Tables for the terminal, newest first. */
export const listings: Record<string, (db: Db) => Promise<string>> = {
  enrollments: async (db) => {
    const rows = await db
      .selectFrom('payment')
      .leftJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
      .select(['payment.enrollment_id', 'attempt', 'payment.state', 'amount_cents', 'username', 'payment.created_at'])
      .orderBy('payment.created_at', 'desc')
      .limit(MAX_ROWS)
      .execute()
    return table(
      ['enrollment', 'attempt', 'state', 'amount', 'username', 'at'],
      rows.map((row) => [
        row.enrollment_id,
        row.attempt,
        row.state,
        toAmount(row.amount_cents),
        row.username,
        at(row.created_at),
      ]),
    )
  },
  members: async (db) => {
    const rows = await db
      .selectFrom('member')
      .innerJoin('sponsor', 'sponsor.id', 'member.sponsor_id')
      .select(['username', 'first_name', 'last_name', 'email', 'sponsor.site', 'joined_at'])
      .orderBy('joined_at', 'desc')
      .limit(MAX_ROWS)
      .execute()
    return table(
      ['username', 'name', 'email', 'sponsor', 'joined'],
      rows.map((row) => [row.username, `${row.first_name} ${row.last_name}`, row.email, row.site, at(row.joined_at)]),
    )
  },
  discrepancies: async (db) => {
    const rows = await db.selectFrom('difference').selectAll().orderBy('found_at', 'desc').limit(MAX_ROWS).execute()
    return table(
      ['reference', 'what', 'here', 'there', 'found', 'cleared', 'resolved', 'reason'],
      rows.map((row) => [
        row.reference,
        row.kind,
        row.ours,
        row.theirs,
        at(row.found_at),
        row.cleared_at && at(row.cleared_at),
        row.resolved_at && at(row.resolved_at),
        row.reason,
      ]),
    )
  },
  'csp-reports': async (db) => {
    const rows = await db
      .selectFrom('csp_report')
      .selectAll()
      .orderBy('day', 'desc')
      .orderBy('count', 'desc')
      .limit(MAX_ROWS)
      .execute()
    return table(
      ['day', 'times', 'directive', 'blocked', 'page'],
      rows.map((row) => [row.day, row.count, row.directive, row.blocked, row.page]),
    )
  },
  sponsors: async (db) => {
    const rows = await db
      .selectFrom('sponsor')
      .select(['site', 'name', 'active', 'active_until', 'renamed_to', 'member_id'])
      .orderBy('created_at', 'desc')
      .orderBy('site')
      .limit(MAX_ROWS)
      .execute()
    return table(
      ['site', 'name', 'active', 'until', 'renamed to', 'member'],
      rows.map((row) => [
        row.site,
        row.name,
        row.active ? 'Yes' : 'No',
        row.active_until && at(row.active_until),
        row.renamed_to,
        row.member_id ? 'Yes' : 'No',
      ]),
    )
  },
}

/** Which sponsors' links a member opened before joining, and whether that record was tampered with. */
export async function creditRecord(db: Db, username: string): Promise<{ text: string; isIntact: boolean } | undefined> {
  const member = await db
    .selectFrom('member')
    .innerJoin('claim', 'claim.enrollment_id', 'member.enrollment_id') // also finds a member by an earlier username
    .innerJoin('sponsor', 'sponsor.id', 'member.sponsor_id')
    .leftJoin('sponsor as joined', 'joined.id', 'member.joined_sponsor_id')
    .select(['username', 'member.enrollment_id', 'joined_at', 'touches', 'touch_seal', 'sponsor.name', 'sponsor.site'])
    .select(['member.id', 'joined.site as joined_site'])
    .where('claim.kind', '=', 'username')
    .where('claim.value', '=', claimValue(username))
    .executeTakeFirst()
  if (!member) return undefined
  const rows = await findTouches(db, member.enrollment_id)
  const record = table(
    ['', 'link', 'why', 'when', 'sealed'],
    rows.map((row) => [row.position, `/${row.site}`, row.why, at(row.touched_at), row.hash.slice(0, 16)]),
  )
  const moves = await findMoves(db, member.id)
  const moveLines = moves.map(
    ({ from_site, to_site, moved_at, moved_by_name, reason }) =>
      `Moved from /${from_site} to /${to_site} on ${at(moved_at)} by ${moved_by_name ?? 'a former colleague'}: ${reason ?? '(erased)'}\n`,
  )
  const problem = await creditProblem(db, { ...member, joined_site: member.joined_site ?? member.site }, rows, moves)
  const verdict = problem ?? `The record is intact. Its seal is ${member.touch_seal}.`
  return {
    text: `${record}\n${moveLines.join('')}${member.username} joined on ${at(member.joined_at)}; the sponsor is ${member.name} (/${member.site}). ${verdict}`,
    isIntact: !problem,
  }
}

/** '1 row', '2 rows'. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

export const at = (time: Date) => time.toISOString().slice(0, 16).replace('T', ' ')

export function table(head: string[], rows: (string | number | null)[][]): string {
  const cells = [head, ...rows.map((row) => row.map((cell) => String(cell ?? '')))]
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return [...lines, rows.length === MAX_ROWS ? `(the newest ${MAX_ROWS})` : `(${rows.length})`].join('\n')
}
