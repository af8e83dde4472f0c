import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Name, nameBook } from './field-names.ts'
import type { Books } from './searched-site.ts'

type Rows = Record<string, Record<string, unknown>[]>

const tablesOf = async ({ ask }: Books): Promise<string[]> =>
  (await ask(`select table_name from information_schema.tables where table_schema = 'public' order by 1`)).map(
    ({ table_name }) => String(table_name),
  )

const rowsOf = async (books: Books, table: string): Promise<string[]> =>
  (await books.ask(`select to_jsonb(t)::text as row from "${table}" t`)).map(({ row }) => String(row))

/** All tables as the database tells them, one row a line: on disk a long value lies compressed, here nothing does. */
export async function dump(books: Books, folder: string): Promise<Rows> {
  await mkdir(join(folder, 'dump'), { recursive: true })
  const tables: Rows = {}
  for (const table of await tablesOf(books)) {
    const rows = await rowsOf(books, table)
    await writeFile(join(folder, 'dump', `${table}.jsonl`), rows.join('\n'))
    tables[table] = rows.map((row) => JSON.parse(row))
  }
  return tables
}

/** Every column, every key inside one, and every key of the log, of the sandbox's ledger and of the browser's storage. */
export async function namesIn(books: Books, folder: string): Promise<Name[]> {
  const book = nameBook()
  const columns = await books.ask(`
    select table_name, column_name from information_schema.columns
    where table_schema = 'public' order by table_name, ordinal_position`)
  for (const { table_name, column_name } of columns) book.note('columns', `${table_name}.${column_name}`)
  for (const [table, rows] of Object.entries(await dump(books, folder)))
    for (const row of rows) book.noteAll('columns', { [table]: row })
  for (const line of await linesOf(join(folder, 'log', 'foyer.log'))) book.noteAll('log keys', asJson(line))
  for (const line of await linesOf(join(folder, 'data', 'sandbox-payments.jsonl')))
    book.noteAll('ledger keys', asJson(line))
  const storage = join(folder, 'storage')
  const stored = await readdir(storage, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const file of stored.filter((entry) => entry.isFile()))
    book.noteAll('browser keys', JSON.parse(await readFile(join(file.parentPath, file.name), 'utf8')))
  return book.all().filter(({ name }) => name)
}

const linesOf = async (file: string) => (await readFile(file, 'utf8')).split('\n').filter(Boolean)

/** A line for people has no keys. */
const asJson = (line: string): unknown => (line.startsWith('{') ? JSON.parse(line) : undefined)
