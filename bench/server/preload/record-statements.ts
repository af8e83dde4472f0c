import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import pg from 'pg'

/** A statement that Foyer sent to the database, and the HTTP request it belongs to; undefined for background work. */
export type RecordedStatement = { text: string; values: unknown[]; at: number; request: string | undefined }

// Loaded before Foyer. Records its statements, and returns and clears the list on any message.
const currentRequest = new AsyncLocalStorage<string>()
subscribe('http.server.request.start', (message) => {
  const { request } = message as { request: IncomingMessage }
  currentRequest.enterWith(`${request.method} ${request.url}`)
})

/** Answered as a connection pooler would. Foyer then stops batching, so each statement can be tied to its request. */
const POOLER_CHECK = 'select pg_backend_pid() as pid'

let statements: RecordedStatement[] = []
const originalQuery = pg.Client.prototype.query as (...args: unknown[]) => unknown
Object.assign(pg.Client.prototype, {
  query(this: pg.Client, ...args: unknown[]) {
    const [query, list] = args as [string | pg.QueryConfig, unknown[]?]
    const { text, values = [] } = typeof query === 'string' ? { text: query, values: list } : query
    if (text === POOLER_CHECK) return Promise.resolve({ rows: [{ pid: 0 }] })
    statements.push({ text, values: values.map(toSqlText), at: Date.now(), request: currentRequest.getStore() })
    return originalQuery.apply(this, args)
  },
})

/** Dates as SQL text; PostgreSQL infers the type. */
const toSqlText = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value)

process.on('message', () => {
  process.send?.(statements)
  statements = []
})
process.channel?.unref()
