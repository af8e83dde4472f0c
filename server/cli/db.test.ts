import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEVELOPMENT_SECRET } from '#server/config/secret.ts'
import { openDatabase } from '#server/db/db.ts'
import { callCommand } from '#server/test/command.ts'
import { fillDataFolder, isPostgres, testDatabase } from '#server/test/database.ts'
import { TEST_SECRET } from '#server/test/generous-settings.ts'
import { runProgram } from '#server/test/process.ts'
import { main as dbMain } from './db.ts'
import { main as reconcileMain } from './reconcile.ts'

let folder: string
let database: Awaited<ReturnType<typeof testDatabase>>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'foyer-cli-'))
  database = await testDatabase()
})
afterAll(async () => {
  await database.close()
  await rm(folder, { recursive: true, force: true })
})

/** The settings for this test's own database. */
const where = () => ({ DATA_DIR: join(folder, 'data'), ...(database.url ? { DATABASE_URL: database.url } : {}) })

/** On PostgreSQL, every command opens it again. */
const opened = () => (isPostgres ? undefined : database)

/** Runs `npm run db -- …` on it. */
const dbWith =
  (settings: Record<string, string>) =>
  (...args: string[]) =>
    callCommand(dbMain, args, { ...where(), ...settings }, opened())
const db = dbWith({})
const dbInProduction = dbWith({
  NODE_ENV: 'production',
  SECRET: TEST_SECRET,
  PUBLIC_URL: 'https://join.example',
  ALLOW_EMBEDDED: 'database,payment,phone,mail',
})

it('23.1 23.5 an operator makes new keys from the terminal, which the security log has', async () => {
  await db('seed')
  const made = await db('rekey')
  expect(made.output).toMatch(
    /^New keys were made. Every process uses them from \S+ on, without a restart.\nWhat the old/,
  )
  expect(await db('rekey')).toMatchObject({ code: 1, output: expect.stringMatching(/^New keys were made already\./) })
  expect((await db('rekey', '--revoke')).output).toContain('From then on, the old keys only')
  expect(await db('rekey', '--now')).toMatchObject({ code: 1, output: expect.stringContaining("no argument '--now'") })
  expect((await db('events', '--kind=key_rotated')).output.match(/key_rotated|A key was replaced/g)).toHaveLength(2)
  await db('reset', '--empty', '--yes')
})

it('9.4 9.6 an operator loads, lists, backs up, resets and restores from the terminal', async () => {
  expect((await db('seed')).output).toBe('Loaded 7 sponsors, 6 packages, 5 documents.\n')
  expect((await db('migrate')).output).toBe('The schema is up to date.\n')

  await writeFile(join(folder, 'sponsors.csv'), 'site,name,active,renamed_to\nfresh,Fresh Start,Yes,\n')
  expect((await db('load', folder)).output).toBe('Loaded 1 sponsor, 0 packages, 0 documents.\n')
  await writeFile(join(folder, 'sponsors.csv'), 'site,name,active,renamed_to\nNot fit,,Perhaps,\n')
  const refused = await db('load', folder)
  expect(refused.code).toBe(1)
  expect(refused.output).toContain("sponsors.csv:2: active must be Yes or No, not 'Perhaps'")

  const file = join(folder, 'backup.jsonl.gz')
  const missing = join(folder, 'missing')
  expect(await db('backup', join(missing, 'backup.jsonl.gz'))).toMatchObject({
    code: 1,
    output: `The folder ${missing} does not exist. Create it first.\n`,
  })
  expect((await db('backup', file)).output).toMatch(/^Wrote \d+ rows to /)
  expect(await db('reset', '--empty', '--yes')).toMatchObject({ code: 0, output: 'The database is empty.\n' })
  expect((await db('restore', file)).output).toMatch(/^Restored \d+ rows\.\n$/)
  const { output } = await db('list', 'sponsors')
  expect(output).toMatch(/^site +name +active +until +renamed to +member\n/)
  expect(output).toMatch(/^fresh +Fresh Start +Yes +No$/m)
  expect(output).toMatch(/\n\(8\)\n$/)
})

it('9.6 a backup is not restored with a different SECRET', async () => {
  const file = join(folder, 'sealed.jsonl.gz')
  await db('reset', '--yes')
  await db('rekey') // makes keys
  await db('backup', file)
  await db('reset', '--empty', '--yes')
  expect(await dbWith({ SECRET: TEST_SECRET })('restore', file)).toEqual({
    code: 1,
    output:
      'This backup was made with a different SECRET. Set SECRET or SECRET_PREVIOUS to that one. Nothing was restored.\n',
  })
  expect((await db('list', 'sponsors')).output).toContain('(0)')
  expect(await dbWith({ SECRET: TEST_SECRET, SECRET_PREVIOUS: DEVELOPMENT_SECRET })('restore', file)).toMatchObject({
    code: 0,
  })
})

