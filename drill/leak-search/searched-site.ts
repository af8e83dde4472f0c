import { appendFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { startServer } from '#server/test/process.ts'
import { startPostgres } from '../../scripts/postgres.mjs'
import { settings } from '../site/processes.ts'
import type { Place } from './byte-search.ts'

/** The database asked from outside. The embedded one only while no Foyer runs on it. */
export type Books = {
  ask: (statement: string, values?: unknown[]) => Promise<Record<string, unknown>[]>
  close: () => Promise<void>
}

/** A Foyer all of whose files are known. */
export type Site = {
  database: 'PostgreSQL' | 'embedded'
  settings: Record<string, string>
  /** The database's own places; the rest are the same on both. */
  places: Place[]
  open: () => Promise<Books>
  remove: () => Promise<void>
}

/** On PostgreSQL every statement is logged with its values, so that nothing can pass through one unseen. */
export async function postgresSite(folder: string): Promise<Site> {
  const { url, stop } = await startPostgres()
  const open = async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    return {
      ask: async (statement: string, values: unknown[] = []) => (await client.query(statement, values)).rows,
      close: () => client.end(),
    }
  }
  const books = await open()
  const [{ data_directory } = {}] = await books.ask('show data_directory')
  await books.close()
  const data = String(data_directory)
  return {
    database: 'PostgreSQL',
    settings: { DATABASE_URL: url, DATA_DIR: join(folder, 'data') },
    places: [...placesOf(data), { name: 'log of PostgreSQL', folder: dirname(data), without: [data], plantIn: 'log' }],
    open,
    remove: async () => stop(),
  }
}

export async function embeddedSite(folder: string): Promise<Site> {
  const data = join(folder, 'data', 'db')
  return {
    database: 'embedded',
    settings: { DATA_DIR: join(folder, 'data') },
    places: placesOf(data),
    open: async () => {
      const pglite = await PGlite.create(data)
      return {
        ask: async (statement, values = []) => (await pglite.query<Record<string, unknown>>(statement, values)).rows,
        close: () => pglite.close(),
      }
    },
    remove: async () => undefined,
  }
}

const placesOf = (data: string): Place[] => {
  const wal = join(data, 'pg_wal')
  return [
    { name: 'tables', folder: data, without: [wal] },
    { name: 'WAL', folder: wal },
  ]
}

/** Starts Foyer as talkative as it can be, with its output in a file and its temporary files in a folder of their own. */
export async function startTalkative(site: Site, folder: string) {
  const tmp = join(folder, 'tmp')
  const log = join(folder, 'log', 'foyer.log')
  await Promise.all([mkdir(dirname(log), { recursive: true }), mkdir(tmp, { recursive: true })])
  const server = await startServer({
    ...settings,
    ...site.settings,
    TMPDIR: tmp,
    LOG_LEVEL: 'trace',
  })
  appendFileSync(log, server.said())
  for (const stream of [server.child.stdout, server.child.stderr])
    stream?.on('data', (bytes) => appendFileSync(log, bytes))
  return server
}

export type Server = Awaited<ReturnType<typeof startTalkative>>
