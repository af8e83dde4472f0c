import type { Socket } from 'node:net'
import pg from 'pg'
import { isDatabaseAway, isPoolExhausted } from './away.ts'
import { ANY, CAN_WRITE, ENDS, type Ends, findPrimary, readOnly, SERVER_PATIENCE_MS } from './primary.ts'

/** What this process knows about its way to the database. */
export type Presence = {
  /** Since when it can't write, by performance.now(). */
  awaySince: number | undefined
  /** How often it found the database on another server, or restarted. */
  failovers: number
  secondsAway: () => number
  /** Someone saw that the database can't write. */
  suspect: () => void
}

/** A client of the pool, with what the driver knows about it but does not declare. */
type Client = pg.PoolClient & {
  processID: number | null
  connection: NodeJS.EventEmitter & { stream: Socket }
}

export type Connections = {
  /** A connection that leads to the primary, as far as is known. */
  connect: () => Promise<pg.PoolClient>
  /** Whether it leads to PostgreSQL itself: a pooler in between makes up the process ids. */
  isDirect: (client: pg.PoolClient) => Promise<boolean>
  presence: Presence
  close: () => void
}

const LOOK_AGAIN_MS = 1_000
/** A query that takes longer may wait for a server that is gone without a word. */
const STUCK_MS = 2_000

/** To be passed to the pool with several hosts, where a silent one must not hold up the others. */
export class ImpatientClient extends pg.Client {
  constructor(options?: pg.ClientConfig) {
    super({ ...options, connectionTimeoutMillis: SERVER_PATIENCE_MS })
  }
}

/**
 * Lends the connections of a pool. One that met a server that is stopping, read-only or gone is never lent again, and after
 * such an error every other one is asked once whether it can write. Without an error, that costs nothing.
 */
