import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Mendable } from '#server/mendable.ts'
import { testDatabase } from '#server/test/database.ts'
import { type Database, openDatabase } from './open.ts'
import { makeReady } from './ready.ts'

const TOGETHER = 4
const now = new Date('2026-01-01T00:00:00Z')

let database: Awaited<ReturnType<typeof testDatabase>>
let starting: Database[]
beforeAll(async () => {
  database = await testDatabase()
  await sql`drop schema public cascade`.execute(database.db)
  await sql`create schema public`.execute(database.db)
  const { url } = database
  const open = () => (url ? openDatabase({ DATABASE_URL: url, DATABASE_POOL: 2, DATA_DIR: '' }) : database)
  starting = await Promise.all(Array.from({ length: TOGETHER }, open))
})
afterAll(async () => {
  if (database.url) await Promise.all(starting.map(({ close }) => close()))
  await database.close()
})

it('9.8 processes that start together on an empty database migrate once, seed once, and leave no lock behind', async () => {
  const said: string[] = []
  const say = (line: string) => void said.push(line)
  await Promise.all(starting.map((one) => makeReady(one, { production: false, now, say })))
  expect(said.filter((line) => line.startsWith('loaded'))).toHaveLength(1)
  expect(new Set(said).size).toBe(said.length)
  const { rows } = await sql`
    select from pg_locks join pg_database on oid = database
    where locktype = 'advisory' and datname = current_database()`.execute(database.db)
  expect(rows).toEqual([])
})

it('9.9 an older version does not touch the database of a newer one, and says what to do', async () => {
  await sql`insert into kysely_migration (name, timestamp) values ('9999_later.sql', '2027')`.execute(database.db)
  const start = makeReady(starting[0] ?? database, { production: false, now, say: () => undefined })
  await expect(start).rejects.toThrow(Mendable)
  await expect(start).rejects.toThrow(
    'This database has 9999_later.sql, which this version of Foyer does not know. Start the newer version that brought it.',
  )
})
