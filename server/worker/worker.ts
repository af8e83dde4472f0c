import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { keepSecurityLog } from '#server/audit/security-seals.ts'
import { publishScheduled } from '#server/catalog/documents.ts'
import { jobGroups } from '#server/jobs/queue.ts'
import { renewMemberships } from '#server/membership/membership.ts'
import { writeNotices } from '#server/membership/notify.ts'
import { reconcileHourly } from '#server/payments/books/hourly.ts'
import type { World } from '#server/world/world.ts'
import { ATTEMPTS_AT_ONCE, deleteExpired, settleAttempts, settlementGroups } from './janitor.ts'
import { JOBS_AT_ONCE, runJobs } from './jobs.ts'
import { createPace } from './pace.ts'

const CLEANUP_INTERVAL_MS = 60_000

type Task = {
  /** Returns how many jobs or attempts it has processed. */
  run: (world: World) => Promise<number>
  batchSize: number | ((world: World) => number)
}

/** Each has its own loop, so that a slow mail server delays only emails, and a slow gateway only what needs it. */
const tasks: Task[] = [
  { run: (world) => runJobs(world, jobGroups.payments), batchSize: JOBS_AT_ONCE },
  { run: (world) => runJobs(world, jobGroups.emails), batchSize: JOBS_AT_ONCE },
  { run: (world) => settleAttempts(world, settlementGroups.local), batchSize: ATTEMPTS_AT_ONCE },
  { run: (world) => settleAttempts(world, settlementGroups.gateway), batchSize: ATTEMPTS_AT_ONCE },
  { run: publishScheduled, batchSize: 1 },
  { run: renewMemberships, batchSize: ({ config }) => config.RENEWALS_AT_ONCE },
]

/** Does everything that is due, and what follows from it. Returns how much there was. */
export async function doEverythingDue(world: World): Promise<number> {
  const logError = errorLogger(world)
  await deleteExpired(world).catch(logError)
  await reconcileHourly(world).catch(logError)
  await writeNotices(world).catch(logError)
  await keepSecurityLog(world).catch(logError)
  let total = 0
  for (let done = 1; done; total += done) {
    done = 0
    for (const { run } of tasks) done += await run(world).catch(logError)
  }
  return total
}

const errorLogger = (world: World) => (error: unknown) => {
  world.log.error({ err: error }, 'a task of the worker failed')
  return 0
}

/**
 * Runs jobs, settles open attempts and deletes expired rows until it is stopped. Every process may run a worker. While
 * nothing calls the API of `server`, it looks less often.
 */
export function startWorker(world: World, server?: Server): { stop: () => Promise<unknown> } {
  const pace = createPace(server)
  const controller = new AbortController()
  const { signal } = controller
  const logError = errorLogger(world)
  const whileStill = world.testClock?.whileStill ?? ((work) => work())
  const repeat = async ({ run, batchSize }: Task) => {
    const fullBatch = typeof batchSize === 'number' ? batchSize : batchSize(world)
    while (!signal.aborted) await pace.pauseAfter(await whileStill(() => run(world)).catch(logError), fullBatch)
  }
  const cleanUp = async () => {
    while (!signal.aborted) {
      await whileStill(() => deleteExpired(world)).catch(logError)
      await whileStill(() => reconcileHourly(world)).catch(logError)
      await whileStill(() => writeNotices(world)).catch(logError)
      await whileStill(() => keepSecurityLog(world)).catch(logError)
      await sleep(CLEANUP_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
  const loops = Promise.all([...tasks.map(repeat), cleanUp()])
  return {
    stop: () => {
      controller.abort()
      pace.end()
      return loops
    },
  }
}
