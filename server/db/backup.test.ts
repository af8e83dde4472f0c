import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { PGlite } from '@electric-sql/pglite'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { explainError } from '#server/operator-error.ts'
import { isPostgres, testDatabase } from '#server/test/database.ts'
import { allRows } from '#server/test/database-rows.ts'
import { memberInOffice } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { backup, restore, tables } from './backup.ts'
import { embedded } from './db.ts'
import { appliedMigrations, migrate, tablesOf } from './migrate.ts'

let site: Site
let folder: string
let file: string
beforeAll(async () => {
  site = await testSite()
  folder = await mkdtemp(join(tmpdir(), 'foyer-backup-'))
  file = join(folder, 'all.jsonl.gz')
})
afterAll(async () => {
  await site.close()
  await rm(folder, { recursive: true, force: true })
})

/** A database of this run's kind with empty tables. */
const emptied = async () => {
  const database = await testDatabase()
  const tables = [...(await tablesOf(database.db))].filter((name) => !name.startsWith('kysely'))
  await sql`truncate ${sql.join(tables.map((name) => sql.table(name)))}`.execute(database.db)
  return database
}

/** An empty embedded database. In the embedded run it is an emptied copy of the seeded one, because that is faster. */
const empty = async () => {
  if (!isPostgres) return (await emptied()).db
  const fresh = embedded(await PGlite.create())
  await migrate(fresh, new Date())
  return fresh
}

/** Short-lived tables, and the times of the migrations. */
const excluded = [
  'limit_count',
  'open_use',
  'sandbox_code',
  'office_session',
  'pending_sign_in',
  'console_session',
  'built_file',
  'kysely_migration',
  'kysely_migration_lock',
  'limit_refusal',
  'funnel_hit',
  'member_import',
  'import_line',
  'import_problem',
]

it('9.6 every table is either in a backup, or left out on purpose', async () => {
  expect([...(await tablesOf(site.db))].sort()).toEqual([...tables, ...excluded].sort())
})

const backedUpRows = async (db: Site['db']) => {
  const all = Object.entries(await allRows(db))
  return Object.fromEntries(all.filter(([table]) => !excluded.includes(table)))
}

const anySecret = async () => undefined

it('9.6 restores everything, from this database into an embedded one and back', async () => {
  const { cookie } = await memberInOffice(site, { username: 'saved', business_name: 'Ünïcode "quotes" \\ Co' })
  await site.get('/ana', { cookie })
  const lines = 'One\u2028two\u2029three' // line separators for some readers, but not in a backup
  await site.db.updateTable('sponsor').set({ name: lines }).where('site', '=', 'master').execute()
  const original = await backedUpRows(site.db)
  const count = await backup(site.db, file)
  const copy = await empty()
  expect(await restore(copy, file, anySecret)).toBe(count)
  expect(await backedUpRows(copy)).toEqual(original)
  await expect(restore(copy, file, anySecret)).rejects.toThrow('npm run db -- reset --empty --yes')

  expect(await backup(copy, file)).toBe(count)
  await copy.destroy()
  const back = await emptied()
  expect(await restore(back.db, file, anySecret)).toBe(count)
  expect(await backedUpRows(back.db)).toEqual(original)
  await back.close()
})

it('9.6 restores all or nothing', async () => {
  const { db: copy, close } = await emptied()
  const header = JSON.stringify({ foyer: 1, migrations: await appliedMigrations(copy) })
  const row = JSON.stringify({ table: 'legal_text', rows: [{ sha256: 'x', content: 'y' }] })
  const bad: [string, string, string][] = [
    ['cut', `${header}\n${row}\n{"table":"nothing","rows":[]}\n`, "has rows of the table 'nothing'"],
    ['old', '{"foyer":1,"migrations":["0000_older.sql"]}\n', 'The backup has the schema 0000_older.sql'],
    ['other', '{"hello":1}\n', 'other:1 is not part of a Foyer backup'],
    ['words', 'hello\n', 'words:1 is not part of a Foyer backup, or it is damaged. Nothing was restored.'],
    ['nothing', 'null\n', 'nothing:1 is not part of a Foyer backup'],
    ['headless', '{"foyer":1}\n', 'headless:1 is not part of a Foyer backup'],
    ['broken', `${header}\n${row}\n${row.slice(1)}\n`, 'broken:3 is not part of a Foyer backup'],
    ['rowless', `${header}\n${row}\n{"table":"legal_text"}\n`, 'rowless:3 is not part of a Foyer backup'],
    ['textless', `${header}\n${row}\n${row.replace('"y"', 'null')}\n`, 'textless:3 is invalid: '],
    ['odd', `${header}\n${row}\n{"table":"legal_text","rows":[1]}\n`, 'odd:3 is invalid: '],
    ['empty', '', 'is empty'],
  ]
  for (const [name, text, sentence] of bad) {
    await writeFile(join(folder, name), gzipSync(text))
    expect(explainError(await restore(copy, join(folder, name), anySecret).catch((error) => error))).toContain(sentence)
  }
  expect(await copy.selectFrom('legal_text').selectAll().execute()).toEqual([])
  await close()
})

it('9.6 explains in one sentence that an incomplete or damaged backup was not restored', async () => {
  await backup(site.db, file)
  const whole = await readFile(file)
  const { db: copy, close } = await emptied()
  const short = join(folder, 'short.jsonl.gz')
  for (const length of [whole.length - 1, whole.length - 9, whole.length >> 1, 12]) {
    await writeFile(short, whole.subarray(0, length))
    const problem = await restore(copy, short, anySecret).catch((error) => error)
    expect(explainError(problem)).toBe('This backup is incomplete. Nothing was restored.')
  }
  for (const part of [0.1, 0.3, 0.5, 0.7, 0.9]) {
    const at = Math.floor(whole.length * part)
    await writeFile(short, Buffer.concat([whole.subarray(0, at), Buffer.from('oops'), whole.subarray(at + 4)]))
    const problem = await restore(copy, short, anySecret).catch((error) => error)
    expect(explainError(problem)).toMatch(/Nothing was restored/)
  }
  expect(await copy.selectFrom('legal_text').selectAll().execute()).toEqual([])
  expect(await copy.selectFrom('sponsor').selectAll().execute()).toEqual([])
  await close()
})

it('9.6 saves the schema as it is, before an update, in a file that only its owner can read', async () => {
  const { db: copy, close } = await emptied()
  const older = (await appliedMigrations(copy)).slice(0, -1)
  await sql`delete from kysely_migration where name > ${older.at(-1)}`.execute(copy)
  await sql`drop table email_link`.execute(copy)
  const saved = join(folder, 'older.jsonl.gz')
  await writeFile(`${saved}.part`, 'left over') // by an interrupted backup
  await backup(copy, saved)
  expect((await stat(saved)).mode & 0o777).toBe(0o600)
  const [first = ''] = gunzipSync(await readFile(saved))
    .toString()
    .split('\n')
  expect(JSON.parse(first).migrations).toEqual(older)
  expect(await appliedMigrations(copy)).toEqual(older)

  await sql`insert into kysely_migration (name, timestamp) values ('9999_newer.sql', '')`.execute(copy)
  await expect(backup(copy, saved)).rejects.toThrow('This database has 9999_newer.sql')
  await close()
})
