import { createApp } from './app.ts'
import { BadSettings, readConfig } from './config.ts'
import { FolderProblem } from './db/folder.ts'
import { NotReady } from './db/ready.ts'
import { WrongSecret } from './keys.ts'
import { createLog } from './log.ts'
import { loadShell } from './shell.ts'
import { startWorker } from './worker.ts'
import { createWorld } from './world.ts'

/** Problems that the operator can mend: a sentence is enough. Anything else is a bug and shows its stack. */
const mendable = [BadSettings, FolderProblem, NotReady, WrongSecret]

async function main() {
  const config = readConfig()
  const log = createLog(config.LOG_LEVEL)
  const say = (line: string) => console.log(`Foyer: ${line}`)
  say(config.DATABASE_URL ? 'connecting to the database …' : 'opening the embedded database …')
  const world = await createWorld({ config, log, say })
  const app = await createApp({ world, shell: await loadShell() })
  const worker = startWorker(world)
  await app.listen({ port: config.PORT, host: config.HOST })

  say(`database: ${world.database}`)
  if (config.embedded.length) say(`embedded instead of real: ${config.embedded.join(', ')}`)
  say(`open ${config.PUBLIC_URL}`)

  const close = async () => {
    say('closing …')
    await app.close()
    await worker.stop()
    await world.close()
    say('closed')
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close())
}

main().catch((error: unknown) => {
  const known = mendable.some((kind) => error instanceof kind)
  console.error(known && error instanceof Error ? error.message : (inUse(error) ?? error))
  process.exit(1)
})

const inUse = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    ? 'Another program is using this port. Stop it, or choose another one with PORT.'
    : undefined
