import { openAsBlob } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, type Db, embedded, openDatabase } from '#server/db/open.ts'

export const TEMPLATE = 'foyer_template'

export const isPostgres = process.env.TEST_DB === 'postgres'

/** A migrated and seeded database of this test file's own, on the database that the run is about. */
export const testDatabase = (): Promise<Database & { url: string | undefined }> =>
  isPostgres ? onPostgres() : onPglite()

async function onPglite() {
  const db = embedded(await PGlite.create({ loadDataDir: await openAsBlob(inject('dump')) }))
  return { db, description: 'a test', finished: async () => undefined, close: () => db.destroy(), url: undefined }
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

let made = 0

async function onPostgres() {
  const server = process.env.DATABASE_URL_TEST ?? ''
  const name = `foyer_test_${process.pid}_${made++}`
  await run(server, `create database ${name} template ${TEMPLATE}`)
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
  const database = await openDatabase({ DATABASE_URL: url, DATABASE_POOL: 20, DATA_DIR: '' })
  const close = async () => {
    await database.close()
    await run(server, `drop database if exists ${name} with (force)`)
  }
  return { ...database, close, url }
}

async function run(server: string, statement: string) {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(statement)
  await client.end()
}
