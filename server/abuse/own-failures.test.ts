import { describe, expect, it } from 'vitest'
import { cards } from '#server/gateways/payment/cards.ts'
import type { SandboxGateway } from '#server/gateways/payment/sandbox/sandbox.ts'
import { isPostgres, runSql } from '#server/test/database.ts'
import { acceptRealCards, realCards } from '#server/test/real-cards.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { deleteExpired, settleAttempts } from '#server/worker/janitor.ts'
import { countWhileOpen, isLimitReached, type LimitUse } from './limits.ts'
import { giveBackUses, keepUsesOpen } from './open-uses.ts'

const once = {
  LIMIT_DECLINES: '1/86400',
  LIMIT_DECLINES_BY_CARD: '1/86400',
  LIMIT_DECLINES_BY_PHONE: '1/86400',
  BREAKER_DECLINES: '5/600/50',
}
const LEASE_SECONDS = 42

/** Every limit allows a single decline. */
async function strictSite(env: Record<string, string> = {}) {
  const site = await testSite({ ...once, ...env })
  acceptRealCards(site)
  return site
}

const pay = async (site: Site, cc_number: string, headers: Record<string, string> = {}) =>
  site.post('enrollment/add-enrollment', await filledForm(site, { cc_number }), headers)

const counted = async ({ db }: Site) => {
  const rows = await db
    .selectFrom('limit_count')
    .select(['name', 'count'])
    .where('name', 'like', 'LIMIT_DECLINES%')
    .execute()
  return rows
    .filter(({ count }) => count > 0)
    .map(({ name }) => name)
    .sort()
}
const openUses = ({ db }: Site) => db.selectFrom('open_use').selectAll().execute()

