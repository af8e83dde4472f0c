import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFieldIndex, type FieldName } from './field-names.ts'
import type { SqlClient } from './searched-site.ts'

type Rows = Record<string, Record<string, unknown>[]>

const tablesOf = async ({ query }: SqlClient): Promise<string[]> =>
  (await query(`select table_name from information_schema.tables where table_schema = 'public' order by 1`)).map(
    ({ table_name }) => String(table_name),
  )

const rowsOf = async (database: SqlClient, table: string): Promise<string[]> =>
  (await database.query(`select to_jsonb(t)::text as row from "${table}" t`)).map(({ row }) => String(row))

/** Writes all tables as text, one row per line. On disk the database compresses long values. */
export async function dumpDatabase(database: SqlClient, folder: string): Promise<Rows> {
  await mkdir(join(folder, 'dump'), { recursive: true })
  const tables: Rows = {}
  for (const table of await tablesOf(database)) {
    const rows = await rowsOf(database, table)
    await writeFile(join(folder, 'dump', `${table}.jsonl`), rows.join('\n'))
    tables[table] = rows.map((row) => JSON.parse(row))
  }
  return tables
}

/** Every column, every key inside one, and every key of the log, the sandbox's ledger and the browser's storage. */
export async function fieldNamesIn(database: SqlClient, folder: string): Promise<FieldName[]> {
  const index = createFieldIndex()
  const columns = await database.query(`
    select table_name, column_name from information_schema.columns
    where table_schema = 'public' order by table_name, ordinal_position`)
  for (const { table_name, column_name } of columns) index.add('columns', `${table_name}.${column_name}`)
  for (const [table, rows] of Object.entries(await dumpDatabase(database, folder)))
    for (const row of rows) index.addAll('columns', { [table]: row })
  for (const line of await linesOf(join(folder, 'log', 'foyer.log'))) index.addAll('log keys', parseLine(line))
  for (const line of await linesOf(join(folder, 'data', 'sandbox-payments.jsonl')))
    index.addAll('ledger keys', parseLine(line))
  const storage = join(folder, 'storage')
  const entries = await readdir(storage, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const file of entries.filter((entry) => entry.isFile()))
    index.addAll('browser keys', JSON.parse(await readFile(join(file.parentPath, file.name), 'utf8')))
  return index.all().filter(({ name }) => name)
}

const linesOf = async (file: string) => (await readFile(file, 'utf8')).split('\n').filter(Boolean)

/** Lines of plain text have no keys. */
const parseLine = (line: string): unknown => (line.startsWith('{') ? JSON.parse(line) : undefined)
