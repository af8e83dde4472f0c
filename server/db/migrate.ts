import { readdir, readFile } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { OperatorError, READ_ONLY } from '#server/operator-error.ts'
import { type Db, inTransaction } from './db.ts'

const folder = new URL('migrations/', import.meta.url)

/** Plain SQL files, applied once each, in the order of their names. */
export const provider = {
  async getMigrations(): Promise<Record<string, Migration>> {
    return Object.fromEntries((await migrationFiles()).map((name) => [name, { up: (db) => applyFile(name, db) }]))
  },
}

const migrationFiles = async () => (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
const readMigration = (name: string) => readFile(new URL(name, folder), 'utf8')

/** PGlite runs one statement at a time. In our files, every statement ends with a semicolon at the end of a line. */
async function applyFile(name: string, db: Kysely<unknown>): Promise<void> {
  for (const statement of (await readMigration(name)).split(/;\s*$/m))
    if (statement.trim()) await sql.raw(statement).execute(db)
}

const MIGRATION_LOCK = 3_853_314

/** Held until the transaction ends, so that processes that start at once migrate one after the other. */
export const lockMigrations = (db: Db) => sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(db)

/**
 * Brings the schema up to date, all or nothing. Returns the names of the migrations that it applied. A migration that needs
 * the time reads the setting foyer.now.
 */
export const migrate = (db: Db, now: Date): Promise<string[]> =>
  inTransaction(db, async (db) => {
    await sql`select set_config('foyer.now', ${now.toISOString()}, true)`.execute(db)
    await lockMigrations(db)
    await refuseNewer(db)
    await refuseUnusable(db)
    const { error, results = [] } = await new Migrator({ db, provider }).migrateToLatest()
    if (error) throw error
    return results.map(({ migrationName }) => migrationName)
  })

/** Also those that only a newer version knows. */
export async function appliedMigrations(db: Db): Promise<string[]> {
  if (!(await tablesOf(db)).has('kysely_migration')) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** How the schema of a database differs from this version's. */
export async function schemaOf(db: Db) {
  const migrations = await appliedMigrations(db)
  const ours = Object.keys(await provider.getMigrations())
  return {
    migrations,
    missing: ours.filter((name) => !migrations.includes(name)),
    newer: migrations.filter((name) => !ours.includes(name)),
  }
}

/** An older version must not write to the database of a newer one. */
export async function refuseNewer(db: Db): Promise<void> {
  const { newer } = await schemaOf(db)
  if (newer.length)
    throw new OperatorError(
      `This database has ${newer.join(', ')}, which this version of Foyer does not know. Start the newer version that added it.`,
    )
}

type DatabaseInfo = { role: string; schema: string | null; mayCreate: boolean; encoding: string; readOnly: string }

/** Checked first, because Kysely hides why its first statement failed. */
async function refuseUnusable(db: Db): Promise<void> {
  const { rows } = await sql<DatabaseInfo>`
    select quote_ident(current_user) as role, quote_ident(current_schema()) as schema,
      has_schema_privilege(current_schema(), 'create') as "mayCreate",
      current_setting('server_encoding') as encoding, current_setting('transaction_read_only') as "readOnly"`.execute(
    db,
  )
  const isNew = rows.some(({ schema, mayCreate }) => !schema || !mayCreate) && !(await appliedMigrations(db)).length
  const problems = rows.flatMap(({ role, schema, mayCreate, encoding, readOnly }) => [
    encoding !== 'UTF8' &&
      `This database has the encoding ${encoding}, which cannot store every name. Create another one with createdb -T template0 -E UTF8 NAME, and move the data with npm run db -- backup FILE.`,
    readOnly === 'on' && READ_ONLY,
    isNew && !schema && `There is no schema on the search_path that ${role} may use.`,
    isNew &&
      !mayCreate &&
      `${role} may not create tables in the schema ${schema}. As its owner, run: GRANT CREATE ON SCHEMA ${schema} TO ${role};`,
  ])
  for (const problem of problems) if (problem) throw new OperatorError(problem)
}

/** Commands that only read do not migrate, because an older version may be running. */
export async function requireSchema(db: Db): Promise<void> {
  const { missing, migrations } = await schemaOf(db)
  if (!migrations.length) throw new OperatorError('This database has no tables yet. First run: npm run db -- migrate')
  if (missing.length)
    throw new OperatorError(`This database does not have ${missing.join(', ')} yet. First run: npm run db -- migrate`)
}

export async function tablesOf(db: Db): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select tablename::text as name from pg_tables where schemaname = current_schema()`.execute(db)
  return new Set(rows.map(({ name }) => name))
}

/** The tables of our migrations, and the two of Kysely's migrator. */
async function ourTables(): Promise<string[]> {
  const texts = await Promise.all((await migrationFiles()).map(readMigration))
  const names = texts.flatMap((text) => [...text.matchAll(/^create table (\w+)/gm)].map(([, name = '']) => name))
  return [...names, 'kysely_migration', 'kysely_migration_lock']
}

/** Drops only our tables, because the schema may hold others. Fails if another table depends on ours. */
export async function dropTables(db: Db): Promise<void> {
  await lockMigrations(db)
  await refuseNewer(db)
  const existing = await tablesOf(db)
  const names = (await ourTables()).filter((name) => existing.has(name)).map((name) => sql.id(name))
  if (names.length) await sql`drop table ${sql.join(names)}`.execute(db)
}
