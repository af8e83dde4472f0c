import { appendFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { startServer } from '#server/test/process.ts'
import { startPostgres } from '../../scripts/postgres.mjs'
import { testSettings } from '../site/processes.ts'
import type { SearchArea } from './byte-search.ts'

/** Direct access to the database. An embedded one only while no Foyer runs on it. */
export type SqlClient = {
  query: (statement: string, values?: unknown[]) => Promise<Record<string, unknown>[]>
  close: () => Promise<void>
}

/** A Foyer whose files are all known. */
export type SearchedSite = {
  database: 'PostgreSQL' | 'embedded'
  settings: Record<string, string>
  /** The areas of the database. All others are the same for both databases. */
  areas: SearchArea[]
  open: () => Promise<SqlClient>
  remove: () => Promise<void>
}

/** On a server of its own, whose files hold nothing else. */
export async function postgresSite(folder: string): Promise<SearchedSite> {
  const { url, stop } = await startPostgres()
  const open = async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    return {
      query: async (statement: string, values: unknown[] = []) => (await client.query(statement, values)).rows,
      close: () => client.end(),
    }
  }
  const database = await open()
  const [{ data_directory } = {}] = await database.query('show data_directory')
  await database.close()
  const data = String(data_directory)
  return {
    database: 'PostgreSQL',
    settings: { DATABASE_URL: url, DATA_DIR: join(folder, 'data') },
    areas: [...placesOf(data), { name: 'log of PostgreSQL', folder: dirname(data), without: [data], plantIn: 'log' }],
    open,
    remove: async () => stop(),
  }
}

/** On the copy of the template that is already in this folder. */
export async function embeddedSite(folder: string): Promise<SearchedSite> {
  const data = join(folder, 'data', 'db')
  return {
    database: 'embedded',
    settings: { DATA_DIR: join(folder, 'data') },
    areas: placesOf(data),
    open: async () => {
      const pglite = await PGlite.create(data)
      return {
        query: async (statement, values = []) => (await pglite.query<Record<string, unknown>>(statement, values)).rows,
        close: () => pglite.close(),
      }
    },
    remove: async () => undefined,
  }
}

const placesOf = (data: string): SearchArea[] => {
  const wal = join(data, 'pg_wal')
  return [
    { name: 'tables', folder: data, without: [wal] },
    { name: 'WAL', folder: wal, isWal: true },
  ]
}

/** Starts Foyer with the most verbose log, its output in a file, and a folder of its own for temporary files. */
export async function startVerboseServer(site: SearchedSite, folder: string) {
  const tmp = join(folder, 'tmp')
  const log = join(folder, 'log', 'foyer.log')
  await Promise.all([mkdir(dirname(log), { recursive: true }), mkdir(tmp, { recursive: true })])
  const server = await startServer({
    ...testSettings,
    ...site.settings,
    TMPDIR: tmp,
    LOG_LEVEL: 'trace',
  })
  appendFileSync(log, server.output())
  for (const stream of [server.child.stdout, server.child.stderr])
    stream?.on('data', (bytes) => appendFileSync(log, bytes))
  return server
}

export type Server = Awaited<ReturnType<typeof startVerboseServer>>
