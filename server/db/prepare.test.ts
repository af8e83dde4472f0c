import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seed } from '#server/cli/seed.ts'
import { explainError, OperatorError } from '#server/operator-error.ts'
import { databaseUrl, isPostgres, runSql, testDatabase } from '#server/test/database.ts'
import { backup } from './backup.ts'
import { type Database, openDatabase } from './db.ts'
import { prepareDatabase } from './prepare.ts'

const PROCESSES = 4
const now = new Date('2026-01-01T00:00:00Z')

let database: Awaited<ReturnType<typeof testDatabase>>
let starting: Database[]
beforeAll(async () => {
  database = await testDatabase()
  await sql`drop schema public cascade`.execute(database.db)
  await sql`create schema public`.execute(database.db)
  const { url } = database
  const open = () => (url ? openDatabase({ DATABASE_URL: url, DATABASE_POOL: 2, DATA_DIR: '' }) : database)
  starting = await Promise.all(Array.from({ length: PROCESSES }, open))
})
afterAll(async () => {
  if (database.url) await Promise.all(starting.map(({ close }) => close()))
  await database.close()
})

it('9.8 processes that start at once on an empty database migrate once, seed once, and leave no lock behind', async () => {
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)
  await Promise.all(starting.map((each) => prepareDatabase(each, { production: false, now, seed, print })))
  expect(lines.filter((line) => line.startsWith('loaded'))).toHaveLength(1)
  expect(new Set(lines).size).toBe(lines.length)
  const { rows } = await sql`
    select from pg_locks join pg_database on oid = database
    where locktype = 'advisory' and datname = current_database()`.execute(database.db)
  expect(rows).toEqual([])
})

it('9.7 in production, an empty database is not seeded, and the start says what to do', async () => {
  await sql`truncate sponsor cascade`.execute(database.db)
  const start = prepareDatabase(starting[0] ?? database, { production: true, now, seed, print: () => undefined })
  const problem = explainError(await start.catch((error: unknown) => error))
  expect(problem).toBe(
    "This database has no sponsor 'master' yet. Load your own sponsors, packages and documents with: npm run db -- load DIR",
  )
  expect(await database.db.selectFrom('sponsor').select('site').execute()).toEqual([])
})

it('9.9 an older version does not touch the database of a newer one, and explains what to do', async () => {
  await sql`insert into kysely_migration (name, timestamp) values ('9999_later.sql', '2027')`.execute(database.db)
  const start = prepareDatabase(starting[0] ?? database, { production: false, now, seed, print: () => undefined })
  await expect(start).rejects.toThrow(OperatorError)
  await expect(start).rejects.toThrow(
    'This database has 9999_later.sql, which this version of Foyer does not know. Start the newer version that added it.',
  )
})

describe.runIf(isPostgres)('an unusable PostgreSQL database', () => {
  const server = process.env.DATABASE_URL_TEST ?? 'postgres:'
  const name = `foyer_unfit_${process.pid}`
  const own = databaseUrl(server, name)
  const asPoor = `${own}?options=-crole%3Dpoor-role`
  afterAll(async () => {
    await runSql(server, `drop database if exists ${name} with (force)`)
    await runSql(server, 'drop role if exists "poor-role"')
  })

  /** The sentence that the operator sees at startup. */
  const startProblem = async (url: string) => {
    const opened = await openDatabase({ DATABASE_URL: url, DATABASE_POOL: 1, DATA_DIR: '' })
    const start = prepareDatabase(opened, { production: false, now, seed, print: () => undefined })
    const problem = await start.catch((error: unknown) => error)
    await opened.close()
    return explainError(problem)
  }

  it('8.1 a role that may not create tables is told what to run', async () => {
    await runSql(server, `create database ${name}`)
    await runSql(server, 'create role "poor-role" login')
    await runSql(own, 'revoke create on schema public from public')
    const problem = await startProblem(asPoor)
    expect(problem).toMatch(/^"poor-role" may not create tables in the schema public\. As its owner, run: GRANT /)
    await runSql(own, problem?.split('run: ')[1] ?? '')
    expect(await startProblem(asPoor)).toBeUndefined()
    await runSql(own, 'revoke create on schema public from "poor-role"')
    expect(await startProblem(asPoor)).toBeUndefined() // all tables exist already
  })

  it('8.1 a read-only database is explained in one sentence, with and without our tables', async () => {
    const sentence = 'This database is read-only. Set DATABASE_URL to the primary, not to a replica.'
    const readOnly = (url: string) => `${url}?options=-cdefault_transaction_read_only%3Don`
    expect(await startProblem(readOnly(own))).toBe(sentence)
    await runSql(own, 'drop schema public cascade')
    expect(await startProblem(own)).toMatch(/^There is no schema on the search_path that \w+ may use\.$/)
    await runSql(own, 'create schema public')
    expect(await startProblem(readOnly(own))).toBe(sentence)
  })

  it('9.1 a database that is not UTF8 is refused, but can be backed up', async () => {
    await runSql(server, `drop database if exists ${name} with (force)`)
    await runSql(server, `create database ${name} encoding 'LATIN1' locale 'C' template template0`)
    expect(await startProblem(own)).toMatch(
      /^This database has the encoding LATIN1, .+ createdb -T template0 -E UTF8 NAME,/,
    )

    await runSql(own, "create table kysely_migration as select '0001_foyer.sql' as name")
    await runSql(own, "create table sponsor as select 'Zoë' as name")
    const folder = await mkdtemp(join(tmpdir(), 'foyer-latin-'))
    const opened = await openDatabase({ DATABASE_URL: own, DATABASE_POOL: 1, DATA_DIR: '' })
    expect(await backup(opened.db, join(folder, 'saved'))).toBe(1)
    await opened.close()
    expect(gunzipSync(await readFile(join(folder, 'saved'))).toString()).toContain('"Zoë"')
    await rm(folder, { recursive: true })
  })
})
