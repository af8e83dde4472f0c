// Foyer with an injected fault and a clock that can be moved. Started as a process of its own by drill/site/processes.ts.
import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { createInterface } from 'node:readline'
import { readConfig } from '#server/config/config.ts'
import { startWorker } from '#server/worker/worker.ts'
import { GATEWAY_CALL_STARTED, hooksFor, type Injection } from './fault-injection.ts'
import { openHookedSite } from './hooked-site.ts'

async function main() {
  const injection: Injection = JSON.parse(process.argv[2] ?? '{}')
  let clockAheadMs = (injection.clockAheadSeconds ?? 0) * 1000
  const now = () => new Date(Date.now() + clockAheadMs)
  const gatewayCallStarted = () => void writeSync(1, `${GATEWAY_CALL_STARTED}\n`)
  const hooks = hooksFor(injection, { crash, gatewayCallStarted })
  const site = await openHookedSite({ config: readConfig(), hooks, now })
  const worker = startWorker(site.world)
  flushCompileCache() // now, because a killed process cannot do it on exit, and the next one starts faster

  createInterface(process.stdin).on('line', (line) => {
    const [command, seconds] = line.split(' ')
    if (command === 'advance') clockAheadMs += Number(seconds) * 1000
  })
  process.once('SIGTERM', async () => {
    await worker.stop()
    await site.close()
    process.exit(0)
  })
}

/** Ends the process immediately, as kill -9 does. */
function crash(): Promise<never> {
  writeSync(1, 'crash point reached\n')
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => undefined)
}

main().catch((error: unknown) => {
  console.error(error)
  process.exit(1)
})
