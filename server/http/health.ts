import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { breakers, secondsOpen } from '#server/abuse/breaker.ts'
import { refusals } from '#server/abuse/limits.ts'
import { abandonedJobs, countWaitingJobs } from '#server/jobs/jobs.ts'
import { jobGroups, jobKinds } from '#server/jobs/kinds.ts'
import { lostLines } from '#server/log.ts'
import { openDifferences } from '#server/payments/books/differences.ts'
import { lastReconciledAt } from '#server/payments/books/hourly.ts'
import { chargeKinds, chargeOutcomes } from '#server/payments/gateway-watch.ts'
import { renewalQueue } from '#server/payments/renewal-queue.ts'
import type { World } from '#server/world.ts'
import { isDraining } from './closing.ts'

const hidden = { schema: { hide: true } }

/** A slow or failing database must not block a health check. */
const withTimeout = <Result, Fallback>(query: Promise<Result>, fallback: Fallback): Promise<Result | Fallback> =>
  Promise.race([query.catch(() => fallback), sleep(2_000, fallback, { ref: false })])

/** For monitoring: /livez, /readyz and /metrics. */
export function addHealth(app: FastifyInstance, world: World) {
  const { config, db, payment, paymentCalls, sms, captcha, mail } = world

  app.get('/livez', hidden, async (_request, reply) => reply.type('text/plain').send('alive\n'))

  app.get('/readyz', hidden, async (_request, reply) => {
    const query = sql`select 1`.execute(db).then(() => true)
    const answering = await withTimeout(query, false)
    const kind = (part: string) => (config.embedded.includes(part) ? 'embedded' : 'real')
    const parts = {
      database: { kind: kind('database'), name: config.DATABASE_URL ? 'postgresql' : 'pglite', answering },
      payment: { kind: kind('payment'), name: payment.name, answering: paymentCalls.isAnswering() },
      phone: { kind: kind('phone'), name: sms.name },
      captcha: { kind: captcha.vendor ? 'real' : 'embedded', name: captcha.name },
      mail: { kind: kind('mail'), name: mail.name },
    }
    // A silent payment gateway is silent for every process. Pages, sign-in and offices work without it, and payments are
    // looked up later, so it must not take all processes out of rotation.
    const ready = answering && !isDraining(app)
    return reply
      .code(ready ? 200 : 503)
      .type('application/json')
      .send(JSON.stringify({ ready, parts }))
  })

  addMetrics(app, world)
}

type RenewalQueue = Awaited<ReturnType<typeof renewalQueue>>
const renewalGauges: [name: string, help: string, pick: (queue: RenewalQueue) => number][] = [
  ['due', 'Renewals, retries and ends that are due now', ({ due }) => due],
  ['past_due', 'Memberships whose card was declined and is tried again', ({ past_due }) => past_due],
  ['oldest_due_seconds', 'For how long the oldest of those that are due has waited', ({ waited }) => waited],
]

function addMetrics(app: FastifyInstance, world: World) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'foyer_differences',
    help: 'Open differences between the gateway’s books and ours',
    registers: [registry],
    async collect() {
      this.set(await withTimeout(openDifferences(world), Number.NaN))
    },
  })
  new Gauge({
    name: 'foyer_reconciled_timestamp_seconds',
    help: 'When the gateway’s books and ours were last compared; 0 if not in the last 30 days',
    registers: [registry],
    async collect() {
      const at = lastReconciledAt(world).then((time) => (time?.getTime() ?? 0) / 1000)
      this.set(await withTimeout(at, Number.NaN))
    },
  })
  const payments = new Gauge({
    name: 'foyer_payments_total',
    help: 'Charges that this process sent to the gateway, by what the gateway answered; unknown: it did not',
    labelNames: ['outcome', 'kind'],
    registers: [registry],
    collect: () => {
      for (const kind of chargeKinds)
        for (const outcome of chargeOutcomes)
          payments.set({ outcome, kind }, world.paymentCalls.outcomes.get(`${kind} ${outcome}`) ?? 0)
    },
  })
  new Gauge({
    name: 'foyer_gateway_unanswered',
    help: 'Calls to the payment gateway in a row that this process got no answer to',
    registers: [registry],
    collect() {
      this.set(world.paymentCalls.unanswered)
    },
  })
  for (const [name, help, pick] of renewalGauges)
    new Gauge({
      name: `foyer_renewals_${name}`,
      help,
      registers: [registry],
      async collect() {
        this.set(await withTimeout(renewalQueue(world).then(pick), Number.NaN))
      },
    })
  const refused = new Gauge({
    name: 'foyer_refused_total',
    help: 'Requests that this process refused because of a limit',
    labelNames: ['limit'],
    registers: [registry],
    collect: () => {
      for (const [limit, count] of refusals) refused.set({ limit }, count)
    },
  })
  const open: Gauge<'breaker'> = new Gauge({
    name: 'foyer_breaker_open',
    help: 'Breakers that are open',
    labelNames: ['breaker'],
    registers: [registry],
    collect: async () => {
      const seconds = breakers.map((breaker) => withTimeout(secondsOpen(world, breaker), Number.NaN))
      for (const [index, breaker] of breakers.entries()) open.set({ breaker }, Math.sign((await seconds[index]) ?? 0))
    },
  })
  const waiting: Gauge<'kind'> = new Gauge({
    name: 'foyer_jobs_waiting',
    help: 'Captures, voids and emails that are not done yet',
    labelNames: ['kind'],
    registers: [registry],
    collect: async () => {
      const counts = await withTimeout(countWaitingJobs(world), undefined)
      for (const kind of jobKinds) waiting.set({ kind }, counts ? (counts.get(kind) ?? 0) : Number.NaN)
    },
  })
  const abandoned = new Gauge({
    name: 'foyer_jobs_given_up_total',
    help: 'Emails that this process has abandoned',
    labelNames: ['kind'],
    registers: [registry],
    collect: () => {
      for (const kind of jobGroups.emails) abandoned.set({ kind }, abandonedJobs.get(kind) ?? 0)
    },
  })
  new Gauge({
    name: 'foyer_log_lines_lost_total',
    help: 'Log lines that this process could not write',
    registers: [registry],
    collect() {
      this.set(lostLines.count)
    },
  })
  const labelNames = ['method', 'route', 'status'] as const
  const requests = new Counter({
    name: 'foyer_requests_total',
    help: 'Requests',
    labelNames,
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'foyer_request_seconds',
    help: 'Time from request to reply',
    labelNames: ['route'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  app.addHook('onResponse', ({ method, routeOptions }, reply, done) => {
    const route = routeOptions.url ?? '(none)'
    requests.inc({ method, route, status: reply.statusCode })
    seconds.observe({ route }, reply.elapsedTime / 1000)
    done()
  })
  app.get('/metrics', hidden, async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  )
}
