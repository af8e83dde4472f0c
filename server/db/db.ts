import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import type { PGlite } from '@electric-sql/pglite'
import { type Dialect, Kysely, PGliteDialect, PostgresAdapter, PostgresDialect, sql, type Transaction } from 'kysely'
import pg from 'pg'
import { databaseUrls, withoutPassword } from '#server/config/database-url.ts'
import { createBatchingDriver } from './batching-driver.ts'
import { type Connections, ImpatientClient, type Presence, watchConnections } from './connections.ts'
import { lockFolder, markAsDatabase, prepareFolder } from './data-folder.ts'
import { currentPatience } from './outage.ts'
import { afterError, openPatiently, untilHere } from './patient-driver.ts'
import { ANY, CAN_WRITE } from './primary.ts'
import { openReader } from './replica.ts'
import type { Tables } from './tables.ts'

// Freeing WebAssembly code that PGlite no longer needs sometimes crashes Node 24 (nodejs/node#64500), so it is kept.
setFlagsFromString('--no-wasm-code-gc')

/** No other folder opens PostgreSQL or PGlite. */
export type Db = Kysely<Tables>

export type Database = {
  db: Kysely<Tables>
  /** One line for the operator. */
  description: string
  /** Call this after the first migration: from then on, an empty folder is an error and not a fresh start. */
  markInitialized: () => Promise<void>
  close: () => Promise<void>
  /** The replica if there is one and it keeps up, otherwise the database itself. */
  reader?: () => Promise<Db>
}

type Location = {
  DATABASE_URL: string | undefined
  DATABASE_REPLICA_URL?: string | undefined
  DATABASE_POOL: number
  DATA_DIR: string
}

/** Lets a drill observe or break the database. */
export type WrapDialect = (dialect: Dialect) => Dialect
const unchanged: WrapDialect = (dialect) => dialect

/** `isPatient`: queries wait while the database moves. */
export async function openDatabase(location: Location, wrap = unchanged, isPatient = true): Promise<Database> {
  const { DATABASE_URL, DATABASE_REPLICA_URL, DATABASE_POOL, DATA_DIR } = location
  if (!DATABASE_URL) return openEmbedded(DATA_DIR, wrap)
  const primary = connectTo(DATABASE_URL, DATABASE_POOL, wrap, { isPatient })
  const replica = DATABASE_REPLICA_URL
    ? connectTo(DATABASE_REPLICA_URL, DATABASE_POOL, wrap, { condition: ANY })
    : undefined
  return {
    db: primary,
    description: `PostgreSQL at ${withoutPassword(DATABASE_URL)}`,
    markInitialized: async () => undefined,
    close: async () => void (await Promise.all([primary.destroy(), replica?.destroy()])),
    ...(replica && { reader: openReader(primary, replica, () => presenceOf(replica)?.awaySince === undefined) }),
  }
}

const INT8 = 20
const DATE = 1082
/** A day has no time zone, so it stays text: '2026-11-17'. */
const asText = (value: string) => value
pg.types.setTypeParser(INT8, Number)
pg.types.setTypeParser(DATE, asText)

type Connecting = { condition?: string; isPatient?: boolean }

function connectTo(databaseUrl: string, max: number, wrap: WrapDialect, { condition, isPatient }: Connecting): Db {
  const urls = databaseUrls(databaseUrl)
  const pool = new pg.Pool({
    connectionString: urls[0],
    max,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    query_timeout: 20_000,
    pipeline: true,
    ...(urls.length > 1 && { Client: ImpatientClient }),
  })
  const connections = watchConnections(pool, urls, condition)
  const dialect = wrap(new PooledDialect(pool, connections))
  const db = isPatient ? openPatiently<Tables>(dialect, connections.presence.suspect) : new Kysely<Tables>({ dialect })
  presences.set(db, connections.presence)
  return db
}

const presences = new WeakMap<Db, Presence>()

/** The embedded database is always there. */
export const presenceOf = (db: Db): Presence | undefined => presences.get(db)

