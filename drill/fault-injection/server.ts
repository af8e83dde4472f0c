import { createServer, type ServerResponse } from 'node:http'
import { createInterface } from 'node:readline'
import { readConfig } from '#server/config/config.ts'
import { openDatabase } from '#server/db/db.ts'
import { createApp } from '#server/http/app.ts'
import { loadShell } from '#server/http/shell.ts'
import { startWorker } from '#server/jobs/worker.ts'
import { createLog } from '#server/log.ts'
import { createWorld } from '#server/world.ts'
import { type Outfit, pointCalled } from './crash-points.ts'
import { dressed, redo } from './hooks.ts'
import { type Sabotage, sabotages } from './removed-guards.ts'

/** What is put around the product, by name. Nothing: the product itself, with a clock that can be turned. */
export type Dressing = {
  point?: string
  sabotage?: Sabotage
  /** Seconds that the clock is ahead at the start. */
  ahead?: number
}

async function main() {
  const { point, sabotage, ahead: first = 0 }: Dressing = JSON.parse(process.argv[2] ?? '{}')
  const outfit: Outfit = (point && pointCalled(point).outfit) || (sabotage && sabotages[sabotage].outfit) || {}
  let ahead = first * 1000
  const now = () => new Date(Date.now() + ahead)

  const config = readConfig()
  const log = createLog(config.LOG_LEVEL)
  process.once('exit', () => log.flush())
  const database = await openDatabase(config, outfit.watch ? dressed(outfit.watch) : undefined)
  if (outfit.watch) outfit.watch.redo = redo(database.db)
  const made = await createWorld({ config, log, now, database })
  const world = { ...made, payment: outfit.payment?.(made.payment) ?? made.payment }
  const shell = await loadShell()
  const app = await createApp({
    world,
    shell,
    serverFactory: (handler) =>
      createServer((request, response) => {
        if (outfit.answering && request.url?.endsWith('/add-enrollment')) beforeAnswer(response, outfit.answering)
        handler(request, response)
      }),
  })
  const worker = startWorker(world)
  await app.listen({ port: config.PORT, host: config.HOST })

  createInterface(process.stdin).on('line', (line) => {
    const [word, seconds] = line.split(' ')
    if (word === 'ahead') ahead += Number(seconds) * 1000
  })
  process.once('SIGTERM', async () => {
    await Promise.all([app.close(), worker.stop()])
    await world.close()
    process.exit(0)
  })
}

/** The last moment before an answer leaves. */
function beforeAnswer(response: ServerResponse, work: () => void) {
  const writeHead = response.writeHead.bind(response)
  response.writeHead = (...head: unknown[]) => {
    work()
    return (writeHead as (...head: unknown[]) => ServerResponse)(...head)
  }
}

main().catch((error: unknown) => {
  console.error(error)
  process.exit(1)
})
