import type { Writable } from 'node:stream'
import { type CompiledQuery, type DatabaseConnection, type Driver, PostgresDriver, type QueryResult } from 'kysely'
import type pg from 'pg'

/**
 * Statements that stand alone and are asked for in one turn of the loop go out together: one connection, one write and
 * one wake-up for all of them. Each is still a transaction of its own, and fails for itself. Whoever begins a longer one
 * has a connection to itself.
 */
export function together(pool: pg.Pool): Driver {
  const driver = new PostgresDriver({ pool })
  const ask = asking(pool)
  const owned = new WeakMap<DatabaseConnection, Own>()
  const own = (seat: DatabaseConnection): Own => {
    const connection = owned.get(seat)
    if (!connection) throw new Error('No transaction has begun.')
    return connection
  }
  return {
    init: (options) => driver.init(options),
    destroy: () => driver.destroy(),
    async acquireConnection() {
      const seat: DatabaseConnection = {
        executeQuery: (query) => owned.get(seat)?.executeQuery(query) ?? ask(query),
        streamQuery: () => {
          throw new Error('Rows are not streamed.')
        },
      }
      return seat
    },
    async releaseConnection(seat) {
      const connection = owned.get(seat)
      if (connection) await driver.releaseConnection(connection)
    },
    async beginTransaction(seat, settings) {
      const connection = (await driver.acquireConnection()) as Own
      owned.set(seat, connection)
      await driver.beginTransaction(connection, settings)
    },
    commitTransaction: (seat) => driver.commitTransaction(own(seat)),
    rollbackTransaction: (seat) => driver.rollbackTransaction(own(seat)),
  }
}

type Own = Parameters<PostgresDriver['releaseConnection']>[0]
type Ask = <Row>(query: CompiledQuery) => Promise<QueryResult<Row>>
type Asked = {
  query: CompiledQuery
  resolve: (result: QueryResult<never>) => void
  reject: (error: unknown) => void
}

/** Whoever goes along with a slow one waits for it, so they are few. */
const MOST = 6

function asking(pool: pg.Pool): Ask {
  let boarding: Asked[] = []
  const depart = async (asked: Asked[]) => {
    const leave = () => {
      if (boarding === asked) boarding = []
    }
    try {
      const client = await pool.connect() // who comes while there is none comes along
      leave()
      await send(client, asked).finally(() => client.release())
    } catch (error) {
      leave()
      for (const { reject } of asked) reject(error)
    }
  }
  return (query) =>
    new Promise((resolve, reject) => {
      if (boarding.length === MOST) boarding = []
      if (boarding.push({ query, resolve, reject }) > 1) return
      const asked = boarding
      setImmediate(() => void depart(asked))
    })
}

/** As one write; `pg` itself makes one of each. */
async function send(client: pg.PoolClient, asked: Asked[]): Promise<void> {
  const { stream } = (client as pg.PoolClient & { connection: { stream: Writable } }).connection
  stream.cork()
  const answers = asked.map(({ query, resolve, reject }) =>
    client.query<never>(query.sql, [...query.parameters]).then((answer) => resolve(resultOf(answer)), reject),
  )
  stream.uncork()
  await Promise.all(answers)
}

const CHANGES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

const resultOf = <Row extends pg.QueryResultRow>({ command, rowCount, rows }: pg.QueryResult<Row>): QueryResult<Row> =>
  CHANGES.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows }
