import { setTimeout as sleep } from 'node:timers/promises'
import { ATTEMPTS_AT_ONCE, deleteExpired, settleAttempts, settlementGroups } from '#server/enrollment/janitor.ts'
import { reconcileHourly } from '#server/payments/books/hourly.ts'
import type { World } from '#server/world.ts'
import { JOBS_AT_ONCE, lanes, runJobs } from './jobs.ts'

const SWEEP_MS = 60_000

/** How long to rest after a round: not at all when there is more, shortly when more may come, so that it comes together. */
const restAfter = (taken: number, most: number) => (taken === most ? 0 : taken ? 100 : 500)

type Round = { work: (world: World) => Promise<number>; most: number }

/** Side by side, so that a mail server that does not answer never stands before the money, nor a gateway before what needs none. */
const rounds: Round[] = [
  { work: (world) => runJobs(world, lanes.money), most: JOBS_AT_ONCE },
  { work: (world) => runJobs(world, lanes.letters), most: JOBS_AT_ONCE },
  { work: (world) => settleAttempts(world, settlementGroups.ours), most: ATTEMPTS_AT_ONCE },
  { work: (world) => settleAttempts(world, settlementGroups.theirs), most: ATTEMPTS_AT_ONCE },
]

/** Does what commits have left to do, and tidies up, until it is stopped. Every process may run one. */
export function startWorker(world: World): { stop: () => Promise<unknown> } {
  const stopped = new AbortController()
  const { signal } = stopped
  const stumbled = (error: unknown) => {
    world.log.error({ err: error }, 'the worker stumbled and goes on')
    return 0
  }
  const rest = async (ms: number) => ms && sleep(ms, undefined, { signal, ref: false }).catch(() => undefined)
  const goRound = async ({ work, most }: Round) => {
    while (!signal.aborted) await rest(restAfter(await work(world).catch(stumbled), most))
  }
  const tidy = async () => {
    while (!signal.aborted) {
      await deleteExpired(world).catch(stumbled)
      await reconcileHourly(world).catch(stumbled)
      await rest(SWEEP_MS)
    }
  }
  const running = Promise.all([...rounds.map(goRound), tidy()])
  return {
    stop: () => {
      stopped.abort()
      return running
    },
  }
}
