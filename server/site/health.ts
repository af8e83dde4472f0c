import { setTimeout as sleep } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { breakers, secondsOpen } from '#server/abuse/breaker.ts'
import { refusals } from '#server/abuse/limits.ts'
import type { AccountCheck } from '#server/gateways/account.ts'
import { dataHeaders } from '#server/http/headers.ts'
import { lostLines } from '#server/log.ts'
import { OperatorError } from '#server/operator-error.ts'
import { openDifferences } from '#server/payments/books/differences.ts'
import { lastReconciledAt } from '#server/payments/books/hourly.ts'
import { renewalQueue } from '#server/payments/renewal-queue.ts'
import { abandonedJobs, countWaitingJobs } from '#server/worker/jobs.ts'
import { jobGroups, jobKinds } from '#server/worker/kinds.ts'
import { chargeKinds, chargeOutcomes } from '#server/world/gateway-watch.ts'
import type { World } from '#server/world/world.ts'
import { isDraining } from './closing.ts'

const hidden = { schema: { hide: true } }

/** A slow or failing database must not block a health check. */
const withTimeout = <Result, Fallback>(query: Promise<Result>, fallback: Fallback): Promise<Result | Fallback> =>
  Promise.race([query.catch(() => fallback), sleep(2_000, fallback, { ref: false })])

/**
 * For monitoring: /livez, /readyz and /metrics. With OPS_PORT they have a port of their own, and the port of the visitors
 * only tells a load balancer whether this process is ready.
 */
export function addHealth(app: FastifyInstance, world: World) {
  const registry = collectMetrics(app, world)
  const readiness = () => describeReadiness(app, world)
  if (world.config.OPS_PORT === undefined) {
    addProbes(app, readiness)
    addMetrics(app, registry)
    return
  }
  addProbes(app, async () => ({ ready: (await readiness()).ready }))
  app.get('/metrics', hidden, (_request, reply) => reply.callNotFound())
  const ops = openOpsServer(app, world.config)
  addProbes(ops, readiness)
  addMetrics(ops, registry)
}

function addProbes(app: FastifyInstance, readiness: () => Promise<{ ready: boolean }>) {
  app.get('/livez', hidden, async (_request, reply) => reply.type('text/plain').send('alive\n'))
  app.get('/readyz', hidden, async (_request, reply) => {
    const described = await readiness()
    return reply
      .code(described.ready ? 200 : 503)
      .type('application/json')
      .send(JSON.stringify(described))
  })
}

const addMetrics = (app: FastifyInstance, registry: Registry) =>
  app.get('/metrics', hidden, async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  )

/** A server that opens and closes with the app. */
function openOpsServer(app: FastifyInstance, config: World['config']): FastifyInstance {
  const { OPS_PORT: port = 0, OPS_HOST: host } = config
  const ops = Fastify({ forceCloseConnections: true })
  const headers = dataHeaders(config)
  ops.addHook('onRequest', async (_request, reply) => void reply.headers(headers))
  app.addHook('onReady', async () => {
    await ops.listen({ port, host }).catch((error: { code?: string }) => {
      throw new OperatorError(`OPS_PORT=${port} cannot be opened on OPS_HOST=${host} (${error.code}).`)
    })
  })
  app.addHook('onClose', () => ops.close())
  return ops
}

async function describeReadiness(app: FastifyInstance, world: World) {
  const { config, db, payment, paymentCalls, sms, captcha, mail } = world
  const query = sql`select 1`.execute(db).then(() => true)
  const answering = await withTimeout(query, false)
  const account = (part: 'payment' | 'phone' | 'mail') => accountOf(world.accounts.get(part))
  const kind = (part: string) => (config.embedded.includes(part) ? 'embedded' : 'real')
  const parts = {
    database: { kind: kind('database'), name: config.DATABASE_URL ? 'postgresql' : 'pglite', answering },
    payment: {
      kind: kind('payment'),
      name: payment.name,
      answering: paymentCalls.isAnswering(),
      ...account('payment'),
    },
    phone: { kind: kind('phone'), name: sms.name, ...account('phone') },
    captcha: { kind: captcha.vendor ? 'real' : 'embedded', name: captcha.name },
    mail: { kind: kind('mail'), name: mail.name, ...account('mail') },
  }
  // A silent payment gateway is silent for every process. Pages, sign-in and offices work without it, and payments are
  // looked up later, so it must not take all processes out of rotation. The same holds for wrong credentials.
  return { ready: answering && !isDraining(app), parts }
}

/** Nothing until the vendor was asked; then 'ok', or a sentence. */
const accountOf = (check: AccountCheck | undefined) =>
  check ? { account: check.state === 'ok' ? 'ok' : check.why } : {}

type RenewalQueue = Awaited<ReturnType<typeof renewalQueue>>
const renewalGauges: [name: string, help: string, pick: (queue: RenewalQueue) => number][] = [
  ['due', 'Renewals, retries and ends that are due now', ({ due }) => due],
  ['past_due', 'Memberships whose card was declined and is tried again', ({ past_due }) => past_due],
  ['oldest_due_seconds', 'For how long the oldest of those that are due has waited', ({ waited }) => waited],
]

function collectMetrics(app: FastifyInstance, world: World): Registry {
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
  const wrongAccounts: Gauge<'part'> = new Gauge({
    name: 'foyer_account_wrong',
    help: 'Vendors that rejected our credentials when this process started',
    labelNames: ['part'],
    registers: [registry],
    collect: () => {
      for (const [part, { state }] of world.accounts) wrongAccounts.set({ part }, Number(state === 'wrong'))
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
  return registry
}
