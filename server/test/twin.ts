import { createWorld } from '#server/open-world.ts'
import { createApp } from '#server/site/app.ts'
import { isPostgres } from './database.ts'
import { plainShell, type Site, testSite } from './site.ts'
import { staffMember } from './staff.ts'

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
    post: (path: string, payload: object, headers: Record<string, string> = {}) =>
      app.inject({ method: 'POST', url: `/api/${path}`, payload, headers }),
    async close() {
      await app.close()
      await world.close()
    },
  }
}
export type Twin = Awaited<ReturnType<typeof twinOf>>

/** A site, another process of it, and an owner who is signed in. */
export async function siteWithTwin(settings: Record<string, string> = {}) {
  const site = await testSite(settings)
  const twin = await twinOf(site)
  const close = async () => {
    await twin.close()
    await site.close()
  }
  return { site, twin, owner: await staffMember(site, 'owner'), close }
}