it('9.7 production loads no sample data', async () => {
  const [seeded, reset] = [await dbInProduction('seed'), await dbInProduction('reset', '--yes')]
  expect(seeded).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^Sample data cannot be loaded in production/),
  })
  expect(reset).toMatchObject({ code: 0, output: 'The database is empty.\n' })
})

const needsConfirmation = (reason: string) => ({
  code: 1,
  output: expect.stringContaining(`A reset deletes all members and payments, and ${reason}. To confirm, add --yes.`),
})

it('9.10 a reset needs confirmation in production', async () => {
  await db('seed')
  expect(await dbInProduction('reset')).toMatchObject(needsConfirmation('this is production'))
  expect((await db('list', 'sponsors')).output).toContain('bluepier')
})

it.runIf(isPostgres)('9.10 a reset needs confirmation on PostgreSQL, and names it without its password', async () => {
  const url = Object.assign(new URL(database.url ?? ''), { password: 'hunter2' })
  const refused = await dbWith({ DATABASE_URL: url.href })('reset')
  expect(refused).toMatchObject(needsConfirmation(`DATABASE_URL is ${url.host}${url.pathname}`))
  expect(refused.output).not.toContain('hunter2')
  expect((await db('list', 'sponsors')).output).toContain('bluepier')
})

it.runIf(!isPostgres)('9.10 a reset needs confirmation once there are members', async () => {
  expect(await db('reset')).toMatchObject({ code: 0 })
  const id = randomUUID()
  await sql`insert into enrollment (id, created_at) values (${id}, '2026-11-15')`.execute(database.db)
  await sql`
      insert into member (id, enrollment_id, sponsor_id, level, username, email, password_hash, first_name, last_name,
        business_name, mobile_phone, address, address2, city, country, state, post_code, joined_at)
      select ${id}, ${id}, id, '', 'zoe', '', '', '', '', '', '', '', '', '', '', '', '', '2026-11-15'
      from sponsor where site = 'master'`.execute(database.db)
  expect(await db('reset')).toMatchObject(needsConfirmation('this database has members'))
  expect((await db('list', 'members')).output).toContain('zoe')
  expect(await db('reset', '--yes')).toMatchObject({ code: 0, output: 'The database has the sample data.\n' })
})

it.runIf(isPostgres)('9.10 a reset leaves other tables in the same database alone', async () => {
  const shared = await testDatabase()
  await sql`drop schema public cascade`.execute(shared.db)
  await sql`create schema public`.execute(shared.db)
  await sql`create schema own`.execute(shared.db)
  for (const schema of ['public', 'own'])
    await sql`create table ${sql.table(`${schema}.theirs`)} as select 1 as one`.execute(shared.db)
  const DATABASE_URL = `${shared.url}?options=-csearch_path%3Down`
  for (const _round of ['first', 'second'])
    expect(await dbWith({ DATABASE_URL })('reset', '--yes')).toMatchObject({
      code: 0,
      output: 'The database has the sample data.\n',
    })
  for (const schema of ['public', 'own'])
    expect((await sql`select * from ${sql.table(`${schema}.theirs`)}`.execute(shared.db)).rows).toHaveLength(1)
  expect((await sql`select from own.sponsor`.execute(shared.db)).rows).toHaveLength(7)
  await shared.close()
})

it.runIf(isPostgres)(
  '9.10 a reset removes nothing while other objects depend on our tables, and names them',
  async () => {
    const shared = await testDatabase()
    await sql`create schema own`.execute(shared.db)
    await sql`create view own.names as select username from member`.execute(shared.db)
    await sql`create table theirs (id uuid references member)`.execute(shared.db)
    const reset = () => dbWith({ DATABASE_URL: shared.url ?? '' })('reset', '--yes')
    const { code, output } = await reset()
    expect(code).toBe(1)
    expect(output).toMatch(
      /^Nothing was removed, because other objects depend on Foyer's tables\. Remove them first: .+\.\n$/,
    )
    expect(output).toContain('view own.names depends on table member')
    expect(output).toContain('constraint theirs_id_fkey on table theirs depends on table member')
    expect((await sql`select from own.names`.execute(shared.db)).rows).toEqual([])
    await sql`drop view own.names`.execute(shared.db)
    await sql`drop table theirs`.execute(shared.db)
    expect(await reset()).toMatchObject({ code: 0 })
    await shared.close()
  },
)

it.runIf(isPostgres)('9.9 a reset leaves the database of a newer version alone', async () => {
  const newer = await testDatabase()
  await sql`insert into kysely_migration (name, timestamp) values ('9999_later.sql', '2027')`.execute(newer.db)
  expect(await dbWith({ DATABASE_URL: newer.url ?? '' })('reset', '--yes')).toMatchObject({
    code: 1,
    output: expect.stringContaining('This database has 9999_later.sql'),
  })
  expect((await sql`select from sponsor`.execute(newer.db)).rows).not.toEqual([])
  await newer.close()
})

