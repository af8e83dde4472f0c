import { openAsBlob } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'
import { sql } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, type Db, embedded, openDatabase } from '#server/db/db.ts'
import { tablesOf } from '#server/db/migrate.ts'
import { seed } from '#server/db/prepare.ts'

export const TEMPLATE = 'foyer_template'
export const SEEDED_AT = new Date('2026-01-01T00:00:00Z')

export const isPostgres = process.env.TEST_DB === 'postgres'

type TestDatabase = Database & { url: string | undefined }

/** A migrated and seeded database of this test file's own, on the database that the run is about. */
export const testDatabase = async (): Promise<TestDatabase> =>
  isPostgres ? onPostgres() : onPglite(embedded(await newPglite()))

const onPglite = (db: Db, close = () => db.destroy()): TestDatabase => ({
  db,
  description: 'a test',
  markInitialized: async () => undefined,
  close,
  url: undefined,
})

const newPglite = async () => PGlite.create({ loadDataDir: await openAsBlob(inject('dump')) })

/** The same, but an embedded one is emptied and lent again, unless a table is missing then: another takes much longer. */
export async function lentDatabase(): Promise<TestDatabase> {
  if (isPostgres) return onPostgres()
  const used = returned.pop()
  const pglite = used ?? (await newPglite())
  const db = embedded(lent(pglite))
  if (used) await empty(db)
  const { size } = await tablesOf(db)
  return onPglite(db, async () => {
    const isWhole = (await tablesOf(db)).size === size
    await db.destroy()
    if (isWhole) returned.push(pglite)
    else await pglite.close()
  })
}
const returned: PGlite[] = []

/** The same, which outlives who has it. */
const lent = (pglite: PGlite): PGlite =>
  new Proxy(pglite, {
    get: (own, name) => {
      if (name === 'close') return async () => undefined
      const found = Reflect.get(own, name, own)
      return typeof found === 'function' ? found.bind(own) : found
    },
  })

async function empty(db: Db) {
  const tables = [...(await tablesOf(db))].filter((name) => !name.startsWith('kysely_'))
  await sql`truncate ${sql.join(tables.map((name) => sql.table(name)))} restart identity cascade`.execute(db)
  await seed(db, SEEDED_AT)
}

/** The same database, and what it was asked for since: to find or to change something. */
export function watched(original: Db) {
  const asked: ('find' | 'change')[] = []
  const db = original.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      asked.push(result.numAffectedRows ? 'change' : 'find')
      return result
    },
  })
  return { db, asked }
}

/** The same database, in which something happens before every transaction. */
export const beforeTransactions = (original: Db, happens: () => Promise<unknown>): Db =>
  new Proxy(original, {
    get(db, name) {
      if (name === 'transaction')
        return () => ({
          execute: async (work: Parameters<ReturnType<Db['transaction']>['execute']>[0]) => {
            await happens()
            return db.transaction().execute(work)
          },
        })
      const value = Reflect.get(db, name)
      return typeof value === 'function' ? value.bind(db) : value
    },
  })

let made = 0

async function onPostgres() {
  const server = process.env.DATABASE_URL_TEST ?? ''
  const name = `foyer_test_${process.pid}_${made++}`
  await run(server, `create database ${name} template ${TEMPLATE}`)
  const url = at(server, name)
  const database = await openDatabase({ DATABASE_URL: url, DATABASE_POOL: 20, DATA_DIR: '' })
  const close = async () => {
    await database.close()
    await run(server, `drop database if exists ${name} with (force)`)
  }
  return { ...database, close, url }
}

/** The address of a database on the same server. */
export const at = (server: string, name: string) => Object.assign(new URL(server), { pathname: `/${name}` }).href

export async function run(server: string, statement: string) {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(statement)
  await client.end()
}
