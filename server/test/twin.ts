import { createApp } from '#server/http/app.ts'
import { createWorld } from '#server/world.ts'
import { isPostgres } from './database.ts'
import { plainShell, type Site } from './site.ts'

/** Another process of the same site: its own world, app and connections on the same database. */
export async function twinOf(site: Site) {
  const { config, log, now } = site.world
  const shared = {
    db: site.db,
    description: 'a test',
    markInitialized: async () => undefined,
    close: async () => undefined,
  }
  const world = await createWorld({ config, log, now, ...(isPostgres ? {} : { database: shared }) })
  const app = await createApp({ world, shell: plainShell })
  return {
    world,
    get: (url: string, headers: Record<string, string> = {}) => app.inject({ method: 'GET', url, headers }),
    async close() {
      await app.close()
      await world.close()
    },
  }
}
export type Twin = Awaited<ReturnType<typeof twinOf>>