it.runIf(isPostgres)('9.10 a failed reset removes nothing', async () => {
  await db('seed')
  const own = await openDatabase({ DATABASE_URL: undefined, DATABASE_POOL: 1, ...where() })
  await sql`alter table page_hit rename to hits`.execute(own.db)
  await sql`create view page_hit as select 1 as one`.execute(own.db) // has the name of a table that the migration creates
  await own.close()
  expect((await db('reset', '--yes')).code).toBe(1)
  expect((await db('list', 'sponsors')).output).toContain('bluepier')
})

// They never open a database, so one run of them is enough.
it.skipIf(isPostgres).each([
  ['dance', 2, 'npm run db -- COMMAND'],
  ['load', 1, 'DIR is missing.'],
  ['restore', 1, 'FILE is missing.'],
  ['list cats', 1, 'enrollments, members, discrepancies, csp-reports, sponsors'],
  ['--help', 0, 'npm run db -- COMMAND'],
  ['reset --yes --help', 0, 'npm run db -- COMMAND'],
  ['backup -h', 0, 'npm run db -- COMMAND'],
  ['reset --emtpy --yes', 1, "reset has no argument '--emtpy'."],
  ['migrate --dry-run', 1, "migrate has no argument '--dry-run'."],
  ['backup --all', 1, "backup has no argument '--all'."],
  ['load my folder', 1, "load has no argument 'folder'."],
])('8.1 wrong arguments show the usage and open no database: %s', async (args, code, output) => {
  const elsewhere = join(folder, 'never')
  const answer = await dbWith({ DATA_DIR: elsewhere, DATABASE_URL: '' })(...args.split(' '))
  expect(answer).toMatchObject({ code, output: expect.stringContaining(output) })
  expect(answer.output).toContain('npm run db -- COMMAND')
  expect(existsSync(elsewhere)).toBe(false)
})

describe('a database without tables', () => {
  beforeAll(async () => {
    await sql`drop schema public cascade`.execute(database.db)
    await sql`create schema public`.execute(database.db)
  })

  it.each([
    ['db list members', 1, 'First run: npm run db -- migrate'],
    ['db credit zoe', 1, 'First run: npm run db -- migrate'],
    ['db backup nowhere', 1, 'This database has no tables yet.'],
    ['reconcile', 2, 'First run: npm run db -- migrate'],
  ])('9.6 stays without tables after %s', async (command, code, sentence) => {
    const [name, ...args] = command.replace('nowhere', join(folder, 'nowhere')).split(' ')
    expect(await callCommand(name === 'db' ? dbMain : reconcileMain, args, where(), opened())).toMatchObject({
      code,
      output: expect.stringContaining(sentence),
    })
  })

  it.runIf(isPostgres)(
    '9.6 9.9 gets neither sample data nor keys from npm run reconcile, which also leaves a newer database alone',
    async () => {
      const reconcile = () => callCommand(reconcileMain, [], where())
      await db('migrate')
      expect(await reconcile()).toMatchObject({
        code: 2,
        output: expect.stringContaining("This database has no sponsor 'master' yet."),
      })
      await db('seed')
      expect(await reconcile()).toMatchObject({ code: 0 })
      const own = await openDatabase({ DATABASE_URL: undefined, DATABASE_POOL: 1, ...where() })
      expect(await own.db.selectFrom('server_key').select('name').execute()).toEqual([])
      await sql`insert into kysely_migration (name, timestamp) values ('9999_later.sql', '2027')`.execute(own.db)
      await own.close()
      expect(await reconcile()).toMatchObject({
        code: 2,
        output: expect.stringContaining('This database has 9999_later.sql'),
      })
    },
  )
})

it.skipIf(isPostgres)('9.4 a command opens the data folder, and leaves it for the next one', async () => {
  await fillDataFolder(where().DATA_DIR)
  await writeFile(join(folder, 'sponsors.csv'), 'site,name,active,renamed_to\nfresh,Fresh Start,Yes,\n')
  expect((await callCommand(dbMain, ['load', folder], where())).code).toBe(0)
  expect((await callCommand(dbMain, ['list', 'sponsors'], where())).output).toContain('Fresh Start')
})

// The tests above and those of each command call it as a function. As a program it also gets its arguments and exit code right.
it.skipIf(isPostgres).each([
  ['server/cli/db.ts', ['dance'], 2, 'npm run db -- COMMAND'],
  ['server/cli/payments.ts', ['void', '--reason', 'A test'], 2, 'REFERENCE is missing.'],
  ['server/cli/reconcile.ts', ['--weeks', '3'], 2, 'npm run reconcile'],
  ['server/cli/staff.ts', ['invite'], 2, 'EMAIL is missing.'],
  ['server/cli/doctor.ts', ['--emial', 'x'], 2, "Unknown option '--emial'"],
  ['server/cli/scripts.ts', ['check', 'join.example'], 2, 'npm run scripts:inventory'],
])('8.1 %s is a program', async (script, args, code, output) => {
  const program = runProgram(script, args, { DATA_DIR: join(folder, 'never') })
  expect(await program.ended).toMatchObject({ code })
  expect(program.output()).toContain(output)
})