describe('an attempt that fails for our own reasons', () => {
  it.runIf(isPostgres)(
    '6.7 does not count when the database goes away before the bank’s answer is written',
    async () => {
      const site = await strictSite()
      const { pathname, href } = new URL(site.world.config.DATABASE_URL ?? '')
      const server = href.replace(pathname, '/postgres')
      const name = pathname.slice(1)
      const allow = (isAllowed: boolean) => runSql(server, `alter database ${name} with allow_connections ${isAllowed}`)
      const { authorize } = site.world.payment
      site.world.payment.authorize = async (...args) => {
        await allow(false)
        await runSql(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
        return authorize(...args)
      }
      for (const number of [realCards.good, realCards.good, realCards.good]) {
        expect((await pay(site, number)).statusCode).toBe(500)
        await allow(true)
        site.advance(LEASE_SECONDS) // the process may have died, so the count waits this long to be given back
      }
      site.world.payment.authorize = authorize
      expect((await pay(site, realCards.good)).json().payment).toBe('Approved')
      await deleteExpired(site.world)
      expect([await counted(site), await openUses(site)]).toEqual([[], []])
      await site.close()
    },
  )

  it('6.7 does not count when the process dies while the bank is asked', async () => {
    const site = await strictSite({ PAYMENT_IN_FLIGHT_SECONDS: '60' })
    const { authorize } = site.world.payment
    const asked = Promise.withResolvers<void>()
    site.world.payment.authorize = () => {
      asked.resolve()
      return new Promise(() => undefined) // like kill -9: nothing after this line runs
    }
    void pay(site, realCards.good)
    await asked.promise
    site.world.payment.authorize = authorize
    const meanwhile = await pay(site, realCards.good)
    expect([meanwhile.statusCode, meanwhile.json().message]).toEqual([
      429,
      'Too many attempts. Please try again in 41 seconds.',
    ])
    site.advance(LEASE_SECONDS)
    expect((await pay(site, realCards.good)).json().payment).toBe('Approved')
    await settleAttempts(site.world)
    site.advance(120)
    await settleAttempts(site.world)
    await deleteExpired(site.world)
    expect([await counted(site), await openUses(site)]).toEqual([[], []])
    await site.close()
  })

  it('6.7 does not count when the gateway rejects the request', async () => {
    const site = await strictSite({ LIMIT_ENROLLMENTS: '1/3600' })
    expect((await pay(site, realCards.failed)).statusCode).toBe(502)
    expect([await counted(site), await openUses(site)]).toEqual([[], []])
    expect(await isLimitReached(site.world, ['LIMIT_ENROLLMENTS', ['127.0.0.1']])).toBe(false)
    await site.close()
  })

  it.each<[string, string, (site: Site) => Promise<unknown>, boolean]>([
    ['was approved', realCards.responseLost, async () => undefined, false],
    ['never reached a bank', realCards.requestLost, async (site) => site.advance(4000), false],
    ['was approved after a review', realCards.review, (site) => review(site, 'approve'), false],
    ['was declined after a review', realCards.review, (site) => review(site, 'decline'), true],
  ])(
    '6.7 a payment without an answer stays counted until it is known that it %s',
    async (_what, number, decide, isDeclined) => {
      const site = await strictSite()
      expect((await pay(site, number)).json().payment).toBe('Pending')
      expect(await counted(site)).toEqual(['LIMIT_DECLINES_BY_CARD', 'LIMIT_DECLINES_BY_PHONE'])
      await decide(site)
      site.advance(600)
      await settleAttempts(site.world)
      await deleteExpired(site.world)
      expect(await counted(site)).toEqual(isDeclined ? ['LIMIT_DECLINES_BY_CARD', 'LIMIT_DECLINES_BY_PHONE'] : [])
      expect(await openUses(site)).toEqual([])
      await site.close()
    },
  )
})

const review = async ({ world }: Site, verdict: 'approve' | 'decline') => {
  const gateway = world.payment as SandboxGateway
  const [held] = await gateway.transactions(new Date(0), AbortSignal.timeout(2000))
  expect(await gateway.review(held?.transaction_id ?? '', verdict)).toBe(true)
}

it('6.7 an approval gives back what every request of the attempt has counted, and nothing of other attempts', async () => {
  const site = await testSite({ LIMIT_DECLINES: '9/86400', LIMIT_DECLINES_BY_PHONE: '9/86400' })
  const { world, db } = site
  const uses: LimitUse[] = [
    ['LIMIT_DECLINES', ['192.0.2.1', '192.0.2']],
    ['LIMIT_DECLINES_BY_PHONE', '+12025550123'],
  ]
  const counts = async () =>
    (await db.selectFrom('limit_count').select('count').orderBy('name').orderBy('count').execute()).map(
      ({ count }) => count,
    )
  const first = await countWhileOpen(world, 'sent twice', uses)
  for (const reference of ['sent twice', 'other']) await countWhileOpen(world, reference, uses)
  expect([await counts(), (await openUses(site)).length]).toEqual([[3, 3, 3], 3])
  await keepUsesOpen(db, { reference: 'sent twice', id: first, giveBack: ['LIMIT_DECLINES'] })
  expect([await counts(), (await openUses(site)).length]).toEqual([[2, 2, 3], 3])
  await giveBackUses(db, { reference: 'sent twice' })
  expect([await counts(), (await openUses(site)).length]).toEqual([[1, 1, 1], 1])
  await site.close()
})

describe('a test card of the sandbox', () => {
  it('6.8 is declined for everybody, all day, and closes nothing for other cards', async () => {
    const site = await strictSite({ LIMIT_DECLINES_BY_ENROLLMENT: '1/86400' })
    for (let n = 0; n < 30; n++) expect((await pay(site, cards.declined)).json().payment).toBe('Declined')
    expect(await counted(site)).toEqual([])
    expect((await pay(site, realCards.good)).json().payment).toBe('Approved')
    await site.close()
  })

  it('6.8 is an ordinary number where the gateway is real', async () => {
    const site = await strictSite()
    const { isTestCard: _sandboxOnly, ...gateway } = site.world.payment
    site.world.payment = { ...gateway, name: 'a real gateway' }
    expect((await pay(site, cards.declined)).json().payment).toBe('Declined')
    const second = await pay(site, cards.declined)
    expect([second.statusCode, second.json().message]).toEqual([429, 'Too many attempts. Please try again tomorrow.'])
    await site.close()
  })
})

it('6.4 a limit lasts no longer than it says, and nothing of a card is kept after 24 hours', async () => {
  const site = await strictSite()
  site.advance(1799)
  expect((await pay(site, realCards.declined)).json().payment).toBe('Declined')
  const refused = await pay(site, realCards.declined)
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(86_400)
  site.advance(23 * 3600 - 1800)
  expect((await pay(site, realCards.declined)).statusCode).toBe(429)
  site.advance(5400)
  await deleteExpired(site.world)
  expect(await site.db.selectFrom('limit_count').select('name').where('name', 'like', 'LIMIT%CARD').execute()).toEqual(
    [],
  )
  expect((await pay(site, realCards.declined)).json().payment).toBe('Declined')
  await site.close()
})

it('6.9 a limit of zero says that joining is closed', async () => {
  const site = await testSite({ LIMIT_ENROLLMENTS: '0/3600' })
  const reply = await pay(site, cards.good)
  expect([reply.statusCode, reply.json()]).toEqual([
    429,
    { message: 'Joining is closed at the moment. Please come back later.' },
  ])
  await site.close()
})
