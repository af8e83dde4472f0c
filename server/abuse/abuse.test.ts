import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { acceptRealCards, realCards } from '#server/test/real-cards.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { deleteExpired } from '#server/worker/janitor.ts'
import type { World } from '#server/world/world.ts'
import { approvalCount, countQuery, recordDecline, secondsOpen } from './breaker.ts'

const pay = async (site: Site, changes: Record<string, string>, headers: Record<string, string> = {}) =>
  site.post('enrollment/add-enrollment', await filledForm(site, { cc_number: realCards.good, ...changes }), headers)

/** A site whose bank knows real cards. */
const realSite = async (env: Record<string, string>) => {
  const site = await testSite(env)
  acceptRealCards(site)
  return site
}

/** A visitor in the n-th network. */
const from = (n: number) => ({ 'x-forwarded-for': `203.0.${n}.7` })

const approveCards = (world: World, count: number) =>
  countQuery({ ...approvalCount(world), initial: count, change: count }).execute(world.db)

const chargesAtBank = async (site: Site) =>
  (await site.world.payment.transactions(new Date(0), AbortSignal.timeout(2000))).length

describe('declined cards', () => {
  it('6.4 concurrent attempts cannot exceed the limit', async () => {
    const site = await realSite({ LIMIT_DECLINES: '5/3600' })
    const forms = await Promise.all(
      Array.from({ length: 40 }, () => filledForm(site, { cc_number: realCards.declined })),
    )
    const replies = await Promise.all(forms.map((form) => site.post('enrollment/add-enrollment', form)))
    expect(replies.filter(({ statusCode }) => statusCode === 200)).toHaveLength(5)
    expect(replies.filter(({ statusCode }) => statusCode === 429)).toHaveLength(35)
    expect(await chargesAtBank(site)).toBe(5)
    const metrics = await site.get('/metrics')
    expect(metrics.body).toMatch(/foyer_refused_total\{limit="LIMIT_DECLINES"\} \d\d/)
    await site.close()
  })

  it('6.4 an approved card does not count', async () => {
    const site = await realSite({ LIMIT_DECLINES: '1/3600', LIMIT_DECLINES_BY_CARD: '1/86400' })
    for (let round = 0; round < 4; round++) expect((await pay(site, {})).json().payment).toBe('Approved')
    await site.close()
  })

  it('6.4 one card can be tried a few times a day, from any address', async () => {
    const site = await realSite({ LIMIT_DECLINES_BY_CARD: '2/86400', TRUST_PROXY: 'loopback' })
    const from = (address: string) => pay(site, { cc_number: realCards.noFunds }, { 'x-forwarded-for': address })
    expect((await from('203.0.113.1')).statusCode).toBe(200)
    expect((await from('203.0.113.2')).statusCode).toBe(200)
    expect((await from('203.0.113.3')).statusCode).toBe(429)
    const rows = await site.db.selectFrom('limit_count').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(realCards.noFunds)
    await site.close()
  })

  it.each<[string, string, Record<string, string>]>([
    ['phone', 'LIMIT_DECLINES_BY_PHONE', { mobile_phone: '+12025550177' }],
    ['enrollment', 'LIMIT_DECLINES_BY_ENROLLMENT', {}],
  ])('6.4 one %s can be used with a few declined cards a day, from any address', async (what, limit, same) => {
    const site = await realSite({ [limit]: '2/86400', TRUST_PROXY: 'loopback' })
    const enrollment = randomUUID()
    const bad = [realCards.declined, realCards.noFunds, realCards.declined]
    const statuses = []
    for (const [n, cc_number] of bad.entries()) {
      const key = `${what === 'enrollment' ? enrollment : randomUUID()}.${n + 1}`
      const headers = { 'x-forwarded-for': `203.0.113.${n}`, 'idempotency-key': key }
      statuses.push((await pay(site, { mobile_phone: `+1202555012${n}`, cc_number, ...same }, headers)).statusCode)
    }
    expect(statuses).toEqual([200, 200, 429])
    expect(await chargesAtBank(site)).toBe(2)
    await site.close()
  })

  it('6.6 when too many are declined, every card needs a confirmed phone for a while', async () => {
    const site = await realSite({ BREAKER_DECLINES: '3/600/50', BREAKER_SECONDS: '600', TRUST_PROXY: 'loopback' })
    for (let round = 0; round < 3; round++) await pay(site, { cc_number: realCards.declined }, from(round))
    const enrollment = randomUUID()
    const key = { 'idempotency-key': `${enrollment}.1` }
    const refused = await pay(site, {}, key)
    expect([refused.statusCode, refused.json().fields]).toEqual([
      422,
      { code: ['Please confirm your phone number with the code we send you.'] },
    ])
    expect(await chargesAtBank(site)).toBe(3)
    expect((await site.get('/metrics')).body).toContain('foyer_breaker_open{breaker="declines"} 1')

    await site.db
      .insertInto('phone_check')
      .values({
        enrollment_id: enrollment,
        mobile_phone: '+12025550123',
        sends: 1,
        sent_at: site.world.now(),
        verified_at: site.world.now(),
      })
      .execute()
    expect((await pay(site, {}, key)).json().payment).toBe('Approved')
    site.advance(601)
    expect((await pay(site, {})).json().payment).toBe('Approved')
    await site.close()
  })

  it('6.6 a few among many approved cards do not open the breaker', async () => {
    const site = await realSite({ BREAKER_DECLINES: '3/600/50', TRUST_PROXY: 'loopback' })
    for (let round = 0; round < 5; round++) await pay(site, {})
    for (let round = 0; round < 4; round++) await pay(site, { cc_number: realCards.declined }, from(round))
    expect((await pay(site, {})).json().payment).toBe('Approved')
    await site.close()
  })

  it.each([
    ['an address', () => '203.0.113.7'],
    ['a network of many addresses', (n: number) => `2001:db8:7:${n}::1`],
  ])(
    '6.6 %s alone does not open the breaker; only its own cards need a confirmed phone for a day',
    async (_, address) => {
      const site = await realSite({ BREAKER_DECLINES: '5/600/50', TRUST_PROXY: 'loopback' })
      const alone = (n: number, changes = {}) => pay(site, changes, { 'x-forwarded-for': address(n) })
      for (let round = 0; round < 5; round++)
        expect((await alone(round, { cc_number: realCards.declined })).json().payment).toBe('Declined')
      expect((await pay(site, {}, from(1))).json().payment).toBe('Approved')
      expect((await alone(6)).json().fields).toHaveProperty('code')
      expect(await chargesAtBank(site)).toBe(6)
      site.advance(90_000)
      expect((await alone(7)).json().payment).toBe('Approved')
      await site.close()
    },
  )

  it('6.6 the breaker is checked again right before the bank is called', async () => {
    const site = await realSite({ BREAKER_DECLINES: '2/600/50' })
    const { verify } = site.world.captcha
    site.world.captcha.verify = async (...solution) => {
      for (let n = 0; n < 2; n++) await recordDecline(site.world, '127.0.0.1')
      return verify(...solution)
    }
    expect((await pay(site, {})).json().fields).toHaveProperty('code')
    expect(await chargesAtBank(site)).toBe(0)
    await site.close()
  })

  it('6.6 slow declines open the breaker within a day', async () => {
    const { world, advance, close } = await realSite({ BREAKER_DECLINES: '5/600/50' })
    const declineOnce = async (n: number) => {
      await recordDecline(world, `network ${n % 6}`)
      advance(700)
      return secondsOpen(world, 'declines')
    }
    for (let n = 1; n < 25; n++) expect(await declineOnce(n), `${n}`).toBeUndefined()
    expect(await declineOnce(25)).toBeGreaterThan(0)
    await close()
  })

  it('6.6 declines that are found later do not open the breaker by themselves', async () => {
    const { world, close } = await realSite({ BREAKER_DECLINES: '5/600/50' })
    for (let n = 0; n < 30; n++) await recordDecline(world)
    expect(await secondsOpen(world, 'declines')).toBeUndefined()
    await close()
  })

  it.each([
    { failures: 20, networks: 10, each: 4, good: 30 },
    { failures: 30, networks: 5, each: 6, good: 0 },
  ])(
    '6.6 the same pattern opens it again at least as soon: $networks networks, $good approved cards',
    async ({ failures, networks, each, good }) => {
      const { world, advance, close } = await realSite({
        BREAKER_DECLINES: `${failures}/600/50`,
        BREAKER_SECONDS: '600',
      })
      const declinesUntilOpen = async () => {
        await approveCards(world, 5 * good) // the rest of the day was normal
        advance(700)
        await approveCards(world, good)
        for (let n = 1; n <= networks * each; n++) {
          await recordDecline(world, `network ${n % networks}`)
          if (await secondsOpen(world, 'declines')) return n
        }
        return Number.POSITIVE_INFINITY
      }
      const first = await declinesUntilOpen()
      expect(first).toBeGreaterThanOrEqual(failures)
      advance(700)
      expect(await declinesUntilOpen()).toBeLessThanOrEqual(first)
      await close()
    },
  )

  it('6.6 one network alone does not open it again, either', async () => {
    const { world, advance, close } = await realSite({ BREAKER_DECLINES: '20/600/50', BREAKER_SECONDS: '600' })
    for (let n = 0; n < 20; n++) await recordDecline(world, `network ${n}`)
    expect(await secondsOpen(world, 'declines')).toBe(600)
    advance(700)
    await approveCards(world, 10)
    for (let n = 0; n < 4; n++) await recordDecline(world, `network ${n}`)
    for (let n = 0; n < 30; n++) await recordDecline(world, 'one network')
    expect(await secondsOpen(world, 'declines')).toBeUndefined()
    await close()
  })

  it('6.6 counting starts over after it has opened, but a network needs the code for its whole day', async () => {
    const site = await realSite({ BREAKER_DECLINES: '5/600/50', BREAKER_SECONDS: '600', TRUST_PROXY: 'loopback' })
    const declined = (n: number) => recordDecline(site.world, `203.0.${n}.7`)
    for (const n of [1, 1, 1, 1, 1, 2, 3, 4, 5]) await declined(n)
    expect(await secondsOpen(site.world, 'declines')).toBe(600)
    site.advance(700)
    await declined(6)
    expect(await secondsOpen(site.world, 'declines')).toBeUndefined()
    expect((await pay(site, {}, from(2))).json().payment).toBe('Approved')
    expect((await pay(site, {}, from(1))).json().fields).toHaveProperty('code')
    await site.close()
  })

  it('6.6 expired counts are deleted', async () => {
    const { world, db, advance, close } = await realSite({ BREAKER_DECLINES: '5/600/50' })
    const rows = () => db.selectFrom('limit_count').select('key').execute()
    await recordDecline(world, 'a network')
    advance(86_400)
    await deleteExpired(world)
    expect(await rows(), 'just after its day').toHaveLength(1)
    advance(3600 + 101)
    await deleteExpired(world)
    expect(await rows()).toEqual([])
    await close()
  })

  it('6.6 a breaker that is switched off never opens', async () => {
    const site = await realSite({ BREAKER_DECLINES: 'off' })
    for (let n = 0; n < 25; n++) await recordDecline(site.world, `network ${n}`)
    expect(await secondsOpen(site.world, 'declines')).toBeUndefined()
    expect((await pay(site, {})).json().payment).toBe('Approved')
    await site.close()
  })

  it('6.6 switching off an open breaker closes it', async () => {
    const site = await realSite({ BREAKER_DECLINES: 'off' })
    const open_until = new Date(site.world.now().getTime() + 600_000)
    await site.db.insertInto('breaker').values({ name: 'declines', open_until }).execute()
    expect((await pay(site, {})).json().payment).toBe('Approved')
    expect((await site.get('/metrics')).body).toContain('foyer_breaker_open{breaker="declines"} 0')
    await site.close()
  })

  it('6.6 the number of concurrent payments is limited', async () => {
    const site = await realSite({ PAYMENTS_AT_ONCE: '2', LIMIT_DECLINES: '1000/3600' })
    const { authorize } = site.world.payment
    const { promise: bankReply, resolve: sendBankReply } = Promise.withResolvers<void>()
    let atTheBank = 0
    site.world.payment.authorize = async (...args) => {
      atTheBank++
      await bankReply
      return authorize(...args)
    }
    const forms = await Promise.all(Array.from({ length: 8 }, () => filledForm(site)))
    const first = forms.slice(0, 2).map((form) => site.post('enrollment/add-enrollment', form))
    await expect.poll(() => atTheBank).toBe(2)
    const others = await Promise.all(forms.slice(2).map((form) => site.post('enrollment/add-enrollment', form)))
    expect(others.map(({ statusCode, headers }) => [statusCode, headers['retry-after']])).toEqual(
      Array(6).fill([429, '5']),
    )
    sendBankReply()
    expect((await Promise.all(first)).map((reply) => reply.json().payment)).toEqual(['Approved', 'Approved'])
    await site.close()
  })
})
