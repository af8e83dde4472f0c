import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
// A site loads these with its first call to them. Here the first call would wait for Playwright to compile them.
import '#server/console/handlers.ts'
import '#server/office/handlers.ts'
import { createWorld } from '#server/open-world.ts'
import { createApp } from '#server/site/app.ts'
import { loadShell } from '#server/site/shell.ts'
import { freePort } from '../scripts/port.mjs'
import { readConfig } from '../server/config/config.ts'
import { type Database, openDatabase } from '../server/db/db.ts'
import { createLog } from '../server/log.ts'
import { withTestPagesToken } from '../server/test/generous-settings.ts'
import { createDatabase, testSettings } from './start-sites.ts'

/**
 * Starts a real site in this process with a database of its own, for journeys that change its rows or settings. Its clock can
 * be advanced. SITE_FOLDER names a data folder to start with a copy of. `sink` gets the log.
 */
export async function startOwnSite(settings: Record<string, string> = {}, sink?: NodeJS.WritableStream) {
  const folder = await mkdtemp(join(tmpdir(), 'foyer-e2e-'))
  if (process.env.SITE_FOLDER) await cp(process.env.SITE_FOLDER, folder, { recursive: true })
  const port = await freePort()
  const config = readConfig({ ...testSettings, PORT: String(port), DATA_DIR: folder, ...settings })
  const database = await copyTemplate(process.env.SITE_DATABASE)
  const world = await createWorld({ config, log: createLog(config.LOG_LEVEL, sink), ...(database ? { database } : {}) })
  const app = await createApp({ world, shell: await loadShell() })
  await app.listen({ port, host: config.HOST })
  return {
    world,
    db: world.db,
    at: (path: string) => `http://localhost:${port}${withTestPagesToken(path)}`,
    async close() {
      await app.close()
      await world.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A copy of the database that start-sites.ts has prepared. Without PostgreSQL there is none, and the site is on the embedded database. */
async function copyTemplate(template: string | undefined): Promise<Database | undefined> {
  if (!template || process.env.SITE_FOLDER) return undefined
  const { href, pathname } = new URL(template)
  const name = `own_site_${randomBytes(6).toString('hex')}`
  const url = await createDatabase(href.replace(pathname, '/postgres'), name, pathname.slice(1))
  return openDatabase({ DATABASE_URL: url, DATABASE_POOL: 5, DATA_DIR: '' })
}

export type OwnSite = Awaited<ReturnType<typeof startOwnSite>>
