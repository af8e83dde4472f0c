import { readdir, readFile } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { OperatorError, READ_ONLY } from '#server/operator-error.ts'
import { type Db, inTransaction } from './db.ts'

const folder = new URL('migrations/', import.meta.url)

/** Plain SQL files, applied in the order of their names, each once. */
const provider = {
  async getMigrations(): Promise<Record<string, Migration>> {
    return Object.fromEntries((await filesOf()).map((name) => [name, { up: (db) => applyFile(name, db) }]))
  },
}

const filesOf = async () => (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
const textOf = (name: string) => readFile(new URL(name, folder), 'utf8')

/** PGlite takes one statement at a time, and a statement here ends with a semicolon at the end of a line. */
async function applyFile(name: string, db: Kysely<unknown>): Promise<void> {
  for (const statement of (await textOf(name)).split(/;\s*$/m))
    if (statement.trim()) await sql.raw(statement).execute(db)
}

const TURN = 3_853_314

/** Processes that start together take turns: the next one goes on when the transaction of this one has ended. */
export const lockMigrations = (db: Db) => sql`select pg_advisory_xact_lock(${TURN})`.execute(db)

/** Brings the schema up to date, all or nothing, and names what it applied. */
export const migrate = (db: Db): Promise<string[]> =>
  inTransaction(db, async (db) => {
    await lockMigrations(db)
    await refuseNewer(db)
    await refuseUnfit(db)
    const { error, results = [] } = await new Migrator({ db, provider }).migrateToLatest()
    if (error) throw error
    return results.map(({ migrationName }) => migrationName)
  })

/** The names of the migrations that a database has: also of those that only a newer version knows. */
export async function appliedMigrations(db: Db): Promise<string[]> {
  if (!(await tablesOf(db)).has('kysely_migration')) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** How a database differs from what this version brings. */
export async function schemaOf(db: Db) {
  const migrations = await appliedMigrations(db)
  const known = Object.keys(await provider.getMigrations())
  return {
    migrations,
    missing: known.filter((name) => !migrations.includes(name)),
    newer: migrations.filter((name) => !known.includes(name)),
  }
}

/** Nobody writes into what a newer version has made. */
export async function refuseNewer(db: Db): Promise<void> {
  const { newer } = await schemaOf(db)
  if (newer.length)
    throw new OperatorError(
      `This database has ${newer.join(', ')}, which this version of Foyer does not know. Start the newer version that brought it.`,
    )
}

type Fitness = { role: string; schema: string | null; mayMake: boolean; encoding: string; locked: string }

/** Nobody writes into what cannot hold it. Asked beforehand, because Kysely hides why its first statement failed. */
async function refuseUnfit(db: Db): Promise<void> {
  const { rows } = await sql<Fitness>`
    select quote_ident(current_user) as role, quote_ident(current_schema()) as schema,
      has_schema_privilege(current_schema(), 'create') as "mayMake",
      current_setting('server_encoding') as encoding, current_setting('transaction_read_only') as locked`.execute(db)
  const isNew = rows.some(({ schema, mayMake }) => !schema || !mayMake) && !(await appliedMigrations(db)).length
  const problems = rows.flatMap(({ role, schema, mayMake, encoding, locked }) => [
    encoding !== 'UTF8' &&
      `This database keeps its text as ${encoding}, and not every name can be written so. Make another with createdb -T template0 -E UTF8 NAME; what is in this one can be moved with npm run db -- backup FILE.`,
    locked === 'on' && READ_ONLY,
    isNew && !schema && `There is no schema on the search_path that ${role} may use.`,
    isNew &&
      !mayMake &&
      `${role} may not make tables in the schema ${schema}. Let its owner run: GRANT CREATE ON SCHEMA ${schema} TO ${role};`,
  ])
  for (const problem of problems) if (problem) throw new OperatorError(problem)
}

/** Who only looks changes no schema: an older version may be running on it. */
export async function requireSchema(db: Db): Promise<void> {
  const { missing } = await schemaOf(db)
  if (missing.length)
    throw new OperatorError(`This database does not have ${missing.join(', ')} yet. Run first: npm run db -- migrate`)
}

/** The tables that there are. */
export async function tablesOf(db: Db): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select tablename::text as name from pg_tables where schemaname = current_schema()`.execute(db)
  return new Set(rows.map(({ name }) => name))
}

/** Those that the migrations make, and the two in which Kysely keeps account of them. */
async function ourTables(): Promise<string[]> {
  const texts = await Promise.all((await filesOf()).map(textOf))
  const made = texts.flatMap((text) => [...text.matchAll(/^create table (\w+)/gm)].map(([, name = '']) => name))
  return [...made, 'kysely_migration', 'kysely_migration_lock']
}

/** Removes ours, and leaves the schema: it may be another's, and others may have theirs in it. What hangs on ours prevents it. */
export async function dropTables(db: Db): Promise<void> {
  await lockMigrations(db)
  await refuseNewer(db)
  const existing = await tablesOf(db)
  const names = (await ourTables()).filter((name) => existing.has(name)).map((name) => sql.id(name))
  if (names.length) await sql`drop table ${sql.join(names)}`.execute(db)
}
