import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { cards } from '#server/gateways/payment/cards.ts'
import type { PaymentGateway } from '#server/gateways/payment/port.ts'
import { jobGroups } from '#server/jobs/queue.ts'
import { requestRefund } from '#server/payments/refunds.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { watchGateway } from '#server/world/gateway-watch.ts'
import { settleAttempts, settlementGroups } from './janitor.ts'
import { runJobs } from './jobs.ts'

const join = async (site: Site, cc_number: string = cards.good) => {
  const reply = await site.post('enrollment/add-enrollment', await filledForm(site, { cc_number }), {
    'idempotency-key': `${randomUUID()}.1`,
  })
  return reply.json().payment
}

/** A gateway that can fall silent: it gets the requests, and its answers are lost. */
function switchable(site: Site) {
  const { payment: sandbox } = site.world
  const line = { isSilent: false, answersToLose: 0, running: 0, mostAtOnce: 0 }
  const wrap =
    <Args extends unknown[], Answer, Silence>(call: (...args: Args) => Promise<Answer>, silence: Silence) =>
    async (...args: Args): Promise<Answer | Silence> => {
      line.mostAtOnce = Math.max(line.mostAtOnce, ++line.running)
      const answer = await call(...args)
      line.running -= 1
      return line.isSilent || line.answersToLose-- > 0 ? silence : answer
    }
  const gateway: PaymentGateway = {
    ...sandbox,
    authorize: wrap(sandbox.authorize, { outcome: 'unknown' as const }),
    lookup: wrap(sandbox.lookup, { outcome: 'unknown' as const }),
    capture: wrap(sandbox.capture, 'unknown' as const),
  }
  const { payment, calls } = watchGateway(gateway, site.world)
  Object.assign(site.world, { payment, paymentCalls: calls })
  return line
}

const work = async ({ world }: Site) => {
  await runJobs(world, jobGroups.payments)
  await settleAttempts(world, settlementGroups.gateway)
}

const workEvery = async (site: Site, seconds: number, { times }: { times: number }) => {
  for (let count = 0; count < times; count++) {
    site.advance(seconds)
    await work(site)
  }
}

const states = async (site: Site) => {
  const rows = await site.db.selectFrom('payment').select('state').execute()
  return rows.map(({ state }) => state).sort()
}

it('4.24 captures and lookups resume within seconds once a gateway that was silent for long is back', async () => {
  const site = await testSite()
  const line = switchable(site)
  for (let count = 0; count < 4; count++) expect(await join(site)).toBe('Approved')
  line.isSilent = true
  for (let count = 0; count < 4; count++) expect(await join(site)).toBe('Pending')
  await workEvery(site, 5, { times: 20 })
  line.isSilent = false
  line.answersToLose = 1
  await workEvery(site, 1, { times: 7 })
  expect(await states(site)).toEqual(Array(8).fill('captured'))
  await site.close()
})

it('4.24 a silent gateway gets one request at a time from jobs, and one from lookups', async () => {
  const site = await testSite()
  const line = switchable(site)
  for (let count = 0; count < 4; count++) await join(site)
  line.isSilent = true
  for (let count = 0; count < 4; count++) await join(site)
  line.mostAtOnce = 0
  await workEvery(site, 3, { times: 4 })
  expect(line.mostAtOnce).toBe(1)
  await site.close()
})

/** The database is away: the next queries fail as they do while a server restarts. */
function interrupt(site: Site) {
  const { db } = site.world
  let times = 3
  site.world.db = new Proxy(db, {
    get: (_db, name) => {
      if (times-- > 0) throw Object.assign(new Error('terminating connection'), { code: '57P01' })
      site.world.db = db
      const value = Reflect.get(db, name)
      return typeof value === 'function' ? value.bind(db) : value
    },
  })
}

it('4.24 an answer of the gateway is recorded as soon as the database is back', async () => {
  const site = await testSite()
  const { payment } = site.world
  /** The database goes away while the gateway works on its next request of this kind. */
  const interruptDuring = (method: 'authorize' | 'lookup' | 'capture') => {
    const call = payment[method] as (...args: unknown[]) => Promise<never>
    payment[method] = async (...args: unknown[]) => {
      payment[method] = call
      const answer = await call(...args)
      interrupt(site)
      return answer
    }
  }
  interruptDuring('authorize')
  expect(await join(site)).toBe('Approved')
  interruptDuring('capture')
  await workEvery(site, 1, { times: 4 })
  expect(await states(site)).toEqual(['captured'])
  expect(await join(site, cards.responseLost)).toBe('Pending')
  interruptDuring('lookup')
  await workEvery(site, 1, { times: 4 })
  expect(await states(site)).toEqual(['captured', 'captured'])
  await site.close()
})

it('4.24 a refund that the gateway keeps rejecting waits longer each time', async () => {
  const site = await testSite()
  await join(site)
  await workEvery(site, 1, { times: 2 })
  let calls = 0
  const refund = async () => {
    calls += 1
    throw new Error('E00027')
  }
  const { payment, calls: paymentCalls } = watchGateway({ ...site.world.payment, refund }, site.world)
  Object.assign(site.world, { payment, paymentCalls })
  const { reference } = await site.db.selectFrom('payment').select('reference').executeTakeFirstOrThrow()
  await requestRefund(site.world, { reference, reason: 'unhappy', who: 'test' })
  await workEvery(site, 1, { times: 120 })
  expect(calls).toBeLessThan(10)
  await site.close()
})
