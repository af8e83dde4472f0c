import { hash } from 'node:crypto'
import { SITE_PATTERN } from '#contract/site.ts'
import type { Db } from '#server/db/db.ts'
import { statement } from '#server/db/statement.ts'
import type { Tables } from '#server/db/tables.ts'
import type { AttemptKey } from '#server/enrollment/visitor.ts'

type Row = Tables['sponsor_touch']

/** A sponsor's link that led to an enrollment: opened in the browser, chosen by name, or named by the order alone. */
export type Touch = Pick<Row, 'site' | 'why' | 'touched_at'>

/** The record of an enrollment, oldest first. */
export const findTouches = async (db: Db, enrollment_id: string): Promise<Row[]> =>
  (await readRecord(db, { enrollment_id })).rows

const readRecord = statement((db, { enrollment_id }: Pick<Row, 'enrollment_id'>) =>
  db
    .selectFrom('sponsor_touch')
    .select(['enrollment_id', 'position', 'site', 'why', 'touched_at', 'hash'])
    .where('enrollment_id', '=', enrollment_id)
    .orderBy('position'),
)

/** How long the record is, and its last seal, as a new member keeps them. */
export function recordSummary(db: Db, { enrollment_id }: AttemptKey) {
  const record = db.selectFrom('sponsor_touch').where('enrollment_id', '=', enrollment_id)
  return {
    touches: record.select(({ fn }) => fn.countAll<number>().as('touches')),
    touch_seal: record.select('hash').orderBy('position', 'desc').limit(1),
  }
}

/** What is written and what the cookie says, as one story: a cookie may be older than the record, or newer. */
export const mergeTouches = (rows: readonly Touch[], touches: readonly Touch[]): Touch[] =>
  [...rows, ...unrecorded(rows, touches)].sort((one, other) => one.touched_at.getTime() - other.touched_at.getTime())

const unrecorded = (rows: readonly Touch[], touches: readonly Touch[]) => {
  const known = new Set(rows.map((row) => String(written(row))))
  return touches.filter((touch) => !known.has(String(written(touch))))
}

/** The rows that are to follow those of an enrollment. Asked in a transaction that has it to itself. */
export function rowsToAppend(enrollment_id: string, rows: readonly Row[], touches: readonly Touch[]): Row[] {
  const all = [...rows]
  for (const { site, why, touched_at } of unrecorded(rows, touches)) {
    const row = { enrollment_id, position: all.length + 1, site, why, touched_at }
    all.push({ ...row, hash: sealOf(row, all.at(-1)?.hash) })
  }
  return all.slice(rows.length)
}

/** The first row that is not what was written, if there is one. */
export const firstTamperedRow = (rows: readonly Row[]): number | undefined => {
  const at = rows.findIndex((row, n) => row.position !== n + 1 || row.hash !== sealOf(row, rows[n - 1]?.hash))
  return at < 0 ? undefined : at + 1
}

const sealOf = ({ enrollment_id, position, ...touch }: Omit<Row, 'hash'>, before = '') =>
  hash('sha256', JSON.stringify([before, enrollment_id, position, ...written(touch)]), 'hex')

const written = ({ site, why, touched_at }: Touch) => [site, why, touched_at.toISOString()]

const codes = { opened: 'o', chosen: 'c', ordered: 'r' } as const
const reasons = Object.keys(codes) as Touch['why'][]

/** As the signed cookie carries them: 'ana_o_mhzz1c00-bluepier_c_mhzz2d11'. */
export const serializeTouches = (touches: readonly Touch[]): string =>
  touches.map(({ site, why, touched_at }) => `${site}_${codes[why]}_${touched_at.getTime().toString(36)}`).join('-')

export const parseTouches = (text: string): Touch[] =>
  text.split('-').flatMap((one) => {
    const [site = '', code, time = ''] = one.split('_')
    const why = reasons.find((reason) => codes[reason] === code)
    return SITE_PATTERN.test(site) && why ? [{ site, why, touched_at: new Date(Number.parseInt(time, 36)) }] : []
  })
