import { readConfig } from './config/config.ts'
import { createApp } from './http/app.ts'
import { storeBuiltFiles } from './http/built-files.ts'
import { drain } from './http/closing.ts'
import { loadShell, type Shell } from './http/shell.ts'
import { startWorker } from './jobs/worker.ts'
import { createLog } from './log.ts'
import { createWorld, type World } from './world.ts'

/** Longer than any request should take; what is still open then is settled by the janitor of the next start. */
const LAST_MOMENT_MS = 8_000

/** The whole program: settings, database, pages, worker, and a polite end. */
export async function serve(): Promise<void> {
  const config = readConfig()
  const log = createLog(config.LOG_LEVEL)
  process.once('exit', () => log.flush())
  const say = (line: string) => console.log(`Foyer: ${line}`)
  say(config.DATABASE_URL ? 'connecting to the database …' : 'opening the embedded database …')
  const world = await createWorld({ config, log, say })
  const shell = await loadShell(world.captcha.vendor?.sources)
  const app = await createApp({ world, shell })
  await shareFiles(world, shell)
  const worker = startWorker(world)
  await app.listen({ port: config.PORT, host: config.HOST })

  say(`database: ${world.database}`)
  if (config.embedded.length) say(`embedded instead of real: ${config.embedded.join(', ')}`)
  say(`open ${config.PUBLIC_URL}`)

  const close = async () => {
    say('closing …')
    await drain(app, config.CLOSING_SECONDS)
    setTimeout(() => process.exit(1), LAST_MOMENT_MS).unref()
    await Promise.all([app.close(), worker.stop()])
    await world.close()
    say('closed')
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close())
}

const DAY_MS = 86_400_000

/** Before anybody gets a page that names them. A site without it still works, but for who has an older page open. */
async function shareFiles(world: World, { files }: Shell): Promise<void> {
  if (!files) return
  const share = () =>
    storeBuiltFiles(world, files).catch((error: unknown) =>
      world.log.error({ err: error }, 'the scripts could not be shared with other versions'),
    )
  await share()
  setInterval(share, DAY_MS).unref()
}
