import { cp, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { openDatabase } from '#server/db/db.ts'
import { migrate } from '#server/db/migrate.ts'
import { seed } from '#server/db/ready.ts'
import { startPostgres } from '../../scripts/postgres.mjs'
import type { Ground, Place } from '../drill.ts'

const POOL = 4
type Where = Parameters<typeof openDatabase>[0]

/** Folders that stay when they are wanted for a look. */
type Keeping = { home: string; keep: boolean }

async function prepare(where: Where) {
  const database = await openDatabase(where)
  await migrate(database.db)
  await database.finished()
  await seed(database.db, new Date())
  await database.close()
}

const newFolder = ({ home }: Keeping, name: string) => mkdtemp(join(home, `${name}-`))

const removal =
  ({ keep }: Keeping, folder: string) =>
  async () => {
    if (!keep) await rm(folder, { recursive: true, force: true })
  }

/** One folder is prepared; each drill gets a copy. */
export async function embeddedGround(keeping: Keeping): Promise<Ground> {
  const model = await newFolder(keeping, 'model')
  await prepare({ DATABASE_URL: undefined, DATABASE_POOL: 1, DATA_DIR: model })
  const fresh = async (): Promise<Place> => {
    const folder = await newFolder(keeping, 'embedded')
    const DATA_DIR = join(folder, 'data')
    await cp(model, DATA_DIR, { recursive: true, filter: (path) => !path.endsWith('/lock') })
    return {
      folder,
      settings: { DATA_DIR },
      open: () => openDatabase({ DATABASE_URL: undefined, DATABASE_POOL: 1, DATA_DIR }),
      remove: removal(keeping, folder),
    }
  }
  return { name: 'embedded', fresh }
}

const MODEL = 'foyer_model'

/** A PostgreSQL of the drill's own, with a template that each drill copies. */
export async function postgresGround(keeping: Keeping): Promise<Ground> {
  const postgres = await startPostgres()
  const at = (name: string) => Object.assign(new URL(postgres.url), { pathname: `/${name}` }).href
  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  await run(`create database ${MODEL}`)
  await prepare({ DATABASE_URL: at(MODEL), DATABASE_POOL: 1, DATA_DIR: '' })
  let made = 0
  const fresh = async (): Promise<Place> => {
    const folder = await newFolder(keeping, 'postgres')
    const name = `drill_${++made}`
    await run(`create database ${name} template ${MODEL}`)
    const DATABASE_URL = at(name)
    const removeFolder = removal(keeping, folder)
    return {
      folder,
      settings: { DATABASE_URL, DATA_DIR: join(folder, 'data') },
      open: () => openDatabase({ DATABASE_URL, DATABASE_POOL: POOL, DATA_DIR: '' }),
      remove: async () => {
        await run(`drop database if exists ${name} with (force)`)
        await removeFolder()
      },
    }
  }
  return { name: 'PostgreSQL', fresh, server: postgres }
}
