import { SITE_PATTERN } from '#contract/site.ts'
import type { Db } from '#server/db/db.ts'
import { statement } from '#server/db/statement.ts'
import type { Tables } from '#server/db/tables.ts'
import { checkNext, hashAfter, type Link, plainHasher, START } from '#server/secrets/hash-chain.ts'

export type TouchRow = Tables['sponsor_touch']

/**
 * A sponsor's link that led to an enrollment: opened in the browser, or named by the order as the address that the visitor
 * enrolled on. Records from before version 0.3 also have links that were 'chosen'. An imported member has the sponsor that
 * the file names.
 */
export type Touch = Pick<TouchRow, 'site' | 'why' | 'touched_at'>

/** The recorded touches of an enrollment, oldest first. */
export const findTouches = async (db: Db, enrollment_id: string): Promise<TouchRow[]> =>
  (await selectTouches(db, { enrollment_id })).rows

const selectTouches = statement((db, { enrollment_id }: Pick<TouchRow, 'enrollment_id'>) =>
  db
    .selectFrom('sponsor_touch')
    .select(['enrollment_id', 'position', 'site', 'why', 'touched_at', 'hash'])
    .where('enrollment_id', '=', enrollment_id)
    .orderBy('position'),
)

/** The number of touches and the last hash, which a new member keeps so that the record can be verified later. */
export function recordSummary(db: Db, enrollment_id: string) {
  const record = db.selectFrom('sponsor_touch').where('enrollment_id', '=', enrollment_id)
  return {
    touches: record.select(({ fn }) => fn.countAll<number>().as('touches')),
    touch_seal: record.select('hash').orderBy('position', 'desc').limit(1),
  }
}

/** All touches in the record and in the cookie, oldest first. Either of them may be behind the other. */
export const mergeTouches = (recorded: readonly Touch[], touches: readonly Touch[]): Touch[] =>
  [...recorded, ...unrecorded(recorded, touches)].sort((a, b) => a.touched_at.getTime() - b.touched_at.getTime())

const unrecorded = (recorded: readonly Touch[], touches: readonly Touch[]) => {
  const keys = new Set(recorded.map((touch) => String(valuesOf(touch))))
  return touches.filter((touch) => !keys.has(String(valuesOf(touch))))
}

/** The rows to insert after the recorded ones. The transaction must have locked the enrollment. */
export function rowsToAppend(
  enrollment_id: string,
  recorded: readonly TouchRow[],
  touches: readonly Touch[],
): TouchRow[] {
  const rows = [...recorded]
  for (const { site, why, touched_at } of unrecorded(recorded, touches)) {
    const row = { enrollment_id, position: rows.length + 1, site, why, touched_at }
    rows.push({ ...row, hash: hashAfter(plainHasher, (rows.at(-1) ?? START).hash, hashedValues(row)) })
  }
  return rows.slice(recorded.length)
}

/** The position of the first row that was changed after it was written, if there is one. */
export function firstTamperedRow(rows: readonly TouchRow[]): number | undefined {
  let last: Link = START
  for (const row of rows) {
    if (checkNext(plainHasher, last, row, () => hashedValues(row))) return last.position + 1
    last = row
  }
  return undefined
}

const hashedValues = ({ enrollment_id, position, ...touch }: Omit<TouchRow, 'hash'>) => [
  enrollment_id,
  position,
  ...valuesOf(touch),
]

const valuesOf = ({ site, why, touched_at }: Touch) => [site, why, touched_at.toISOString()]

const codes = { opened: 'o', chosen: 'c', ordered: 'r', imported: 'i' } as const
const reasons = Object.keys(codes) as Touch['why'][]

/** For the signed cookie: 'ana_o_mhzz1c00-bluepier_c_mhzz2d11'. A dot, hyphen or underscore of a site is '~' and a letter. */
export const serializeTouches = (touches: readonly Touch[]): string =>
  touches
    .map(({ site, why, touched_at }) => `${escapeSite(site)}_${codes[why]}_${touched_at.getTime().toString(36)}`)
    .join('-')

const escapes = { '.': '~d', '-': '~h', _: '~u' } as const
const escapeSite = (site: string) => site.replace(/[._-]/g, (mark) => escapes[mark as keyof typeof escapes])
const unescapeSite = (text: string) =>
  Object.entries(escapes).reduce((site, [mark, escaped]) => site.replaceAll(escaped, mark), text)

export const parseTouches = (text: string): Touch[] =>
  text.split('-').flatMap((part) => {
    const [escaped = '', code, time = ''] = part.split('_')
    const site = unescapeSite(escaped)
    const why = reasons.find((reason) => codes[reason] === code)
    return SITE_PATTERN.test(site) && why ? [{ site, why, touched_at: new Date(Number.parseInt(time, 36)) }] : []
  })