export function watchConnections(pool: pg.Pool, urls: string[], condition = CAN_WRITE): Connections {
  /** How many errors there have been: a connection was checked after the last one, or it is checked before it is lent. */
  let errors = 0
  /** How often the way to the database has changed: older connections are useless. */
  let generation = 0
  let foundAt = urls.length > 1 ? undefined : urls[0]
  const state = new WeakMap<pg.PoolClient, { generation: number; checkedAt: number; isUseless: boolean }>()
  /** Since when each connection in use has said nothing. */
  const lent = new Map<Client, { since: number; bytesRead: number }>()
  const direct = new WeakMap<pg.PoolClient, boolean>()
  let server: string | undefined
  let secondsBefore = 0

  const presence: Presence = {
    awaySince: undefined,
    failovers: 0,
    secondsAway: () =>
      secondsBefore + (presence.awaySince === undefined ? 0 : (performance.now() - presence.awaySince) / 1000),
    suspect() {
      errors++
      presence.awaySince ??= performance.now()
    },
  }
  const isBack = () => {
    secondsBefore = presence.secondsAway()
    presence.awaySince = undefined
  }
  const learn = (ends: Ends) => {
    if (server !== undefined && server !== ends.server) presence.failovers++
    server = ends.server
  }

  pool.on('error', () => undefined) // the next query replaces a broken idle connection
  pool.on('connect', (client) => {
    const known = { generation, checkedAt: errors || !foundAt ? -1 : 0, isUseless: false }
    state.set(client, known)
    const evict = () => {
      known.isUseless = true
      presence.suspect()
    }
    client.on('error', evict) // it was lost; if it was in use, its query fails too
    // Every error that the server reports, in whatever query.
    asClient(client).connection.on('errorMessage', (error) => isDatabaseAway(error) && evict())
  })

  const lend = (client: Client): pg.PoolClient => {
    const { release } = client
    lent.set(client, { since: performance.now(), bytesRead: client.connection.stream.bytesRead })
    client.release = (reason) => {
      lent.delete(client)
      release(reason || state.get(client)?.isUseless || client.connection.stream.destroyed)
    }
    return client
  }

  async function connect(): Promise<pg.PoolClient> {
    for (let checks = 0; ; ) {
      if (!foundAt || (presence.awaySince !== undefined && urls.length > 1)) await find()
      const client = asClient(await pool.connect().catch(explain))
      const known = state.get(client)
      if (known?.checkedAt === errors) return lend(client)
      if (known?.generation !== generation) {
        client.release(true)
        continue
      }
      const now = errors
      try {
        learnDirect(client, await check(client, condition))
        isBack()
        known.checkedAt = now
        return lend(client)
      } catch (error) {
        client.release(true)
        generation++
        presence.suspect()
        if (++checks > 1) throw error
      }
    }
  }

  /** All connections are in use, but perhaps only because they wait for a server that is gone. */
  const explain = (error: Error): never => {
    if (isDatabaseAway(error)) presence.suspect()
    throw isPoolExhausted(error) && presence.awaySince !== undefined
      ? Object.assign(new Error('The database is away.', { cause: error }), { code: 'ETIMEDOUT' })
      : error
  }

  /** Several requests at the same time share one search. */
  let finding: Promise<void> | undefined
  const find = () => {
    finding ??= findPrimary(urls, condition)
      .then(goTo, failed)
      .finally(() => {
        finding = undefined
      })
    return finding
  }
  const goTo = ({ url, ...ends }: Ends & { url: string }) => {
    if (foundAt !== url) {
      foundAt = url
      pool.options.connectionString = url
      generation++
      errors++
    }
    learn(ends)
    isBack()
  }
  const failed = (error: unknown) => {
    if (isDatabaseAway(error)) presence.awaySince ??= performance.now()
    throw error
  }

  const learnDirect = (client: Client, ends: Ends): boolean => {
    const isDirect = ends.pid === client.processID
    direct.set(client, isDirect)
    learn(ends)
    return isDirect
  }
  async function isDirect(client: pg.PoolClient): Promise<boolean> {
    const known = direct.get(client)
    if (known !== undefined) return known
    const { rows } = await client.query<Ends>(`select ${ENDS}`)
    return learnDirect(asClient(client), rows[0] as Ends)
  }

  const isSilent = (client: Client): boolean => {
    const { bytesRead } = client.connection.stream
    const last = lent.get(client)
    if (last?.bytesRead !== bytesRead) lent.set(client, { since: performance.now(), bytesRead })
    else return performance.now() - last.since > STUCK_MS
    return false
  }

  /**
   * A server that was stopped by a signal, or whose network is gone, keeps its connections open and says nothing. If they
   * have waited for long, the server that a new connection would lead to is asked whether it has their processes. One it
   * does not have leads elsewhere. One it has, such as a commit that waits for a standby, is left alone.
   */
  async function look(): Promise<void> {
    const mayMove = condition !== ANY // behind one address there may be several replicas
    const stuck = mayMove ? [...lent.keys()].filter((client) => direct.get(client) && isSilent(client)) : []
    if (!stuck.length && presence.awaySince === undefined) return
    const primary = await findPrimary(
      urls,
      condition,
      stuck.map(({ processID }) => processID ?? 0),
    ).catch(failed)
    for (const client of stuck) if (!primary.pids.includes(client.processID ?? 0)) client.connection.stream.destroy()
    goTo(primary)
  }
  let looking = false
  const timer = setInterval(async () => {
    if (looking) return
    looking = true
    await look().catch(() => undefined)
    looking = false
  }, LOOK_AGAIN_MS).unref()

  return { connect, isDirect, presence, close: () => clearInterval(timer) }
}

const asClient = (client: pg.PoolClient): Client => client as Client

/**
 * In one round trip. The division fails if the server can't write, which leaves the transaction open, so that a pooler throws
 * away its connection to that server when ours closes.
 */
async function check(client: pg.PoolClient, condition: string): Promise<Ends> {
  const text = `begin; select 1 / (${condition})::int, ${ENDS}; commit`
  const query = { text, query_timeout: SERVER_PATIENCE_MS }
  const results = (await client.query<Ends>(query).catch((error) => {
    throw error.code === '22012' ? readOnly() : error
  })) as unknown as pg.QueryResult<Ends>[]
  return results[1]?.rows[0] as Ends
}
