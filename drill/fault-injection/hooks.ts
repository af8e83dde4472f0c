import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely'
import type { Db, WrapDialect } from '#server/db/db.ts'
import type { PaymentGateway } from '#server/gateways/payment/port.ts'

/** Code that runs around parts of the unchanged product. */
export type Hooks = {
  database?: DatabaseHooks
  payment?: (gateway: PaymentGateway) => PaymentGateway
  /** Runs just before an answer to add-enrollment is sent. */
  beforeAnswer?: () => void
}

/** A statement about to be executed, with the earlier statements of its transaction. */
export type Statement = { sql: string; parameters: readonly unknown[]; earlier: readonly Statement[] | undefined }
type Result = QueryResult<unknown>
type MaybePromise = void | Promise<void>

export type DatabaseHooks = {
  before?: (statement: Statement) => MaybePromise
  after?: (statement: Statement) => MaybePromise
  beforeCommit?: (statements: readonly Statement[]) => MaybePromise
  afterCommit?: (statements: readonly Statement[]) => MaybePromise
  /** Replaces the database's answer. */
  instead?: (statement: Statement, execute: () => Promise<Result>) => Promise<Result> | undefined
  /** Reports a commit immediately, but commits only this many milliseconds later. */
  lateCommit?: (statements: readonly Statement[]) => number | undefined
  /** Executes the statements of a late commit. */
  rerun?: (statements: readonly Statement[]) => Promise<void>
}

/** Calls the hooks around every statement and commit of a dialect. */
export const hookDialect =
  (hooks: DatabaseHooks): WrapDialect =>
  (dialect) =>
    new Proxy(dialect, {
      get: (target, name) =>
        name === 'createDriver'
          ? () => hookDriver(target.createDriver(), hooks)
          : Reflect.get(target, name).bind(target),
    })

const TRANSACTION_CONTROL = /^(?:begin|start transaction|commit|rollback)/

function hookDriver(driver: Driver, hooks: DatabaseHooks): Driver {
  const transactions = new WeakMap<DatabaseConnection, Statement[]>()
  const hookedConnections = new WeakSet<DatabaseConnection>()
  const { acquireConnection, beginTransaction, commitTransaction, rollbackTransaction } = methods(driver)

  const hookConnection = (connection: DatabaseConnection) => {
    if (hookedConnections.has(connection)) return
    hookedConnections.add(connection)
    const execute = connection.executeQuery.bind(connection)
    connection.executeQuery = async <Row>(query: Parameters<typeof execute>[0]): Promise<QueryResult<Row>> => {
      if (TRANSACTION_CONTROL.test(query.sql)) return execute<Row>(query)
      const transaction = transactions.get(connection)
      const statement = { sql: query.sql, parameters: query.parameters, earlier: transaction && [...transaction] }
      await hooks.before?.(statement)
      const run = () => (transaction ? execute<Row>(query) : autocommit(statement, () => execute<Row>(query)))
      const result = (await (hooks.instead?.(statement, run) ?? run())) as QueryResult<Row>
      transaction?.push(statement)
      await hooks.after?.(statement)
      return result
    }
  }

  /** A statement outside of a transaction commits itself. */
  const autocommit = async <Row>(
    statement: Statement,
    execute: () => Promise<QueryResult<Row>>,
  ): Promise<QueryResult<Row>> => {
    await hooks.beforeCommit?.([statement])
    const delayMs = hooks.lateCommit?.([statement])
    if (delayMs !== undefined) setTimeout(() => void hooks.rerun?.([statement]).catch(() => undefined), delayMs)
    const result = delayMs === undefined ? await execute() : { rows: [], numAffectedRows: 1n }
    await hooks.afterCommit?.([statement])
    return result
  }

  return Object.assign(driver, {
    async acquireConnection(...options: Parameters<Driver['acquireConnection']>) {
      const connection = await acquireConnection(...options)
      hookConnection(connection)
      return connection
    },
    async beginTransaction(...[connection, settings]: Parameters<Driver['beginTransaction']>) {
      await beginTransaction(connection, settings)
      transactions.set(connection, [])
    },
    async commitTransaction(connection: DatabaseConnection) {
      const statements = transactions.get(connection) ?? []
      transactions.delete(connection)
      await hooks.beforeCommit?.(statements)
      const delayMs = isRerun(statements) ? undefined : hooks.lateCommit?.(statements)
      if (delayMs === undefined) await commitTransaction(connection)
      else {
        await rollbackTransaction(connection)
        setTimeout(() => void hooks.rerun?.(statements).catch(() => undefined), delayMs)
      }
      await hooks.afterCommit?.(statements)
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

/** The first statement of a rerun, so that its own commit is not delayed again. */
const RERUN_MARKER = "select 'rerun'"
const isRerun = (statements: readonly Statement[]) => statements[0]?.sql === RERUN_MARKER

export const rerun = (db: Db) => (statements: readonly Statement[]) =>
  db.transaction().execute(async (transaction) => {
    await transaction.executeQuery(CompiledQuery.raw(RERUN_MARKER))
    for (const { sql, parameters } of statements)
      await transaction.executeQuery(CompiledQuery.raw(sql, [...parameters]))
  })
