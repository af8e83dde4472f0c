import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline as piped, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { OperatorError } from '#server/operator-error.ts'
import { type Db, inTransaction, isPermanentWriteError } from './db.ts'
import { appliedMigrations, schemaOf, tablesOf } from './migrate.ts'
import type { Tables } from './tables.ts'

/** Parents before children, so that a restore never meets a row whose parent is missing. */
const tables = [
  ...['server_key', 'sponsor', 'package', 'legal_text', 'legal_document', 'claim', 'enrollment', 'payment', 'member'],
  ...[
    'orders',
    'order_line',
    'acceptance',
    'job',
    'phone_check',
    'message',
    'spent',
    'page_hit',
    'page_day',
    'difference',
  ],
  ...['sponsor_touch', 'letter_key'],
] as const satisfies (keyof Tables)[]

const PAGE = 500

/**
 * One file for both kinds of database: gzipped lines of JSON, the schema's version first. A backup of the embedded
 * database can be restored into PostgreSQL. Counters and unfinished codes are left out: they live for minutes. Nothing is
 * migrated for it, and nobody else may read the file.
 */
export async function backup(db: Db, file: string): Promise<number> {
  const part = `${file}.part`
  await rm(part, { force: true }) // what was left of another one keeps its mode
  let count = 0
  await inTransaction(db, async (db) => {
    await sql`set transaction isolation level repeatable read, read only`.execute(db)
    const migrations = await requireKnown(db)
    const existing = await tablesOf(db)
    async function* lines() {
      yield `${JSON.stringify({ foyer: 1, migrations })}\n`
      for (const table of tables.filter((table) => existing.has(table))) {
        await sql`declare rows cursor for select to_jsonb(t) as row from ${sql.table(table)} t`.execute(db)
        for (;;) {
          const page = await sql<{ row: unknown }>`fetch ${sql.lit(PAGE)} from rows`.execute(db)
          if (!page.rows.length) break
          count += page.rows.length
          yield `${JSON.stringify({ table, rows: page.rows.map(({ row }) => row) })}\n`
        }
        await sql`close rows`.execute(db)
      }
    }
    await pipeline(Readable.from(lines()), createGzip(), createWriteStream(part, { mode: 0o600 }))
  })
  await rename(part, file)
  return count
}

/** The schema as it is, which may be older than this version: before an update it is the old one that is saved. */
async function requireKnown(db: Db): Promise<string[]> {
  const { migrations, newer } = await schemaOf(db)
  if (!migrations.length) throw new OperatorError('This database has no tables yet.')
  if (newer.length)
    throw new OperatorError(`This database has ${newer.join(', ')}: back it up with the version that brought this.`)
  return migrations
}

const Header = z.object({ foyer: z.literal(1), migrations: z.array(z.string()) })
const Page = z.object({ table: z.string(), rows: z.array(z.unknown()) })

/** Puts a backup into an empty, migrated database: all of it or nothing. */
export async function restore(db: Db, file: string): Promise<number> {
  const migrations = await appliedMigrations(db)
  return inTransaction(db, async (db) => {
    const occupied = await db.selectFrom('sponsor').select('site').executeTakeFirst()
    if (occupied)
      throw new OperatorError('This database is not empty. Restore into a new one, or run: npm run db -- reset --empty')
    let count = 0
    let line = 0
    for await (const text of linesOf(file)) {
      const at = `${file}:${++line}`
      if (line === 1) {
        const saved = read(Header, text, at).migrations
        if (saved.join() !== migrations.join())
          throw new OperatorError(`The backup has the schema ${saved.at(-1)}, this database ${migrations.at(-1)}.`)
        continue
      }
      const page = read(Page, text, at)
      const table = tables.find((known) => known === page.table)
      if (!table) throw new OperatorError(`${at} names the table '${page.table}', which does not exist.`)
      await sql`insert into ${sql.table(table)} select * from jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(page.rows)}::jsonb)`
        .execute(db)
        .catch((error) => {
          throw isPermanentWriteError(error)
            ? new OperatorError(`${at} does not fit: ${error.message}. Nothing was restored.`)
            : error
        })
      count += page.rows.length
    }
    if (line === 0) throw new OperatorError(`${file} is empty.`)
    return count
  })
}

function read<Shape extends z.ZodMiniType>(shape: Shape, text: string, at: string): z.infer<Shape> {
  try {
    return z.parse(shape, JSON.parse(text))
  } catch {
    throw new OperatorError(`${at} is not of a backup of Foyer, or it is damaged. Nothing was restored.`)
  }
}

/** A line ends at a line feed only: readline would also end one at U+2028 and U+2029, which JSON leaves as they are. */
async function* linesOf(file: string) {
  let line = ''
  const unzipped = piped(createReadStream(file), createGunzip(), () => {}) // what goes wrong, the loop below throws
  for await (const chunk of unzipped.setEncoding('utf8')) {
    const [end = '', ...begun] = (chunk as string).split('\n')
    line += end
    for (const next of begun) {
      yield line
      line = next
    }
  }
  if (line) yield line
}
