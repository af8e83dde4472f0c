import { setImmediate as turn } from 'node:timers/promises'
import type { PGlite } from '@electric-sql/pglite'
import { type Dialect, Kysely, PGliteDialect, PostgresAdapter, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { createBatchingDriver } from './batching-driver.ts'
import { lockFolder, markAsDatabase, prepareFolder } from './data-folder.ts'
import type { Tables } from './tables.ts'

/** The one door to PostgreSQL and to the embedded PGlite. */
export type Db = Kysely<Tables>

export type Database = {
  db: Kysely<Tables>
  /** Says what it is in one honest line. */
  description: string
  /** Call it once the schema stands: from then on an empty folder is an error, not a fresh start. */
  finished: () => Promise<void>
  close: () => Promise<void>
}

type Where = { DATABASE_URL: string | undefined; DATABASE_POOL: number; DATA_DIR: string }

/** What a drill puts around a database, to watch it or to break it. */
export type WrapDialect = (dialect: Dialect) => Dialect
const plain: WrapDialect = (dialect) => dialect

export const openDatabase = (where: Where, dress = plain): Promise<Database> =>
  where.DATABASE_URL
    ? openPostgres(where.DATABASE_URL, where.DATABASE_POOL, dress)
    : openEmbedded(where.DATA_DIR, dress)

const INT8 = 20
pg.types.setTypeParser(INT8, Number)

async function openPostgres(connectionString: string, max: number, dress: WrapDialect): Promise<Database> {
  const pool = new pg.Pool({
    connectionString,
    max,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    query_timeout: 20_000,
    pipeline: true,
  })
  pool.on('error', () => undefined) // an idle connection that broke is replaced by the next query
  pool.on('connect', (client) => client.on('error', () => undefined)) // one in use fails in the query that uses it
  const db = new Kysely<Tables>({ dialect: dress(new PooledDialect(pool)) })
  const { host, pathname } = new URL(connectionString)
  return {
    db,
    description: `PostgreSQL at ${host}${pathname}`,
    finished: async () => undefined,
    close: () => db.destroy(),
  }
}

/** A pooler may give every transaction another session: no lock of Kysely's may outlive one. `waitForTurn` is ours. */
class PooledDialect extends PostgresDialect {
  readonly #pool: pg.Pool
  constructor(pool: pg.Pool) {
    super({ pool })
    this.#pool = pool
  }
  override createDriver() {
    return createBatchingDriver(this.#pool)
  }
  override createAdapter() {
    return new SessionlessAdapter()
  }
}
class SessionlessAdapter extends PostgresAdapter {
  override async acquireMigrationLock() {}
  override async releaseMigrationLock() {}
}

async function openEmbedded(dataDir: string, dress: WrapDialect): Promise<Database> {
  const unlock = await lockFolder(dataDir)
  try {
    const folder = await prepareFolder(dataDir)
    const { PGlite } = await import('@electric-sql/pglite') // not for who has PostgreSQL
    const db = embedded(await PGlite.create(folder.path), dress)
    return {
      db,
      description: `embedded PGlite in ${dataDir}: good for trying and for small demonstrations; real money belongs on PostgreSQL (DATABASE_URL)`,
      finished: () => markAsDatabase(dataDir),
      close: async () => {
        await db.destroy()
        await unlock()
      },
    }
  } catch (error) {
    await unlock()
    throw error
  }
}

/** A Kysely over one PGlite. Queries in a row never let a timer through, so each checkout gives the loop a turn. */
export const embedded = (pglite: PGlite, dress = plain): Kysely<Tables> => {
  class PatientDialect extends PGliteDialect {
    override createDriver() {
      const driver = super.createDriver()
      const acquire = driver.acquireConnection.bind(driver)
      driver.acquireConnection = async (options) => {
        await turn()
        return acquire(options)
      }
      return driver
    }
  }
  return new Kysely<Tables>({ dialect: dress(new PatientDialect({ pglite })) })
}

/** PostgreSQL asks for these to be tried again; nobody else does. */
const RETRY = new Set(['40001', '40P01'])
const TRIES = 5

/** All or nothing. `work` may run more than once, so it touches the database only. */
export async function inTransaction<Result>(
  db: Db,
  work: (db: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  if (db.isTransaction) return work(db as Transaction<Tables>) // part of a larger one, which is tried again as a whole
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (attempt === TRIES || !RETRY.has(codeOf(error))) throw error
    }
  }
}

/** Everybody's turn with the database takes longer than anybody should wait. */
export const isPoolExhausted = (error: unknown): boolean =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect'

/** The data can never be written as it is: a value that does not fit, or a row that stands in the way. */
export const isPermanentWriteError = (error: unknown): boolean => /^2[23]/.test(codeOf(error))

/** Nothing of it was written. A longer way may find room, or find out why there is none. */
export const isRejectedWrite = (error: unknown): boolean => isPermanentWriteError(error) || RETRY.has(codeOf(error))

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error && 'code' in error && typeof error.code === 'string' ? error.code : ''
