import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../scripts/port.mjs'
import { readConfig } from '../server/config/config.ts'
import { createApp } from '../server/http/app.ts'
import { loadShell } from '../server/http/shell.ts'
import { createLog } from '../server/log.ts'
import { createWorld } from '../server/world.ts'
import { testSettings } from './start-sites.ts'

/** Starts a real site in this process with its own embedded database, a copy of the one in start-sites.ts, for journeys that change its rows or settings. */
export async function startOwnSite(settings: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'foyer-e2e-'))
  if (process.env.SITE_TEMPLATE) await cp(process.env.SITE_TEMPLATE, folder, { recursive: true })
  const port = await freePort()
  const config = readConfig({ ...testSettings, PORT: String(port), DATA_DIR: folder, ...settings })
  const world = await createWorld({ config, log: createLog(config.LOG_LEVEL) })
  const app = await createApp({ world, shell: await loadShell() })
  await app.listen({ port, host: config.HOST })
  return {
    world,
    db: world.db,
    at: (path: string) => `http://localhost:${port}${path}`,
    async close() {
      await app.close()
      await world.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type OwnSite = Awaited<ReturnType<typeof startOwnSite>>
