import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testDatabase } from '#server/test/database.ts'
import type { Database } from './db.ts'

let database: Database
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

it('9.1 the tables in the code match the tables in the database', async () => {
  const { rows } = await sql<{ name: string; columns: string[] }>`
    select table_name::text as name, array_agg(column_name::text || case is_nullable when 'YES' then '?' else '' end) as columns
    from information_schema.columns
    where table_schema = 'public' and table_name not like 'kysely%'
    group by table_name`.execute(database.db)
  const real = Object.fromEntries(rows.map(({ name, columns }) => [name, columns.sort()]))
  expect(await declared()).toEqual(real)
})

/** Tables, columns and nullability, as in tables.ts. */
async function declared(): Promise<Record<string, string[]>> {
  const text = (await readFile(new URL('tables.ts', import.meta.url), 'utf8')).replace(/\/\*\*[\s\S]*?\*\/|\/\/.*/g, '')
  const body = text.slice(text.indexOf('export type Tables'), text.indexOf('export type PaymentState'))
  const tables: Record<string, string[]> = {}
  for (const [, name = '', columns = ''] of body.matchAll(/^ {2}(\w+): \{([\s\S]*?)\}\n/gm))
    tables[name] = [...columns.matchAll(/(\w+): ([^;\n]+)/g)]
      .map(([, column, type]) => `${column}${type?.includes('null') ? '?' : ''}`)
      .sort()
  return tables
}
