import type { Writable } from 'node:stream'
import { type CompiledQuery, type DatabaseConnection, type Driver, PostgresDriver, type QueryResult } from 'kysely'
import type pg from 'pg'
import { asCommitError, changesSomething } from './away.ts'
import type { Connections } from './connections.ts'

/** A named query is prepared: each connection parses and plans it only once. */
export type NamedQuery<Query = CompiledQuery> = Query & { readonly name?: string }

/**
 * Sends the single queries of one event loop turn as a batch: one connection and one write for all of them. Each is still
 * a transaction of its own, and one that fails does not affect the others. A transaction gets a connection for itself.
 */
export function createBatchingDriver(pool: pg.Pool, connections: Connections): Driver {
  const { connect } = connections
  const driver = new PostgresDriver({ pool: { connect, end: () => pool.end(), options: pool.options } })
  const enqueue = createQueue(connections)
  const transactions = new WeakMap<DatabaseConnection, PostgresConnection>()
  const connectionOf = (handle: DatabaseConnection): PostgresConnection => {
    const connection = transactions.get(handle)
    if (!connection) throw new Error('No transaction has begun.')
    return connection
  }
  return {
    init: (options) => driver.init(options),
    destroy: () => {
      connections.close()
      return driver.destroy()
    },
    async acquireConnection() {
      // A handle only: it gets a real connection when a transaction begins.
      const handle: DatabaseConnection = {
        executeQuery: (query) => transactions.get(handle)?.executeQuery(query) ?? enqueue(query),
        streamQuery: () => {
          throw new Error('Streaming is not supported.')
        },
      }
      return handle
    },
    async releaseConnection(handle) {
      const connection = transactions.get(handle)
      if (connection) await driver.releaseConnection(connection)
    },
    async beginTransaction(handle, settings) {
      const connection = (await driver.acquireConnection()) as PostgresConnection
      transactions.set(handle, connection)
      await driver.beginTransaction(connection, settings)
    },
    commitTransaction: (handle) =>
      driver.commitTransaction(connectionOf(handle)).catch((error) => {
        throw asCommitError(error)
      }),
    // A rollback fails if the connection is lost. The caller should get the error that lost it, not this one.
    rollbackTransaction: (handle) => driver.rollbackTransaction(connectionOf(handle)).catch(() => undefined),
  }
}

type PostgresConnection = Parameters<PostgresDriver['releaseConnection']>[0]
type Enqueue = <Row>(query: CompiledQuery) => Promise<QueryResult<Row>>
type QueuedQuery = {
  query: CompiledQuery
  resolve: (result: QueryResult<never>) => void
  reject: (error: unknown) => void
}

/** A query waits for the slow ones in its batch, so batches are small. */
const MAX_BATCH = 6

/** PgBouncer in transaction mode mixes up the replies to a batch. */
function createQueue({ connect, isDirect }: Connections): Enqueue {
  let maxBatch = 1 // until we know that there is no pooler in between
  let openBatch: QueuedQuery[] = []
  const close = (batch: QueuedQuery[]) => {
    if (openBatch === batch) openBatch = []
  }
  const send = async (batch: QueuedQuery[]) => {
    try {
      const client = await connect() // queries that arrive during this wait still join the batch
      close(batch)
      try {
        const direct = await isDirect(client)
        maxBatch = direct ? MAX_BATCH : 1
        await (direct ? sendAtOnce : sendOneByOne)(client, batch)
      } finally {
        client.release()
      }
    } catch (error) {
      close(batch)
      for (const { reject } of batch) reject(error)
    }
  }
  return (query) =>
    new Promise((resolve, reject) => {
      if (openBatch.length >= maxBatch) openBatch = []
      if (openBatch.push({ query, resolve, reject }) > 1) return
      const batch = openBatch
      setImmediate(() => void send(batch))
    })
}

const sendQuery = (client: pg.PoolClient, { sql: text, parameters }: CompiledQuery, name?: string) =>
  client.query<never>({ text, values: [...parameters], name })

/**
 * Errors of a prepared statement that was not run: its table has changed, because a newer version of Foyer has migrated the
 * database, or it was never prepared, because the query before it failed. It is safe to send it again without a name.
 */
const STALE_STATEMENT = new Set(['0A000', '26000'])
const isStale = (error: unknown) => error instanceof Error && 'code' in error && STALE_STATEMENT.has(String(error.code))

const sendPrepared = (client: pg.PoolClient, query: NamedQuery) =>
  sendQuery(client, query, query.name).catch((error: unknown) => {
    if (isStale(error) && query.name) return sendQuery(client, query)
    throw error
  })

const settle = (reply: Promise<pg.QueryResult<never>>, { query, resolve, reject }: QueuedQuery) =>
  reply.then(
    (result) => resolve(toQueryResult(result)),
    (error) => reject(changesSomething(query.sql) ? asCommitError(error) : error),
  )

/** One write for the whole batch. By itself, `pg` writes each query separately. */
async function sendAtOnce(client: pg.PoolClient, batch: QueuedQuery[]): Promise<void> {
  const { stream } = (client as pg.PoolClient & { connection: { stream: Writable } }).connection
  stream.cork()
  const replies = batch.map((queued) => settle(sendPrepared(client, queued.query), queued))
  stream.uncork()
  await Promise.all(replies)
}

/** Without prepared statements, because a pooler may run the next query in another session. */
async function sendOneByOne(client: pg.PoolClient, batch: QueuedQuery[]): Promise<void> {
  for (const queued of batch) await settle(sendQuery(client, queued.query), queued)
}

const CHANGES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

const toQueryResult = <Row extends pg.QueryResultRow>({
  command,
  rowCount,
  rows,
}: pg.QueryResult<Row>): QueryResult<Row> =>
  CHANGES.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows }
