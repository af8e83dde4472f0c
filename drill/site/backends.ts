import { cp, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { seed } from '#server/cli/seed.ts'
import { openDatabase } from '#server/db/db.ts'
import { migrate } from '#server/db/migrate.ts'
import { startPostgres } from '../../scripts/postgres.mjs'
import type { Foyer, StartOptions } from './processes.ts'
import type { Workspace } from './workspace.ts'

/** One of the two kinds of database that drills run on. */
export type Backend = {
  name: 'PostgreSQL' | 'embedded'
  createWorkspace: () => Promise<Workspace>
  /** A database server that can be killed. The embedded database dies with Foyer. */
  server?: { kill: () => Promise<void>; restart: () => Promise<void> }
  /** Starts something larger than a single Foyer process, if the drill needs it. */
  startSite?: (options: StartOptions) => Promise<Foyer>
}

type DatabaseSettings = Parameters<typeof openDatabase>[0]

/** Where folders are created, and whether to keep them for inspection. */
type FolderOptions = { home: string; keep: boolean }

const POOL_SIZE = 4
const TEMPLATE = 'foyer_model'

/** Prepares one data folder; each workspace is a copy of it. */
export async function embeddedBackend(folders: FolderOptions): Promise<Backend> {
  const template = await createFolder(folders, 'template')
  await prepare({ DATABASE_URL: undefined, DATABASE_POOL: 1, DATA_DIR: template })
  const createWorkspace = async (): Promise<Workspace> => {
    const folder = await createFolder(folders, 'embedded')
    const DATA_DIR = join(folder, 'data')
    await cp(template, DATA_DIR, { recursive: true, filter: (path) => !path.endsWith('/lock') })
    return {
      folder,
      settings: { DATA_DIR },
      open: () => openDatabase({ DATABASE_URL: undefined, DATABASE_POOL: 1, DATA_DIR }),
      remove: () => removeFolder(folders, folder),
    }
  }
  return { name: 'embedded', createWorkspace }
}

/** Starts a PostgreSQL server for the drills, with a template database that each workspace copies. */
export async function postgresBackend(folders: FolderOptions): Promise<Backend> {
  const postgres = await startPostgres()
  const urlOf = (database: string) => Object.assign(new URL(postgres.url), { pathname: `/${database}` }).href
  const execute = async (statement: string) => {
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  await execute(`create database ${TEMPLATE}`)
  await prepare({ DATABASE_URL: urlOf(TEMPLATE), DATABASE_POOL: 1, DATA_DIR: '' })
  let count = 0
  const createWorkspace = async (): Promise<Workspace> => {
    const folder = await createFolder(folders, 'postgres')
    const name = `drill_${++count}`
    await execute(`create database ${name} template ${TEMPLATE}`)
    const DATABASE_URL = urlOf(name)
    return {
      folder,
      settings: { DATABASE_URL, DATA_DIR: join(folder, 'data') },
      open: () => openDatabase({ DATABASE_URL, DATABASE_POOL: POOL_SIZE, DATA_DIR: '' }),
      remove: async () => {
        await execute(`drop database if exists ${name} with (force)`)
        await removeFolder(folders, folder)
      },
    }
  }
  return { name: 'PostgreSQL', createWorkspace, server: postgres }
}

/** Migrates and seeds an empty database. */
export async function prepare(settings: DatabaseSettings) {
  const database = await openDatabase(settings)
  await migrate(database.db, new Date())
  await database.markInitialized()
  await seed(database.db, new Date())
  await database.close()
}

const createFolder = ({ home }: FolderOptions, name: string) => mkdtemp(join(home, `${name}-`))

async function removeFolder({ keep }: FolderOptions, folder: string) {
  if (!keep) await rm(folder, { recursive: true, force: true })
}
