import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { postgresBackend } from '../../drill/site/backends.ts'
import type { Workspace } from '../../drill/site/workspace.ts'

/** Printed in every row about the server. */
export const DATABASE_NOTE = 'PostgreSQL of the bench, fsync off on both sides'

let postgres: ReturnType<typeof postgresBackend> | undefined

/** A migrated database with the sample data. All parts share one PostgreSQL server, which ends with this process. */
export async function createDatabase(): Promise<Workspace> {
  postgres ??= postgresBackend({ home: createFolder(), keep: false })
  return (await postgres).createWorkspace()
}

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'foyer-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const databaseUrl = ({ settings }: Pick<Workspace, 'settings'>): string => settings.DATABASE_URL ?? ''

export async function withClient<Result>(database: Workspace, work: (client: pg.Client) => Promise<Result>) {
  const client = new pg.Client({ connectionString: databaseUrl(database) })
  await client.connect()
  return work(client).finally(() => client.end())
}
