import type { Writable } from 'node:stream'
import { type CompiledQuery, type DatabaseConnection, type Driver, PostgresDriver, type QueryResult } from 'kysely'
import type pg from 'pg'

/** A named query is prepared: each connection parses and plans it only once. */
export type NamedQuery<Query = CompiledQuery> = Query & { readonly name?: string }

/**
 * Statements that stand alone and are asked for in one turn of the loop go out together: one connection, one write and
 * one wake-up for all of them. Each is still a transaction of its own, and fails for itself. Whoever begins a longer one
 * has a connection to itself.
 */
export function createBatchingDriver(pool: pg.Pool): Driver {
  const connect = () => borrow(pool)
  const driver = new PostgresDriver({ pool: { connect, end: () => pool.end(), options: pool.options } })
  const ask = asking(connect)
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
    // A connection that is lost has rolled back by itself; what the caller should hear is why it is lost.
    rollbackTransaction: (seat) => driver.rollbackTransaction(own(seat)).catch(() => undefined),
  }
}

type Own = Parameters<PostgresDriver['releaseConnection']>[0]
type Ask = <Row>(query: CompiledQuery) => Promise<QueryResult<Row>>
type Asked = {
  query: CompiledQuery
  resolve: (result: QueryResult<never>) => void
  reject: (error: unknown) => void
}

/** What a statement took too long on is closed before the pool hears of it: nobody else is lent that. */
async function borrow(pool: pg.Pool): Promise<pg.PoolClient> {
  const client = await pool.connect()
  const { release } = client
  client.release = (reason) => release(reason || streamOf(client).destroyed)
  return client
}

const streamOf = (client: pg.PoolClient) =>
  (client as pg.PoolClient & { connection: { stream: Writable } }).connection.stream

/** Whoever goes along with a slow one waits for it, so they are few. */
const MOST = 6

function asking(connect: () => Promise<pg.PoolClient>): Ask {
  const { isDirect, learn } = directness()
  let most = 1 // until it is known who is at the other end
  let boarding: Asked[] = []
  const depart = async (asked: Asked[]) => {
    const leave = () => {
      if (boarding === asked) boarding = []
    }
    try {
      const client = await connect() // who comes while there is none comes along
      leave()
      try {
        await learn(client)
        most = isDirect(client) ? MOST : 1
        await (isDirect(client) ? sendTogether : sendInTurn)(client, asked)
      } finally {
        client.release()
      }
    } catch (error) {
      leave()
      for (const { reject } of asked) reject(error)
    }
  }
  return (query) =>
    new Promise((resolve, reject) => {
      if (boarding.length >= most) boarding = []
      if (boarding.push({ query, resolve, reject }) > 1) return
      const asked = boarding
      setImmediate(() => void depart(asked))
    })
}

/**
 * Whether a connection leads to PostgreSQL itself, which then answers as the process that it said it was. A pooler makes up
 * another number, and PgBouncer in transaction mode mixes up what it is sent together.
 */
function directness() {
  const known = new WeakMap<pg.PoolClient, boolean>()
  return {
    isDirect: (client: pg.PoolClient) => known.get(client) === true,
    learn: async (client: pg.PoolClient) => {
      if (known.has(client)) return
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
      known.set(client, rows[0]?.pid === (client as pg.PoolClient & { processID: number | null }).processID)
    },
  }
}

const send = (client: pg.PoolClient, { sql: text, parameters }: CompiledQuery, name?: string) =>
  client.query<never>({ text, values: [...parameters], name })

/**
 * Before it ran, its name turned out to stand for nothing any more: it was planned for a table that has another column since,
 * because a newer Foyer runs beside this one; or whoever was to plan it failed.
 */
const NAME_IS_NO_USE = new Set(['0A000', '26000'])
const isOutdated = (error: unknown) =>
  error instanceof Error && 'code' in error && NAME_IS_NO_USE.has(String(error.code))

const sendByName = (client: pg.PoolClient, query: NamedQuery) =>
  send(client, query, query.name).catch((error: unknown) => {
    if (isOutdated(error) && query.name) return send(client, query)
    throw error
  })

const settle = (answering: Promise<pg.QueryResult<never>>, { resolve, reject }: Asked) =>
  answering.then((answer) => resolve(resultOf(answer)), reject)

/** As one write; `pg` itself makes one of each. */
async function sendTogether(client: pg.PoolClient, asked: Asked[]): Promise<void> {
  const stream = streamOf(client)
  stream.cork()
  const answers = asked.map((one) => settle(sendByName(client, one.query), one))
  stream.uncork()
  await Promise.all(answers)
}

/** Without names: the next one may be answered by another session. */
async function sendInTurn(client: pg.PoolClient, asked: Asked[]): Promise<void> {
  for (const one of asked) await settle(send(client, one.query), one)
}

const CHANGES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

const resultOf = <Row extends pg.QueryResultRow>({ command, rowCount, rows }: pg.QueryResult<Row>): QueryResult<Row> =>
  CHANGES.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows }
