import Fastify, { type FastifyInstance } from 'fastify'
import { canWrite } from '#server/db/db.ts'
import { withoutWaiting } from '#server/db/outage.ts'
import type { AccountCheck } from '#server/gateways/account.ts'
import { dataHeaders } from '#server/http/headers.ts'
import { OperatorError } from '#server/operator-error.ts'
import type { World } from '#server/world/world.ts'
import { isDraining } from './closing.ts'
import type { Metrics } from './metrics.ts'
import { withTimeout } from './timeout.ts'

/**
 * For monitoring: /livez, /readyz and /metrics. With OPS_PORT they have a port of their own, and the port of the visitors
 * only tells a load balancer whether this process is ready.
 */
export function addHealth(app: FastifyInstance, world: World) {
  const metrics = collectMetrics(app, world)
  const readiness = () => describeReadiness(app, world)
  if (world.config.OPS_PORT === undefined) {
    addProbes(app, readiness)
    addMetrics(app, metrics)
    return
  }
  addProbes(app, async () => ({ ready: (await readiness()).ready }))
  app.get('/metrics', (_request, reply) => reply.callNotFound())
  const ops = openOpsServer(app, world.config)
  addProbes(ops, readiness)
  addMetrics(ops, metrics)
}

function addProbes(app: FastifyInstance, readiness: () => Promise<{ ready: boolean }>) {
  app.get('/livez', async (_request, reply) => reply.type('text/plain').send('alive\n'))
  app.get('/readyz', async (_request, reply) => {
    const described = await readiness()
    return reply
      .code(described.ready ? 200 : 503)
      .type('application/json')
      .send(JSON.stringify(described))
  })
}

/** Counts every request. What counts is loaded after the first reply, because a start doesn't need it. */
function collectMetrics(app: FastifyInstance, world: World): () => Promise<Metrics> {
  let metrics: Promise<Metrics> | undefined
  const load = () => {
    metrics ??= import('./metrics.ts').then(({ openMetrics }) => openMetrics(world))
    return metrics
  }
  app.addHook('onResponse', async (request, reply) => {
    const { observe } = await load()
    observe(request, reply)
  })
  return load
}

const addMetrics = (app: FastifyInstance, load: () => Promise<Metrics>) =>
  app.get('/metrics', async (_request, reply) => {
    const { registry } = await load()
    return reply.type(registry.contentType).send(await registry.metrics())
  })

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
  const writable = await withTimeout(
    withoutWaiting(() => canWrite(db)),
    undefined,
  )
  const account = (part: 'payment' | 'phone' | 'mail') => accountOf(world.accounts.get(part))
  const kind = (part: string) => (config.embedded.includes(part) ? 'embedded' : 'real')
  const here = {
    payment: {
      kind: kind('payment'),
      name: payment.name,
      answering: paymentCalls.isAnswering(),
      ...account('payment'),
    },
    phone: { kind: kind('phone'), name: sms.name, ...account('phone') },
  }
  const parts = {
    database: {
      kind: kind('database'),
      name: config.DATABASE_URL ? 'postgresql' : 'pglite',
      answering: writable !== undefined,
      writable: writable === true,
    },
    ...(config.PROVIDER_API_URL ? { provider: { kind: 'real', name: new URL(config.PROVIDER_API_URL).host } } : here),
    captcha: { kind: captcha.vendor ? 'real' : 'embedded', name: captcha.name },
    mail: { kind: kind('mail'), name: mail.name, ...account('mail') },
  }
  // A silent payment gateway is silent for every process. Pages, sign-in and offices work without it, and payments are
  // looked up later, so it must not take all processes out of rotation. The same holds for wrong credentials.
  return { ready: writable === true && !isDraining(app), parts }
}

/** Nothing until the vendor was asked; then 'ok', or a sentence. */
const accountOf = (check: AccountCheck | undefined) =>
  check ? { account: check.state === 'ok' ? 'ok' : check.why } : {}
