import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { keepSecurityLog } from '#server/audit/security-seals.ts'
import { publishScheduled } from '#server/catalog/documents.ts'
import { deleteOldDeliveries } from '#server/connect/webhooks/deliveries.ts'
import { deliverWebhooks } from '#server/connect/webhooks/webhooks.ts'
import { isDatabaseAway } from '#server/db/away.ts'
import { EVENTS_AT_ONCE, positionNewEvents } from '#server/events/positions.ts'
import { jobGroups } from '#server/jobs/queue.ts'
import { renewMemberships } from '#server/membership/membership.ts'
import { writeNotices } from '#server/membership/notify.ts'
import { lastReconciledAt, reconcileHourly } from '#server/payments/books/hourly.ts'
import { dateCaptures } from '#server/payments/payments.ts'
import { loseOverdue } from '#server/provider/attempts.ts'
import type { World } from '#server/world/world.ts'
import { ATTEMPTS_AT_ONCE, deleteExpired, settleAttempts, settlementGroups } from './janitor.ts'
import { JOBS_AT_ONCE, runJobs } from './jobs.ts'
import { createPace } from './pace.ts'
import { witnessLogs } from './witness.ts'

const CHORE_INTERVAL_MS = { usual: 60_000, afterError: 5_000 }

type Chore = (world: World) => Promise<unknown>

/** They run once a minute. */
const chores: Chore[] = [
  ...[deleteExpired, reconcileHourly, writeNotices],
  ...[keepSecurityLog, witnessLogs, deleteOldDeliveries, dateCaptures],
]
/** In front of an operator's API host we have no members or payments. */
const choresInFront: Chore[] = [deleteExpired, loseOverdue, keepSecurityLog, witnessLogs]

type Task = {
  /** Returns how many jobs or attempts it has processed. `signal`: the worker stops. */
  run: (world: World, signal?: AbortSignal) => Promise<number>
  batchSize: number | ((world: World) => number)
}

/** While the payment gateway or the mail server is silent, tasks that need it pause after each try, as if nothing were due. */
const whileAnswering =
  (isAnswering: (world: World) => boolean) =>
  (run: Task['run']): Task['run'] =>
  async (world) => {
    const done = await run(world)
    return isAnswering(world) ? done : 0
  }
const withGateway = whileAnswering((world) => world.paymentCalls.isAnswering())
const withMail = whileAnswering((world) => world.mail.isAnswering())

const emails: Task = { run: withMail((world) => runJobs(world, jobGroups.emails)), batchSize: JOBS_AT_ONCE }

/** Each has its own loop, so that a slow mail server delays only emails, and a slow gateway only what needs it. */
const tasks: Task[] = [
  { run: withGateway((world) => runJobs(world, jobGroups.payments)), batchSize: JOBS_AT_ONCE },
  emails,
  { run: (world) => runJobs(world, jobGroups.announcements), batchSize: JOBS_AT_ONCE },
  { run: (world) => settleAttempts(world, settlementGroups.local), batchSize: ATTEMPTS_AT_ONCE },
  { run: withGateway((world) => settleAttempts(world, settlementGroups.gateway)), batchSize: ATTEMPTS_AT_ONCE },
  { run: publishScheduled, batchSize: 1 },
  { run: positionNewEvents, batchSize: EVENTS_AT_ONCE },
]
const renewals: Task = { run: renewMemberships, batchSize: ({ config }) => config.RENEWALS_AT_ONCE }
const webhooks: Task = { run: deliverWebhooks, batchSize: 1 }

/** Does everything that is due, and what follows from it. Returns how much there was. */
export async function doEverythingDue(world: World): Promise<number> {
  const logError = errorLogger(world)
  for (const chore of chores) await chore(world).catch(logError)
  let total = 0
  for (let done = 1; done; total += done) {
    done = 0
    for (const { run } of [...tasks, renewals, webhooks]) done += await run(world).catch(logError)
  }
  return total
}

const COMPARED_MS = 2 * 3_600_000
const MAX_WAIT_MS = 30 * 60_000

/**
 * After downtime, the gateway's books may have a dispute that puts a membership on hold, so we compare them before we charge
 * anyone. If that keeps failing, renewals start after half an hour.
 */
function afterComparison({ run, batchSize }: Task): Task {
  const startedAt = performance.now()
  const isCompared = async (world: World) =>
    world.now().getTime() - Number(await lastReconciledAt(world)) < COMPARED_MS ||
    performance.now() - startedAt > MAX_WAIT_MS
  let mayRun = false
  return {
    run: async (world) => {
      mayRun ||= await isCompared(world)
      return mayRun ? run(world) : 0
    },
    batchSize,
  }
}

const PATIENCE_MS = 1000

/**
 * A slow receiver delays only its own webhooks: after a second, the loop looks for other endpoints' again. Nor does it hold up
 * shutdown.
 */
function withoutWaiting(
  { run, batchSize }: Task,
  whileStill: NonNullable<World['testClock']>['whileStill'],
  signal: AbortSignal,
) {
  const underway = new Set<Promise<number>>()
  const task: Task = {
    run: async (world) => {
      const work = whileStill(() => run(world, signal)).catch(errorLogger(world))
      underway.add(work)
      void work.finally(() => underway.delete(work))
      return Promise.race([work, sleep(PATIENCE_MS, 0, { ref: false })])
    },
    batchSize,
  }
  return { task, end: () => Promise.all(underway) }
}

const errorLogger = (world: World) => (error: unknown) => {
  if (isDatabaseAway(error)) world.log.warn({ err: error }, 'the worker waits for the database')
  else world.log.error({ err: error }, 'a task of the worker failed')
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
  const slow = withoutWaiting(webhooks, whileStill, signal)
  const isInFront = world.config.PROVIDER_API_URL !== undefined
  const doChores = async () => {
    while (!signal.aborted) {
      let pause = CHORE_INTERVAL_MS.usual
      for (const chore of isInFront ? choresInFront : chores)
        await whileStill(() => chore(world)).catch((error: unknown) => {
          logError(error)
          pause = CHORE_INTERVAL_MS.afterError
        })
      await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
  const loops = Promise.all([
    ...(isInFront ? [emails] : [...tasks, afterComparison(renewals), slow.task]).map(repeat),
    doChores(),
  ])
  return {
    stop: () => {
      controller.abort()
      pace.end()
      return loops.then(slow.end)
    },
  }
}