/** Not on a standby, nor on a server that was made read-only. */
export async function canWrite(db: Db): Promise<boolean> {
  const { rows } = await sql<{ can_write: boolean }>`select ${sql.raw(CAN_WRITE)} as can_write`.execute(db)
  const isWritable = rows[0]?.can_write === true
  if (!isWritable) presenceOf(db)?.suspect()
  return isWritable
}

/** Behind a pooler, every transaction may run in another session, so Kysely's session lock is off. lockMigrations replaces it. */
class PooledDialect extends PostgresDialect {
  readonly #pool: pg.Pool
  readonly #connections: Connections
  constructor(pool: pg.Pool, connections: Connections) {
    super({ pool })
    this.#pool = pool
    this.#connections = connections
  }
  override createDriver() {
    return createBatchingDriver(this.#pool, this.#connections)
  }
  override createAdapter() {
    return new SessionlessAdapter()
  }
}
class SessionlessAdapter extends PostgresAdapter {
  override async acquireMigrationLock() {}
  override async releaseMigrationLock() {}
}

async function openEmbedded(dataDir: string, wrap: WrapDialect): Promise<Database> {
  const unlock = await lockFolder(dataDir)
  try {
    const folder = await prepareFolder(dataDir)
    const { PGlite } = await import('@electric-sql/pglite') // loaded only if it is used
    const db = embedded(await PGlite.create(folder.path), wrap)
    return {
      db,
      description: `embedded PGlite in ${dataDir}: for trials and small demos. Use PostgreSQL (DATABASE_URL) for real payments`,
      markInitialized: () => markAsDatabase(dataDir),
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

/** PGlite runs in this thread, and a series of queries would block timers, so each query first yields to the event loop. */
export const embedded = (pglite: PGlite, wrap = unchanged): Kysely<Tables> => {
  class YieldingDialect extends PGliteDialect {
    override createDriver() {
      const driver = super.createDriver()
      const acquire = driver.acquireConnection.bind(driver)
      driver.acquireConnection = async (options) => {
        await yieldToLoop()
        return acquire(options)
      }
      return driver
    }
  }
  pglite.parsers[DATE] = asText
  return openPatiently<Tables>(wrap(new YieldingDialect({ pglite })))
}

/** Serialization failure and deadlock. */
const RETRYABLE = new Set(['40001', '40P01'])
const MAX_ATTEMPTS = 5

const commitHooks = new WeakMap<Db, (() => void)[]>()

/** Calls `hook` once the transaction has committed. Without a transaction, everything before is committed. */
export function afterCommit(db: Db, hook: () => void): void {
  const hooks = commitHooks.get(db)
  if (hooks) hooks.push(hook)
  else hook()
}

/** `work` may run more than once, so it must have no side effects outside the database: see afterCommit. */
export async function inTransaction<Result>(
  db: Db,
  work: (db: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  if (db.isTransaction) return work(db as Transaction<Tables>) // the outer transaction is retried as a whole
  const patience = currentPatience()
  for (let attempt = 1; ; ) {
    const hooks: (() => void)[] = []
    let done: { result: Result } | undefined
    await untilHere(db, patience)
    try {
      const result = await db.transaction().execute(async (transaction) => {
        commitHooks.set(transaction, hooks)
        const result = await work(transaction)
        done = { result } // in case the answer to the commit is lost
        return result
      })
      done = { result }
    } catch (error) {
      if (RETRYABLE.has(codeOf(error))) {
        if (attempt++ === MAX_ATTEMPTS) throw error
        continue
      }
      if ((await afterError(db, error, patience)) === 'repeat') continue
    }
    if (!done) throw new Error('A transaction was committed before its work was done.')
    for (const hook of hooks) hook()
    return (done as { result: Result }).result
  }
}

/** Retrying is useless: a value is invalid, or a constraint is violated. */
export const isPermanentWriteError = (error: unknown): boolean => /^2[23]/.test(codeOf(error))

/** Nothing was written. The caller may try another way, or find out why. */
export const isRejectedWrite = (error: unknown): boolean => isPermanentWriteError(error) || RETRYABLE.has(codeOf(error))

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error && 'code' in error && typeof error.code === 'string' ? error.code : ''
