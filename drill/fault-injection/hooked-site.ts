import { createServer, type ServerResponse } from 'node:http'
import type { Config } from '#server/config/config.ts'
import { type Database, openDatabase, type WrapDialect } from '#server/db/db.ts'
import { createLog } from '#server/log.ts'
import { createWorld } from '#server/open-world.ts'
import { createApp } from '#server/site/app.ts'
import { loadShell } from '#server/site/shell.ts'
import type { World } from '#server/world/world.ts'
import { type Hooks, hookDialect, rerun } from './hooks.ts'

type Options = { config: Config; hooks: Hooks; now: () => Date; open?: (wrap?: WrapDialect) => Promise<Database> }

/** The unchanged product with hooks around its database, its payment gateway and its answers. It listens on config.PORT. */
export async function openHookedSite({ config, hooks, now, open = (wrap) => openDatabase(config, wrap) }: Options) {
  const log = createLog(config.LOG_LEVEL)
  process.once('exit', () => log.flush())
  const database = await open(hooks.database && hookDialect(hooks.database))
  if (hooks.database) hooks.database.rerun = rerun(database.db)
  const realWorld = await createWorld({ config, log, now, database })
  const world: World = { ...realWorld, payment: hooks.payment?.(realWorld.payment) ?? realWorld.payment }
  const app = await createApp({
    world,
    shell: await loadShell(),
    serverFactory: (handler) =>
      createServer((request, response) => {
        if (hooks.beforeAnswer && request.url?.endsWith('/add-enrollment')) beforeHead(response, hooks.beforeAnswer)
        handler(request, response)
      }),
  })
  await app.listen({ port: config.PORT, host: config.HOST })
  return {
    world,
    close: async () => {
      await app.close()
      await realWorld.close()
    },
  }
}

/** Runs `work` just before the response is sent. */
function beforeHead(response: ServerResponse, work: () => void) {
  const writeHead = response.writeHead.bind(response)
  response.writeHead = (...head: unknown[]) => {
    work()
    return (writeHead as (...head: unknown[]) => ServerResponse)(...head)
  }
}
