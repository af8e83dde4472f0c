import { setTimeout as sleep } from 'node:timers/promises'
import { settleAttempts, sweep } from './janitor.ts'
import { lanes, runJobs } from './jobs.ts'
import { reconcileHourly } from './reconciliation.ts'
import type { World } from './world.ts'

const PAUSE_MS = 500
const SWEEP_MS = 60_000

/** Side by side, so that a mail server that does not answer never stands before the money. */
const rounds: ((world: World) => Promise<number>)[] = [
  (world) => runJobs(world, lanes.money),
  (world) => runJobs(world, lanes.letters),
  settleAttempts,
]

/** Does what commits have left to do, and tidies up, until it is stopped. Every process may run one. */
export function startWorker(world: World): { stop: () => Promise<unknown> } {
  const stopped = new AbortController()
  const { signal } = stopped
  const stumbled = (error: unknown) => {
    world.log.error({ err: error }, 'the worker stumbled and goes on')
    return 0
  }
  const rest = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined)
  const work = async (round: (typeof rounds)[number]) => {
    while (!signal.aborted) if (!(await round(world).catch(stumbled))) await rest(PAUSE_MS)
  }
  const tidy = async () => {
    while (!signal.aborted) {
      await sweep(world).catch(stumbled)
      await reconcileHourly(world).catch(stumbled)
      await rest(SWEEP_MS)
    }
  }
  const running = Promise.all([...rounds.map(work), tidy()])
  return {
    stop: () => {
      stopped.abort()
      return running
    },
  }
}
