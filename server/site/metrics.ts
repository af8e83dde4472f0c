import type { FastifyReply, FastifyRequest } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { breakers, secondsOpen } from '#server/abuse/breaker.ts'
import { refusals } from '#server/abuse/limits.ts'
import { deliveryQueue } from '#server/connect/webhooks/deliveries.ts'
import { waiting } from '#server/db/away.ts'
import { presenceOf } from '#server/db/db.ts'
import { countWaitingJobs, jobGroups, jobKinds } from '#server/jobs/queue.ts'
import { lostLines } from '#server/log.ts'
import { openDiscrepancies } from '#server/payments/books/discrepancies.ts'
import { lastReconciledAt } from '#server/payments/books/hourly.ts'
import { renewalQueue } from '#server/payments/renewal-queue.ts'
import { abandonedJobs } from '#server/worker/jobs.ts'
import { chargeKinds, chargeOutcomes } from '#server/world/gateway-watch.ts'
import type { World } from '#server/world/world.ts'
import { withTimeout } from './timeout.ts'

/** A value that is read when monitoring asks for it: one, or one for each label. */
type Reading = {
  name: string
  help: string
  /** What the labels of `readEach` are called. */
  labels?: string[]
  read?: (world: World) => number | Promise<number>
  readEach?: (world: World) => Promise<Reads> | Reads
}
type Reads = [labels: Record<string, string>, value: number][]

const readings: Reading[] = [
  {
    name: 'foyer_database_failovers_total',
    help: 'How often this process found the database on another server, or restarted',
    read: ({ db }) => presenceOf(db)?.failovers ?? 0,
  },
  {
    name: 'foyer_database_away_seconds_total',
    help: 'For how long this process could not write to the database',
    read: ({ db }) => presenceOf(db)?.secondsAway() ?? 0,
  },
  {
    name: 'foyer_database_waiting',
    help: 'Requests and jobs that wait for the database to come back',
    read: () => waiting.count,
  },
  {
    name: 'foyer_differences', // discrepancies; the name stays, because dashboards and alerts read it
    help: 'Open discrepancies between the gateway’s books and ours',
    read: openDiscrepancies,
  },
  {
    name: 'foyer_reconciled_timestamp_seconds',
    help: 'When the gateway’s books and ours were last compared; 0 if not in the last 30 days',
    read: async (world) => ((await lastReconciledAt(world))?.getTime() ?? 0) / 1000,
  },
  {
    name: 'foyer_payments_total',
    help: 'Charges that this process sent to the gateway, by what the gateway answered; unknown: it did not',
    labels: ['outcome', 'kind'],
    readEach: ({ paymentCalls: { outcomes } }) =>
      chargeKinds.flatMap((kind) =>
        chargeOutcomes.map((outcome): Reads[number] => [{ outcome, kind }, outcomes.get(`${kind} ${outcome}`) ?? 0]),
      ),
  },
  {
    name: 'foyer_gateway_unanswered',
    help: 'Calls to the payment gateway in a row that this process got no answer to',
    read: ({ paymentCalls }) => paymentCalls.unanswered,
  },
  {
    name: 'foyer_renewals_due',
    help: 'Renewals, retries and ends that are due now',
    read: async (world) => (await renewalQueue(world)).due,
  },
  {
    name: 'foyer_renewals_past_due',
    help: 'Memberships whose card was declined and is tried again',
    read: async (world) => (await renewalQueue(world)).past_due,
  },
  {
    name: 'foyer_renewals_oldest_due_seconds',
    help: 'For how long the oldest of those that are due has waited',
    read: async (world) => (await renewalQueue(world)).waited,
  },
  {
    name: 'foyer_refused_total',
    help: 'Requests that this process refused because of a limit',
    labels: ['limit'],
    readEach: () => [...refusals].map(([limit, count]) => [{ limit }, count]),
  },
  {
    name: 'foyer_breaker_open',
    help: 'Breakers that are open',
    labels: ['breaker'],
    readEach: (world) =>
      Promise.all(
        breakers.map(async (breaker): Promise<Reads[number]> => {
          const seconds = await withTimeout(secondsOpen(world, breaker), Number.NaN)
          return [{ breaker }, Math.sign(seconds ?? 0)]
        }),
      ),
  },
  {
    name: 'foyer_account_wrong',
    help: 'Vendors that rejected our credentials when this process started',
    labels: ['part'],
    readEach: ({ accounts }) => [...accounts].map(([part, { state }]) => [{ part }, Number(state === 'wrong')]),
  },
  {
    name: 'foyer_jobs_waiting',
    help: 'Captures, voids and emails that are not done yet',
    labels: ['kind'],
    readEach: async (world) => {
      const counts = await withTimeout(countWaitingJobs(world), undefined)
      return jobKinds.map((kind) => [{ kind }, counts ? (counts.get(kind) ?? 0) : Number.NaN])
    },
  },
  {
    name: 'foyer_jobs_given_up_total',
    help: 'Emails that this process has abandoned',
    labels: ['kind'],
    readEach: () =>
      [...jobGroups.emails, ...jobGroups.announcements].map((kind) => [{ kind }, abandonedJobs.get(kind) ?? 0]),
  },
  {
    name: 'foyer_webhooks_open',
    help: 'Webhook deliveries that are pending or waiting',
    read: async (world) => (await deliveryQueue(world)).open,
  },
  {
    name: 'foyer_webhooks_oldest_open_seconds',
    help: 'How long the oldest of them has waited, at endpoints that are on',
    read: async (world) => (await deliveryQueue(world)).waited,
  },
  {
    name: 'foyer_webhook_endpoints_stopped',
    help: 'Endpoints that were turned off because they failed',
    read: async (world) => (await deliveryQueue(world)).stopped,
  },
  {
    name: 'foyer_log_lines_lost_total',
    help: 'Log lines that this process could not write',
    read: () => lostLines.count,
  },
]

export type Metrics = { registry: Registry; observe: (request: FastifyRequest, reply: FastifyReply) => void }

export function openMetrics(world: World): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const reading of readings) addReading(registry, world, reading)
  return { registry, observe: countRequests(registry) }
}

function addReading(registry: Registry, world: World, { name, help, labels = [], read, readEach }: Reading) {
  new Gauge({
    name,
    help,
    labelNames: labels,
    registers: [registry],
    async collect() {
      if (read) this.set(await withTimeout(Promise.resolve(read(world)), Number.NaN))
      for (const [label, value] of (await readEach?.(world)) ?? []) this.set(label, value)
    },
  })
}

function countRequests(registry: Registry): Metrics['observe'] {
  const requests = new Counter({
    name: 'foyer_requests_total',
    help: 'Requests',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'foyer_request_seconds',
    help: 'Time from request to reply',
    labelNames: ['route'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  return ({ method, routeOptions }, reply) => {
    const route = routeOptions.url ?? '(none)'
    requests.inc({ method, route, status: reply.statusCode })
    seconds.observe({ route }, reply.elapsedTime / 1000)
  }
}
