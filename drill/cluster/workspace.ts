import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '#server/db/db.ts'
import { prepare } from '../site/backends.ts'
import type { Workspace } from '../site/workspace.ts'
import type { DatabaseCluster } from './cluster.ts'

const POOL_SIZE = 4

/** A migrated and seeded database in the cluster. */
export async function createWorkspace(cluster: DatabaseCluster, name: string): Promise<Workspace> {
  const folder = await mkdtemp(join(cluster.folder, `${name}-`))
  const DATABASE_URL = cluster.urlOf(name)
  const { port } = await cluster.primary()
  await cluster.query(port, `create database ${name} owner foyer`)
  await prepare({ DATABASE_URL, DATABASE_POOL: 1, DATA_DIR: '' })
  return {
    folder,
    settings: { DATABASE_URL, DATA_DIR: join(folder, 'data') },
    open: () => openDatabase({ DATABASE_URL, DATABASE_POOL: POOL_SIZE, DATA_DIR: '' }),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
