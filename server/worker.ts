import { setTimeout as sleep } from 'node:timers/promises'
import { settleAttempts, sweep } from './janitor.ts'
import { runJobs } from './jobs.ts'
import type { World } from './world.ts'

const PAUSE_MS = 500
const SWEEP_MS = 60_000

/** Does what commits have left to do, and tidies up, until it is stopped. Every process may run one. */
export function startWorker(world: World): { stop: () => Promise<void> } {
  const stopped = new AbortController()
  let swept = world.now().getTime()
  const round = async () => {
    let did = 0
    do {
      did = (await runJobs(world)) + (await settleAttempts(world))
    } while (did && !stopped.signal.aborted)
    if (world.now().getTime() - swept < SWEEP_MS) return
    swept = world.now().getTime()
    await sweep(world)
  }
  const running = (async () => {
    while (!stopped.signal.aborted) {
      await round().catch((error: unknown) => world.log.error({ err: error }, 'the worker stumbled and goes on'))
      await sleep(PAUSE_MS, undefined, { signal: stopped.signal, ref: false }).catch(() => undefined)
    }
  })()
  return {
    stop: () => {
      stopped.abort()
      return running
    },
  }
}
