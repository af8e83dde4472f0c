import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { postgresBackend } from '../../drill/site/backends.ts'
import type { Workspace } from '../../drill/site/workspace.ts'

/** What to know about every number of the server: both sides of a comparison run on this very PostgreSQL. */
export const DATABASE = 'PostgreSQL of the bench, fsync off on both sides'

let opened: ReturnType<typeof postgresBackend> | undefined

/** One PostgreSQL for all parts, gone with this process; a migrated and seeded database for each that asks. */
export function openGround() {
  opened ??= postgresBackend({ home: home(), keep: false })
  return opened
}

function home(): string {
  const folder = mkdtempSync(join(tmpdir(), 'foyer-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const urlOf = ({ settings }: Pick<Workspace, 'settings'>): string => settings.DATABASE_URL ?? ''

/** SQL of the bench's own. */
export async function within<Result>(place: Workspace, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: urlOf(place) })
  await client.connect()
  return work(client).finally(() => client.end())
}
