import { openAsBlob } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'
import { sql } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { seed } from '#server/cli/seed.ts'
import { markAsDatabase, prepareFolder } from '#server/db/data-folder.ts'
import { type Database, type Db, embedded, openDatabase, type WrapDialect } from '#server/db/db.ts'
import { tablesOf } from '#server/db/migrate.ts'

export const TEMPLATE = 'foyer_template'
export const SEEDED_AT = new Date('2026-01-01T00:00:00Z')

export const isPostgres = process.env.TEST_DB === 'postgres'

type TestDatabase = Database & { url: string | undefined }

/** A new migrated and seeded database, on PGlite or PostgreSQL, depending on the test run. */
export const testDatabase = async (wrap?: WrapDialect): Promise<TestDatabase> =>
  isPostgres ? postgresDatabase(wrap) : pgliteDatabase(embedded(await newPglite(), wrap))

const pgliteDatabase = (db: Db, close = () => db.destroy()): TestDatabase => ({
  db,
  description: 'a test',
  markInitialized: async () => undefined,
  close,
  url: undefined,
})

const newPglite = async () => PGlite.create({ loadDataDir: await openAsBlob(inject('dump')) })

/** Puts a migrated and seeded database into a data folder, as a first start does, which takes much longer. */
export async function fillDataFolder(dataDir: string) {
  const { path } = await prepareFolder(dataDir)
  const pglite = await PGlite.create({ dataDir: path, loadDataDir: await openAsBlob(inject('dump')) })
  await pglite.close()
  await markAsDatabase(dataDir)
}

/** The same, but PGlite instances are emptied and reused, because a new one takes much longer. Not if a test dropped a table. */
export async function reusedDatabase(): Promise<TestDatabase> {
  if (isPostgres) return postgresDatabase()
  const idle = idleDatabases.pop()
  const pglite = idle ?? (await newPglite())
  const db = embedded(withoutClose(pglite))
  if (idle) await resetDatabase(db)
  const { size } = await tablesOf(db)
  return pgliteDatabase(db, async () => {
    const hasAllTables = (await tablesOf(db)).size === size
    await db.destroy()
    if (hasAllTables) idleDatabases.push(pglite)
    else await pglite.close()
  })
}
const idleDatabases: PGlite[] = []

/** A PGlite that stays open when its user closes it. */
const withoutClose = (pglite: PGlite): PGlite =>
  new Proxy(pglite, {
    get: (target, name) => {
      if (name === 'close') return async () => undefined
      const value = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

async function resetDatabase(db: Db) {
  const tables = [...(await tablesOf(db))].filter((name) => !name.startsWith('kysely_'))
  await sql`truncate ${sql.join(tables.map((name) => sql.table(name)))} restart identity cascade`.execute(db)
  await seed(db, SEEDED_AT)
}

/** Records whether each statement on this database reads or writes. */
export function recordStatements(original: Db) {
  const statements: ('read' | 'write')[] = []
  const db = original.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      statements.push(result.numAffectedRows ? 'write' : 'read')
      return result
    },
  })
  return { db, statements }
}

/** Runs a hook before every transaction. */
export const beforeTransactions = (original: Db, hook: () => Promise<unknown>): Db =>
  new Proxy(original, {
    get(db, name) {
      if (name === 'transaction')
        return () => ({
          execute: async (work: Parameters<ReturnType<Db['transaction']>['execute']>[0]) => {
            await hook()
            return db.transaction().execute(work)
          },
        })
      const value = Reflect.get(db, name)
      return typeof value === 'function' ? value.bind(db) : value
    },
  })

const POOL = 20

/**
 * How often each of these tables was read from end to end, on PostgreSQL. A connection reports what it has read only after a
 * while, so every connection of the pool is told to report now.
 */
export async function countScans(db: Db, tables: string[]): Promise<Record<string, number>> {
  const report = () => sql`select pg_stat_force_next_flush(), pg_sleep(0.05)`.execute(db)
  await Promise.all(Array.from({ length: POOL }, report))
  const { rows } = await sql<{ name: string; scans: number }>`
    select relname as name, seq_scan as scans from pg_stat_user_tables where relname in (${sql.join(tables)})`.execute(
    db,
  )
  return Object.fromEntries(rows.map(({ name, scans }) => [name, Number(scans)]))
}

let databaseCount = 0

async function postgresDatabase(wrap?: WrapDialect) {
  const server = process.env.DATABASE_URL_TEST ?? ''
  const name = `foyer_test_${process.pid}_${databaseCount++}`
  await runSql(server, `create database ${name} template ${TEMPLATE} strategy file_copy`)
  const url = databaseUrl(server, name)
  const database = await openDatabase({ DATABASE_URL: url, DATABASE_POOL: POOL, DATA_DIR: '' }, wrap)
  const close = async () => {
    await database.close()
    await runSql(server, `drop database if exists ${name} with (force)`)
  }
  return { ...database, close, url }
}

/** The URL of another database on the same server. */
export const databaseUrl = (server: string, name: string) =>
  Object.assign(new URL(server), { pathname: `/${name}` }).href

export async function runSql(server: string, statement: string) {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(statement)
  await client.end()
}
