import { MASTER } from '#contract/site.ts'
import { OperatorError } from '#server/operator-error.ts'
import { type Database, type Db, inTransaction } from './db.ts'
import { lockMigrations, migrate } from './migrate.ts'

const samples = new URL('seed/', import.meta.url)

type Making = { production: boolean; now: Date; say: (line: string) => void }

/** Brings the schema up to date; an empty database gets the sample data, but never in production. */
export async function prepareDatabase({ db, finished }: Database, { production, now, say }: Making): Promise<void> {
  for (const name of await migrate(db)) say(`applied ${name}`)
  await finished()
  if (production) await requireMaster(db)
  else if (!(await hasMaster(db)) && (await seedOnce(db, now)))
    say('loaded the sample sponsors, packages and documents')
}

/** Nothing can be done on a database that nobody has loaded anything into. */
export async function requireMaster(db: Db): Promise<void> {
  if (!(await hasMaster(db)))
    throw new OperatorError(
      `This database has no sponsor '${MASTER}' yet. Load your own sponsors, packages and documents with: npm run db -- load DIR`,
    )
}

/** Of processes that start together one does it. */
const seedOnce = (db: Db, now: Date) =>
  inTransaction(db, async (db) => {
    await lockMigrations(db)
    return !(await hasMaster(db)) && seed(db, now)
  })

const hasMaster = (db: Db) => db.selectFrom('sponsor').select('id').where('site', '=', MASTER).executeTakeFirst()

/** The sample data is a folder like any operator's. What reads folders is fetched only when there is one to read. */
export async function seed(db: Db, now: Date): Promise<Record<string, number>> {
  const { loadFolder } = await import('./load.ts')
  return loadFolder(db, samples, now)
}
