import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import pg from 'pg'

/** A statement that left for the database, and the request that it was for. */
export type Noted = { text: string; values: unknown[]; at: number; request: string | undefined }

// Loaded before the product: notes its statements, and hands them over when it is asked.
const asking = new AsyncLocalStorage<string>()
subscribe('http.server.request.start', (message) => {
  const { request } = message as { request: IncomingMessage }
  asking.enterWith(`${request.method} ${request.url}`)
})

/** As a pooler would answer it: then every statement goes alone, and is noted for the request that it was for. */
const WHO = 'select pg_backend_pid() as pid'

let noted: Noted[] = []
const query = pg.Client.prototype.query as (...words: unknown[]) => unknown
Object.assign(pg.Client.prototype, {
  query(this: pg.Client, ...words: unknown[]) {
    const [asked, list] = words as [string | pg.QueryConfig, unknown[]?]
    const { text, values = [] } = typeof asked === 'string' ? { text: asked, values: list } : asked
    if (text === WHO) return Promise.resolve({ rows: [{ pid: 0 }] })
    noted.push({ text, values: values.map(asText), at: Date.now(), request: asking.getStore() })
    return query.apply(this, words)
  },
})

/** As it would be written in SQL; the database finds the type. */
const asText = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value)

process.on('message', () => {
  process.send?.(noted)
  noted = []
})
process.channel?.unref()
