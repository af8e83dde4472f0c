import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { pipeline as piped, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { OperatorError } from '#server/operator-error.ts'
import { type Db, inTransaction, isPermanentWriteError } from './db.ts'
import { appliedMigrations, schemaOf, tablesOf } from './migrate.ts'
import type { Tables } from './tables.ts'

/** Parents before children, because of the foreign keys. */
export const tables = [
  ...['server_key', 'sponsor', 'package', 'legal_text', 'legal_document', 'claim', 'enrollment', 'payment', 'refund'],
  ...['legal_version', 'scheduled_document', 'price_change', 'catalog_picture'],
  ...[
    'member',
    'membership',
    'period',
    'orders',
    'order_line',
    'acceptance',
    'job',
    'phone_check',
    'message',
    'page_hit',
  ],
  ...['page_day', 'difference', 'sponsor_touch', 'one_time_key', 'lease', 'breaker', 'breaker_trip'],
  ...['reconciliation_run', 'email_link', 'picture', 'member_event', 'member_app', 'member_passkey', 'member_recovery'],
  ...['staff', 'staff_passkey', 'staff_recovery', 'staff_invitation', 'audit', 'audit_head', 'sponsor_move'],
  ...['price_volume', 'placement_move', 'dispute_change', 'commission_month'],
  ...['security_event', 'csp_report'],
  ...['brand', 'brand_logo', 'funnel_day', 'funnel_field', 'funnel_message', 'network_block'],
  ...['joining_pause', 'breaker_event', 'provider_attempt'],
  ...['imported_member', 'external_id'],
  'api_key',
  ...['new_event', 'event', 'feed', 'feed_epoch'],
  ...['webhook_endpoint', 'webhook_delivery'],
  ...['api_answer'],
] as const satisfies (keyof Tables)[]

/** Tables of schemas before 0010, which a backup saves as they are. */
const olderTables = ['spent', 'letter_key']

const PAGE_SIZE = 500

/**
 * Gzipped lines of JSON that start with the schema's version. A backup of the embedded database can be restored into
 * PostgreSQL and vice versa. Short-lived rows, such as limits and phone codes, are left out. Only the owner may read the file.
 */
export async function backup(db: Db, file: string): Promise<number> {
  const folder = dirname(resolve(file))
  if (!existsSync(folder)) throw new OperatorError(`The folder ${folder} does not exist. Create it first.`)
  const partFile = `${file}.part`
  await rm(partFile, { force: true }) // a leftover would keep its mode
  let count = 0
  await inTransaction(db, async (db) => {
    await sql`set transaction isolation level repeatable read, read only`.execute(db)
    const migrations = await requireBackupable(db)
    const existing = await tablesOf(db)
    async function* lines() {
      yield `${JSON.stringify({ foyer: 1, migrations })}\n`
      for (const table of [...tables, ...olderTables].filter((table) => existing.has(table))) {
        await sql`declare rows cursor for select to_jsonb(t) as row from ${sql.table(table)} t`.execute(db)
        for (;;) {
          const page = await sql<{ row: unknown }>`fetch ${sql.lit(PAGE_SIZE)} from rows`.execute(db)
          if (!page.rows.length) break
          count += page.rows.length
          yield `${JSON.stringify({ table, rows: page.rows.map(({ row }) => row) })}\n`
        }
        await sql`close rows`.execute(db)
      }
    }
    await pipeline(Readable.from(lines()), createGzip(), createWriteStream(partFile, { mode: 0o600 }))
  })
  await rename(partFile, file)
  return count
}

/** The schema may be older than this version, because a backup is made before an update. */
async function requireBackupable(db: Db): Promise<string[]> {
  const { migrations, newer } = await schemaOf(db)
  if (!migrations.length) throw new OperatorError('This database has no tables yet.')
  if (newer.length)
    throw new OperatorError(`This database has ${newer.join(', ')}: back it up with the version that added it.`)
  return migrations
}

const Header = z.object({ foyer: z.literal(1), migrations: z.array(z.string()) })
const Page = z.object({ table: z.string(), rows: z.array(z.unknown()) })

/** Restores into an empty, migrated database, all or nothing. `check` throws if what was restored cannot be used. */
export async function restore(db: Db, file: string, check: (db: Db) => Promise<void>): Promise<number> {
  const migrations = await appliedMigrations(db)
  return inTransaction(db, async (db) => {
    const sponsor = await db.selectFrom('sponsor').select('site').executeTakeFirst()
    if (sponsor)
      throw new OperatorError(
        'This database is not empty. Restore into a new one, or empty it with: npm run db -- reset --empty --yes',
      )
    let count = 0
    let line = 0
    for await (const text of linesOf(file)) {
      const where = `${file}:${++line}`
      if (line === 1) {
        const saved = parseLine(Header, text, where).migrations
        if (saved.join() !== migrations.join())
          throw new OperatorError(
            `The backup has the schema ${saved.at(-1)}, but this database has ${migrations.at(-1)}.`,
          )
        continue
      }
      const page = parseLine(Page, text, where)
      const table = tables.find((name) => name === page.table)
      if (!table) throw new OperatorError(`${where} has rows of the table '${page.table}', which does not exist.`)
      await sql`insert into ${sql.table(table)} select * from jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(page.rows)}::jsonb)`
        .execute(db)
        .catch((error) => {
          throw isPermanentWriteError(error)
            ? new OperatorError(`${where} is invalid: ${error.message}. Nothing was restored.`)
            : error
        })
      count += page.rows.length
    }
    if (line === 0) throw new OperatorError(`${file} is empty.`)
    await check(db)
    return count
  })
}

function parseLine<Shape extends z.ZodMiniType>(shape: Shape, text: string, where: string): z.infer<Shape> {
  try {
    return z.parse(shape, JSON.parse(text))
  } catch {
    throw new OperatorError(`${where} is not part of a Foyer backup, or it is damaged. Nothing was restored.`)
  }
}

/** Splits at line feeds only. readline would also split at U+2028 and U+2029, which JSON does not escape. */
async function* linesOf(file: string) {
  let line = ''
  const unzipped = piped(createReadStream(file), createGunzip(), () => {}) // the loop below throws any error
  for await (const chunk of unzipped.setEncoding('utf8')) {
    const [end = '', ...rest] = (chunk as string).split('\n')
    line += end
    for (const next of rest) {
      yield line
      line = next
    }
  }
  if (line) yield line
}
