// Foyer with an injected fault and a clock that can be moved. Started as a process of its own by drill/site/processes.ts.
import { createServer, type ServerResponse } from 'node:http'
import { createInterface } from 'node:readline'
import { readConfig } from '#server/config/config.ts'
import { openDatabase } from '#server/db/db.ts'
import { createApp } from '#server/http/app.ts'
import { loadShell } from '#server/http/shell.ts'
import { startWorker } from '#server/jobs/worker.ts'
import { createLog } from '#server/log.ts'
import { createWorld } from '#server/world.ts'
import { hooksFor, type Injection } from './fault-injection.ts'
import { hookDialect, rerun } from './hooks.ts'

async function main() {
  const injection: Injection = JSON.parse(process.argv[2] ?? '{}')
  const hooks = hooksFor(injection)
  let clockAheadMs = (injection.clockAheadSeconds ?? 0) * 1000
  const now = () => new Date(Date.now() + clockAheadMs)

  const config = readConfig()
  const log = createLog(config.LOG_LEVEL)
  process.once('exit', () => log.flush())
  const database = await openDatabase(config, hooks.database ? hookDialect(hooks.database) : undefined)
  if (hooks.database) hooks.database.rerun = rerun(database.db)
  const realWorld = await createWorld({ config, log, now, database })
  const world = { ...realWorld, payment: hooks.payment?.(realWorld.payment) ?? realWorld.payment }
  const shell = await loadShell()
  const app = await createApp({
    world,
    shell,
    serverFactory: (handler) =>
      createServer((request, response) => {
        if (hooks.beforeAnswer && request.url?.endsWith('/add-enrollment')) beforeHead(response, hooks.beforeAnswer)
        handler(request, response)
      }),
  })
  const worker = startWorker(world)
  await app.listen({ port: config.PORT, host: config.HOST })

  createInterface(process.stdin).on('line', (line) => {
    const [command, seconds] = line.split(' ')
    if (command === 'advance') clockAheadMs += Number(seconds) * 1000
  })
  process.once('SIGTERM', async () => {
    await Promise.all([app.close(), worker.stop()])
    await world.close()
    process.exit(0)
  })
}

/** Runs `work` just before the response is sent. */
function beforeHead(response: ServerResponse, work: () => void) {
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
