import { sql } from 'kysely'
import { erasedRows } from '#server/audit/audit.ts'
import type { Db } from '#server/db/db.ts'

type Person = { id: string; enrollment_id: string; mobile_phone: string }

/**
 * The rows stay, and so does the chain: it covers only the hash of what is erased here. Rows about the person and their payments
 * are erased, and those about others if they hold an identifier of this person, never because of words that they share with a name. Returns the positions, for the row
 * of this erasure: details that are missing anywhere else are a finding. If that blanks the row of an earlier erasure, the
 * positions in it are among them.
 */
export async function eraseAudit(db: Db, person: Person, addresses: string[]): Promise<string> {
  const identifiers = [...addresses, person.mobile_phone].filter(Boolean).map((value) => value.toLowerCase())
  const holding = identifiers.map(
    (value) => sql<boolean>`position(${JSON.stringify(value).slice(1, -1)} in lower(details)) > 0`,
  )
  const payments = await db
    .selectFrom('payment')
    .select('reference')
    .where('enrollment_id', '=', person.enrollment_id)
    .execute()
  const theirs = new Set([`member ${person.id}`, ...payments.map(({ reference }) => `payment ${reference}`)])
  const subjects = [person.id, ...payments.map(({ reference }) => reference)]
  const rows = await db
    .selectFrom('audit')
    .select(['position', 'act', 'subject_kind', 'subject', 'details'])
    .where('details', 'is not', null)
    .where((row) => row.or([row('subject', 'in', subjects), ...holding]))
    .orderBy('position')
    .execute()
  const blanked = rows.filter(
    ({ subject_kind, subject, details }) =>
      theirs.has(`${subject_kind} ${subject}`) || isAbout(details ?? '', identifiers),
  )
  const positions = blanked.map(({ position }) => Number(position))
  const earlier = await Promise.all(
    blanked.filter(({ act }) => act === 'erase_person').map((row) => blankedBy(db, row)),
  )
  if (positions.length)
    await db
      .updateTable('audit')
      .set({ details: null, details_salt: null })
      .where('position', 'in', positions)
      .execute()
  return [...new Set([...earlier.flat(), ...positions])].sort((a, b) => a - b).join(',')
}

/** An erasure that didn't write down its rows may have blanked any row before it. */
async function blankedBy(db: Db, { position, details }: { position: number; details: string | null }) {
  const listed = erasedRows(details ?? '{}')
  if (listed) return listed
  const blanks = db.selectFrom('audit').select('position').where('position', '<', position).where('details', 'is', null)
  return (await blanks.execute()).map((row) => Number(row.position))
}

/** Whether a row names one of these as a whole: 'ana@x.example' is not in 'diana@x.example.org'. */
function isAbout(details: string, identifiers: string[]): boolean {
  const parts = (value: string) => details.toLowerCase().split(JSON.stringify(value).slice(1, -1))
  return identifiers.some((value) =>
    parts(value).some(
      (part, index, all) => index > 0 && !GOES_BEFORE.test(all[index - 1] ?? '') && !GOES_ON.test(part),
    ),
  )
}
/** What makes an address or a number a longer one. A period may also end the sentence. */
const GOES_BEFORE = /[\p{L}\p{N}@._+-]$/u
const GOES_ON = /^(?:[\p{L}\p{N}@_+-]|\.[\p{L}\p{N}])/u
