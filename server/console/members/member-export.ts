import type { MemberFilter } from '#contract/console/members.ts'
import type { ActionName } from '#contract/console/permissions.ts'
import { type Actor, type Facts, recordAction } from '#server/audit/audit.ts'
import { inTransaction } from '#server/db/db.ts'
import { Download } from '#server/http/download.ts'
import { showWithoutPlus } from '#server/phone/numbers.ts'
import { dayOf, todayOf } from '#server/world/time-zone.ts'
import { forReports, type World } from '#server/world/world.ts'
import type { StaffSession } from '../access/session.ts'
import { CSV_START, csvRow } from '../csv.ts'
import { allMembers, brandName, type ListedMember } from './member-list.ts'

/**
 * All members that fit the filter of the list, as a file. The audit log has a row before the first member leaves, and another
 * one with the number of rows when the file is complete or the browser has gone.
 */
export async function exportMembers(world: World, filter: MemberFilter, { staff }: StaffSession): Promise<Download> {
  const pages = allMembers(await forReports(world), filter)
  const first = await pages.next() // a search that matches too many is refused before the file begins
  await record(world, staff, 'export_members', withoutSearch(filter))
  const filename = `members-${todayOf(world)}.csv`
  return new Download(filename, 'text/csv; charset=utf-8', linesOf(world, staff, first.value ?? [], pages))
}

async function* linesOf(world: World, staff: Actor, first: ListedMember[], pages: AsyncIterable<ListedMember[]>) {
  let rows = 0
  let is_complete = false
  const lines = async (members: ListedMember[]) => {
    rows += members.length
    return (await Promise.all(members.map((member) => lineOf(world, member)))).join('')
  }
  try {
    yield CSV_START + csvRow(columns.map(([name]) => name)) + (await lines(first))
    for await (const members of pages) if (members.length) yield await lines(members)
    is_complete = true
  } finally {
    await record(world, staff, 'finish_export', { rows, is_complete })
  }
}

type Column = [name: string, cell: (member: ListedMember & { phone: string }, world: World) => string]

const columns: Column[] = [
  ['Member ID', ({ id }) => id],
  ['First name', ({ first_name }) => first_name],
  ['Last name', ({ last_name }) => last_name],
  ['Company', ({ business_name }) => business_name],
  ['Username', ({ username }) => username],
  ['Email', ({ email }) => email],
  ['Mobile phone', ({ phone }) => phone],
  ['Address', ({ address }) => address],
  ['Address 2', ({ address2 }) => address2],
  ['City', ({ city }) => city],
  ['State', ({ address_state }) => address_state],
  ['ZIP code', ({ post_code }) => post_code],
  ['Country', ({ country }) => country],
  ['Membership', ({ state }) => state.replaceAll('_', ' ')],
  ['Packages', ({ lines }) => lines.map(({ name }) => name).join(', ')],
  ['Sponsor', ({ sponsor_name }) => sponsor_name],
  ['Sponsor link', ({ site }, { config }) => `${config.PUBLIC_URL}/${site}`],
  ['Joined on', ({ joined_at }, world) => dayOf(world, joined_at)],
  ['Card', (member) => (member.card_last_four ? `${brandName(member.card_brand)} ${member.card_last_four}` : '')],
]

async function lineOf(world: World, member: ListedMember): Promise<string> {
  const phone = await showWithoutPlus(member.mobile_phone)
  return csvRow(columns.map(([, cell]) => cell({ ...member, phone }, world)))
}

/** A search is often a name or an address, and the log keeps none. */
const withoutSearch = ({ search, ...filter }: MemberFilter): Facts => ({
  ...Object.fromEntries(Object.entries(filter).filter(([, value]) => value)),
  ...(search?.trim() ? { has_search: true } : {}),
})

const record = (world: World, actor: Actor, act: ActionName, after: Facts) =>
  inTransaction(world.db, (db) =>
    recordAction({ ...world, db }, { act, actor, subject_kind: 'export', subject: 'members', after }),
  )
