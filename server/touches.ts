import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import { SITE } from '#contract/limits.ts'
import type { Db } from './db/open.ts'
import type { Tables } from './db/tables.ts'

/** A sponsor's link that led to an enrollment: opened in the browser, chosen by name, or named by the order alone. */
export type Touch = { site: string; why: 'opened' | 'chosen' | 'ordered'; at: Date }

type Row = Selectable<Tables['sponsor_touch']>

/** Adds what is not written yet. Runs in a transaction that has the enrollment to itself. */
export async function keepTouches(db: Db, enrollment_id: string, touches: readonly Touch[]): Promise<void> {
  const rows = await touchesOf(db, enrollment_id)
  for (const { site, why, at: touched_at } of touches) {
    const isKept = rows.some(
      (row) => row.site === site && row.why === why && row.touched_at.getTime() === touched_at.getTime(),
    )
    if (isKept) continue
    const row = { enrollment_id, position: rows.length + 1, site, why, touched_at }
    rows.push({ ...row, hash: sealOf(row, rows.at(-1)?.hash) })
    await db
      .insertInto('sponsor_touch')
      .values(rows.at(-1) as Row)
      .execute()
  }
}

/** The record of an enrollment, oldest first. */
export const touchesOf = (db: Db, enrollment_id: string): Promise<Row[]> =>
  db.selectFrom('sponsor_touch').selectAll().where('enrollment_id', '=', enrollment_id).orderBy('position').execute()

/** The first row that is not what was written, if there is one. */
export const brokenAt = (rows: readonly Row[]): number | undefined => {
  const at = rows.findIndex((row, n) => row.position !== n + 1 || row.hash !== sealOf(row, rows[n - 1]?.hash))
  return at < 0 ? undefined : at + 1
}

const sealOf = ({ enrollment_id, position, site, why, touched_at }: Omit<Row, 'hash'>, before = '') =>
  createHash('sha256')
    .update(JSON.stringify([before, enrollment_id, position, site, why, touched_at.toISOString()]))
    .digest('hex')

const letters = { opened: 'o', chosen: 'c', ordered: 'r' } as const

/** As the signed cookie carries them: 'ana_o_mhzz1c00-bluepier_c_mhzz2d11'. */
export const writeTouches = (touches: readonly Touch[]): string =>
  touches.map(({ site, why, at }) => `${site}_${letters[why]}_${at.getTime().toString(36)}`).join('-')

export const readTouches = (text: string): Touch[] =>
  text.split('-').flatMap((written) => {
    const [site = '', letter, time = ''] = written.split('_')
    const [why] = Object.entries(letters).find(([, one]) => one === letter) ?? []
    return SITE.test(site) && why ? [{ site, why: why as Touch['why'], at: new Date(Number.parseInt(time, 36)) }] : []
  })
