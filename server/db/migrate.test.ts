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

const newTables = ['one_time_key', 'lease', 'breaker', 'breaker_trip', 'reconciliation_run', 'email_link']

/** Runs the statements of a migration, or only those that mention a table. Later migrations stay applied. */
async function run(file: string, table = '') {
  const text = await readFile(new URL(`migrations/${file}`, import.meta.url), 'utf8')
  const mentionsTable = new RegExp(table && `\\b(?:table|on) ${table}\\b`)
  for (const statement of text.replaceAll(/--.*$/gm, '').split(/;\s*$/m))
    if (statement.trim() && mentionsTable.test(statement)) await sql.raw(statement).execute(database.db)
}

it('9.1 every row of the table spent finds its place when the table is split', async () => {
  const { db } = database
  for (const table of newTables) await sql`drop table ${sql.table(table)}`.execute(db)
  await run('0001_foyer.sql', 'spent')
  await run('0003_money.sql', 'spent')
  await run('0004_office.sql', 'letter_key')
  const expires_at = new Date('2026-11-17T12:00:00.000Z')
  const trip = new Date('2026-11-16T08:30:00.123Z')
  const reconciled = new Date('2026-11-16T09:00:00.456Z')
  const rows: [kind: string, key: string, used_by: string | null][] = [
    ['grant', 'jti', null],
    ['letter', 'hash', null],
    ['captcha', 'signature', 'zoe'],
    ['code', '+12025550123', null],
    ['comparison', '2974', null],
    ['breaker', 'declines', null],
    ['breaker codes', trip.toISOString(), null],
    ['compared', reconciled.toISOString(), null],
  ]
  for (const [kind, key, used_by] of rows)
    await sql`insert into spent (kind, key, expires_at, used_by) values (${kind}, ${key}, ${expires_at}, ${used_by})`.execute(
      db,
    )

  await run('0010_plain_names.sql')
  expect(await db.selectFrom('one_time_key').selectAll().orderBy('kind').execute()).toEqual([
    { kind: 'captcha', key: 'signature', used_by: 'zoe', expires_at },
    { kind: 'grant', key: 'jti', used_by: null, expires_at },
    { kind: 'letter', key: 'hash', used_by: null, expires_at },
  ])
  expect(await db.selectFrom('lease').selectAll().orderBy('name').execute()).toEqual([
    { name: 'code', key: '+12025550123', expires_at },
    { name: 'reconciliation', key: '2974', expires_at },
  ])
  expect(await db.selectFrom('breaker').selectAll().execute()).toEqual([{ name: 'declines', open_until: expires_at }])
  expect(await db.selectFrom('breaker_trip').selectAll().execute()).toEqual([
    { breaker: 'codes', tripped_at: trip, expires_at },
  ])
  expect(await db.selectFrom('reconciliation_run').selectAll().execute()).toEqual([
    { finished_at: reconciled, expires_at },
  ])
  expect(await db.selectFrom('email_link').selectAll().execute()).toEqual([])
})

it('16.2 enrollments that only chose a sponsor are deleted when the address decides, and those that tried to pay stay', async () => {
  const { db } = database
  await run('0009_choices.sql', 'enrollment')
  const now = new Date('2026-11-16T09:00:00.000Z')
  const [chose, tried, plain] = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`)
  await sql`insert into enrollment (id, created_at, expires_at)
    values (${chose}, ${now}, ${now}), (${tried}, ${now}, ${now}), (${plain}, ${now}, null)`.execute(db)
  for (const id of [chose, tried])
    await sql`insert into sponsor_touch values (${id}, 1, 'ana', 'chosen', ${now}, 'hash')`.execute(db)
  await sql`insert into payment (enrollment_id, attempt, reference, state, amount_cents, gateway, leased_until, created_at, updated_at)
    values (${tried}, 1, 'reference', 'declined', 9900, 'sandbox', ${now}, ${now}, ${now})`.execute(db)
  await run('0011_address_decides.sql')
  const ids = await db.selectFrom('enrollment').select('id').orderBy('id').execute()
  expect(ids).toEqual([{ id: tried }, { id: plain }])
  const touches = await db.selectFrom('sponsor_touch').select('enrollment_id').execute()
  expect(touches).toEqual([{ enrollment_id: tried }])
})
