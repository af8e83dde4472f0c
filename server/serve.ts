import type { Server } from 'node:http'
import { createApp } from '#server/site/app.ts'
import { storeBuiltFiles } from '#server/site/built-files.ts'
import { drain } from '#server/site/closing.ts'
import { loadShell, type Shell } from '#server/site/shell.ts'
import { testPageLinks } from '#server/site/test-pages.ts'
import type { World } from '#server/world/world.ts'
import { type Config, readConfig } from './config/config.ts'
import { keptElsewhere, missingOperatorDetails } from './config/operator.ts'
import { createLog } from './log.ts'
import { createWorld } from './open-world.ts'
import { watchKeys } from './secrets/secrets.ts'

/**
 * Longer than any request should take. The janitor settles open payments when the server starts again, but an API host's answer
 * would be lost for good, so we wait for it.
 */
const shutdownDeadlineMs = ({ PROVIDER_API_URL, PROVIDER_DEADLINE }: Config) =>
  PROVIDER_API_URL ? (PROVIDER_DEADLINE + 8) * 1000 : 8_000

type Options = {
  config?: Config
  /** Where staff get in. */
  consoleLink?: (world: World) => Promise<string | undefined>
}

/** The whole program: settings, database, pages, worker and graceful shutdown. */
export async function serve({ config = readConfig(), consoleLink = ownerLink }: Options = {}): Promise<void> {
  const log = createLog(config.LOG_LEVEL)
  process.once('exit', () => log.flush())
  const print = (line: string) => console.log(`Foyer: ${line}`)
  print(config.DATABASE_URL ? 'connecting to the database …' : 'opening the embedded database …')
  const world = await createWorld({ config, log, print })
  const shell = await loadShell(world.captcha.vendor?.sources)
  const app = await createApp({ world, shell })
  await publishFiles(world, shell)
  const staffLink = (await consoleLink(world)) ?? `${config.PUBLIC_URL}/console`
  let worker: ReturnType<typeof loadWorker> | undefined
  const stopWatchingKeys = watchKeys(world)
  let isClosing = false
  const close = async () => {
    isClosing = true
    print('shutting down …')
    await drain(app, config.CLOSING_SECONDS)
    setTimeout(() => process.exit(1), shutdownDeadlineMs(config)).unref()
    stopWatchingKeys()
    await Promise.all([app.close(), worker?.then(({ stop }) => stop())])
    await world.close()
    print('stopped')
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close())
  await app.listen({ port: config.PORT, host: config.HOST })
  worker = loadWorker(world, app.server, () => isClosing)

  print(`database: ${world.database}`)
  const elsewhere = keptElsewhere(config)
  if (elsewhere) print(elsewhere)
  if (config.embedded.length) print(`embedded stand-ins: ${config.embedded.join(', ')}`)
  for (const line of testPageLinks(world)) print(line)
  for (const warning of missingOperatorDetails(config)) print(warning)
  print(`open ${config.PUBLIC_URL}`)
  print(`console: ${staffLink}`)
  await worker
}

/** Loaded after the site answers: no visitor waits for it. */
async function loadWorker(world: World, server: Server, isClosing: () => boolean) {
  const [{ startWorker }, { watchAccounts }] = await Promise.all([
    import('#server/worker/worker.ts'),
    import('#server/worker/accounts.ts'),
  ])
  if (isClosing()) return { stop: async () => undefined }
  void watchAccounts(world)
  return startWorker(world, server)
}

/** Who tries Foyer on its embedded database gets in with one click. Elsewhere, an owner is invited with `npm run staff`. */
async function ownerLink(world: World): Promise<string | undefined> {
  if (world.config.production || world.config.DATABASE_URL) return undefined
  const { firstOwnerLink } = await import('./console/access/invitations.ts')
  return firstOwnerLink(world)
}

const DAY_MS = 86_400_000

/**
 * Stores this version's scripts in the database, before a page that needs them is served. If it fails, the site still
 * works, except for visitors whose page was served by a process of another version.
 */
async function publishFiles(world: World, { files }: Shell): Promise<void> {
  if (!files) return
  const publish = () =>
    storeBuiltFiles(world, files).catch((error: unknown) =>
      world.log.error({ err: error }, 'the scripts could not be stored for processes of other versions'),
    )
  await publish()
  setInterval(publish, DAY_MS).unref()
}
