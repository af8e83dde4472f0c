import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely'
import type { Db, Dress } from '#server/db/db.ts'

/** A statement as it leaves for the database, with those that went before it in the same transaction. */
export type Statement = { sql: string; parameters: readonly unknown[]; earlier: readonly Statement[] | undefined }
type Result = QueryResult<unknown>
type Meanwhile = void | Promise<void>

/** What is done around the database, from outside of the product. */
export type Watch = {
  before?: (statement: Statement) => Meanwhile
  after?: (statement: Statement) => Meanwhile
  beforeCommit?: (statements: readonly Statement[]) => Meanwhile
  afterCommit?: (statements: readonly Statement[]) => Meanwhile
  /** Another answer than the database's own. */
  instead?: (statement: Statement, run: () => Promise<Result>) => Promise<Result> | undefined
  /** Says "committed" at once, and does it all only this many milliseconds later. */
  lateCommit?: (statements: readonly Statement[]) => number | undefined
  /** How it is done again. */
  redo?: (statements: readonly Statement[]) => Promise<void>
}

/** A dialect whose every statement and commit can be watched, held up or answered otherwise. */
export const dressed =
  (watch: Watch): Dress =>
  (dialect) =>
    new Proxy(dialect, {
      get: (target, name) =>
        name === 'createDriver'
          ? () => dressDriver(target.createDriver(), watch)
          : Reflect.get(target, name).bind(target),
    })

const OURS = /^(?:begin|start transaction|commit|rollback)/

function dressDriver(driver: Driver, watch: Watch): Driver {
  const transactions = new WeakMap<DatabaseConnection, Statement[]>()
  const known = new WeakSet<DatabaseConnection>()
  const { acquireConnection, beginTransaction, commitTransaction, rollbackTransaction } = methods(driver)

  const dressConnection = (connection: DatabaseConnection) => {
    if (known.has(connection)) return
    known.add(connection)
    const execute = connection.executeQuery.bind(connection)
    connection.executeQuery = async <Row>(query: Parameters<typeof execute>[0]): Promise<QueryResult<Row>> => {
      if (OURS.test(query.sql)) return execute<Row>(query)
      const transaction = transactions.get(connection)
      const statement = { sql: query.sql, parameters: query.parameters, earlier: transaction && [...transaction] }
      await watch.before?.(statement)
      const run = () => (transaction ? execute<Row>(query) : alone(statement, () => execute<Row>(query)))
      const result = (await (watch.instead?.(statement, run) ?? run())) as QueryResult<Row>
      transaction?.push(statement)
      await watch.after?.(statement)
      return result
    }
  }

  /** A statement that stands alone commits itself. */
  const alone = async <Row>(statement: Statement, run: () => Promise<QueryResult<Row>>): Promise<QueryResult<Row>> => {
    await watch.beforeCommit?.([statement])
    const wait = watch.lateCommit?.([statement])
    if (wait !== undefined) setTimeout(() => void watch.redo?.([statement]).catch(() => undefined), wait)
    const result = wait === undefined ? await run() : { rows: [], numAffectedRows: 1n }
    await watch.afterCommit?.([statement])
    return result
  }

  return Object.assign(driver, {
    async acquireConnection(...options: Parameters<Driver['acquireConnection']>) {
      const connection = await acquireConnection(...options)
      dressConnection(connection)
      return connection
    },
    async beginTransaction(...[connection, settings]: Parameters<Driver['beginTransaction']>) {
      await beginTransaction(connection, settings)
      transactions.set(connection, [])
    },
    async commitTransaction(connection: DatabaseConnection) {
      const statements = transactions.get(connection) ?? []
      transactions.delete(connection)
      await watch.beforeCommit?.(statements)
      const wait = isRedone(statements) ? undefined : watch.lateCommit?.(statements)
      if (wait === undefined) await commitTransaction(connection)
      else {
        await rollbackTransaction(connection)
        setTimeout(() => void watch.redo?.(statements).catch(() => undefined), wait)
      }
      await watch.afterCommit?.(statements)
    },
    async rollbackTransaction(connection: DatabaseConnection) {
      transactions.delete(connection)
      await rollbackTransaction(connection)
    },
  })
}

const methods = (driver: Driver) => ({
  acquireConnection: driver.acquireConnection.bind(driver),
  beginTransaction: driver.beginTransaction.bind(driver),
  commitTransaction: driver.commitTransaction.bind(driver),
  rollbackTransaction: driver.rollbackTransaction.bind(driver),
})

const REDONE = "select 'done again'"
const isRedone = (statements: readonly Statement[]) => statements[0]?.sql === REDONE

/** Runs a transaction's statements once more. */
export const redo = (db: Db) => (statements: readonly Statement[]) =>
  db.transaction().execute(async (again) => {
    await again.executeQuery(CompiledQuery.raw(REDONE))
    for (const { sql, parameters } of statements) await again.executeQuery(CompiledQuery.raw(sql, [...parameters]))
  })
