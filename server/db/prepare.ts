import { MASTER } from '#contract/site.ts'
import { OperatorError } from '#server/operator-error.ts'
import { type Database, type Db, inTransaction } from './db.ts'
import { lockMigrations, migrate } from './migrate.ts'

type Seed = (db: Db, now: Date) => Promise<unknown>
type PrepareOptions = {
  production: boolean
  /** False: an operator's API host has the sponsors, packages and documents. */
  hasCatalog?: boolean
  now: Date
  /** Loads the sample data. */
  seed: Seed
  print: (line: string) => void
}

/** Migrates the schema. An empty database gets the sample data, but not in production. */
export async function prepareDatabase(
  { db, markInitialized }: Database,
  { production, hasCatalog = true, now, seed, print }: PrepareOptions,
): Promise<void> {
  for (const name of await migrate(db, now)) print(`applied ${name}`)
  await markInitialized()
  if (!hasCatalog) return
  if (production) await requireMaster(db)
  else if (!(await hasMaster(db)) && (await seedOnce(db, now, seed)))
    print('loaded the sample sponsors, packages and documents')
}

/** Nothing works without sponsors, packages and documents. */
export async function requireMaster(db: Db): Promise<void> {
  if (!(await hasMaster(db)))
    throw new OperatorError(
      `This database has no sponsor '${MASTER}' yet. Load your own sponsors, packages and documents with: npm run db -- load DIR`,
    )
}

/** Only one of several processes that start at once seeds the database. */
const seedOnce = (db: Db, now: Date, seed: Seed) =>
  inTransaction(db, async (db) => {
    await lockMigrations(db)
    return !(await hasMaster(db)) && seed(db, now)
  })

const hasMaster = (db: Db) => db.selectFrom('sponsor').select('id').where('site', '=', MASTER).executeTakeFirst()
