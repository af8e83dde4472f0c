import type { Site } from './site.ts'

/** The events that were written since the last call, in the order of writing. */
export async function newEvents({ db }: Pick<Site, 'db'>, member_id?: string) {
  const rows = await db.deleteFrom('new_event').returningAll().execute()
  return rows
    .sort((a, b) => Number(a.written) - Number(b.written))
    .filter((row) => !member_id || row.member_id === member_id)
    .map(({ type, payload }) => ({ type, payload }))
}
