import { sql } from 'kysely'
import type { Db } from '#server/db/db.ts'
import { tablesOf } from '#server/db/migrate.ts'

/** All rows of all tables, as text that is the same on PGlite and PostgreSQL. */
export async function allRows(db: Db): Promise<Record<string, string[]>> {
  const rowsByTable: Record<string, string[]> = {}
  for (const table of await tablesOf(db)) {
    const { rows } = await sql<{ row: string }>`select to_jsonb(t)::text as row from ${sql.table(table)} t`.execute(db)
    rowsByTable[table] = rows.map(({ row }) => row.replace(/T?(\d\d:\d\d:\d\d)(\+00:00)?/g, '$1')).sort()
  }
  return rowsByTable
}
