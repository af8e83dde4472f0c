import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Address } from '#server/client.ts'
import type { LimitName } from '#server/config/settings.ts'
import { Refusal } from '#server/refusal.ts'
import { isPostgres } from '#server/test/database.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { countAgainstLimits, isLimitReached, undoOneUse } from './limits.ts'

describe('several limits at once', () => {
  let site: Site
  beforeAll(async () => {
    site = await testSite({
      LIMIT_SIGN_INS: '1000/3600',
      LIMIT_SIGN_INS_BY_NAME: '6/3600',
      LIMIT_HITS: '999999999/86400',
    })
    const connect = () => sql`select pg_sleep(0.05)`.execute(site.db)
    if (isPostgres) await Promise.all(Array.from({ length: 20 }, connect)) // open the connections first, so that the requests below really run at once
  })
  afterAll(() => site.close())

  const byAddress = (who: string): [LimitName, string] => ['LIMIT_SIGN_INS', `address of ${who}`]
  const byName = (who: string): [LimitName, string] => ['LIMIT_SIGN_INS_BY_NAME', who]
  const countOf = async ([name, key]: [LimitName, string]) => {
    const rows = await site.db
      .selectFrom('limit_count')
      .select('count')
      .where('name', '=', name)
      .where('key', '=', site.world.keys.hmac('limits', key))
      .execute()
    return rows.reduce((sum, { count }) => sum + count, 0)
  }

  it('6.4 are counted all or none, even by concurrent requests in different orders', async () => {
    const requests = Array.from({ length: 80 }, (_, n) =>
      countAgainstLimits(site.world, n % 2 ? [byAddress('zoe'), byName('zoe')] : [byName('zoe'), byAddress('zoe')]),
    )
    const results = await Promise.allSettled(requests)
    const refused = results.filter(({ status }) => status === 'rejected').map((result) => Object(result).reason)
    expect(results.length - refused.length).toBe(6)
    expect(refused.every((reason) => reason instanceof Refusal && reason.status === 429)).toBe(true)
    expect([await countOf(byAddress('zoe')), await countOf(byName('zoe'))]).toEqual([6, 6])
  })

  it('6.4 can be given back, all or some', async () => {
    const first = await countAgainstLimits(site.world, [byAddress('max'), byName('max')])
    const second = await countAgainstLimits(site.world, [byAddress('max'), byName('max')])
    await first.giveBack()
    await second.giveBack({ names: ['LIMIT_SIGN_INS'] })
    expect([await countOf(byAddress('max')), await countOf(byName('max'))]).toEqual([0, 1])
  })

  it('6.4 also count the visitor’s network, with ten times the limit, and can give that back', async () => {
    const from = (n: number): [LimitName, Address] => ['LIMIT_SIGN_INS_BY_NAME', [`2001:db8:7:${n}`, '2001:db8:7']]
    const networkCount = () => countOf(byName('2001:db8:7'))
    for (let n = 0; n < 59; n++) await countAgainstLimits(site.world, [from(n)])
    const { giveBack } = await countAgainstLimits(site.world, [from(59)])
    await expect(countAgainstLimits(site.world, [byAddress('kim'), from(60)])).rejects.toBeInstanceOf(Refusal)
    expect([await networkCount(), await countOf(byName('2001:db8:7:60')), await countOf(byAddress('kim'))]).toEqual([
      60, 0, 0,
    ])
    expect(await isLimitReached(site.world, from(60))).toBe(true)
    await giveBack()
    await undoOneUse(site.world, from(0))
    expect([
      await networkCount(),
      await countOf(byName('2001:db8:7:59')),
      await countOf(byName('2001:db8:7:0')),
    ]).toEqual([58, 0, 0])
    expect(await isLimitReached(site.world, from(60))).toBe(false)
    await countAgainstLimits(site.world, [from(60)])
  })

  it('6.4 work with the largest possible setting, for networks too', async () => {
    await countAgainstLimits(site.world, [['LIMIT_HITS', ['2001:db8:9:1', '2001:db8:9']]])
  })

  it('6.4 refuse a single visitor before the whole network', async () => {
    const use: [LimitName, Address] = ['LIMIT_SIGN_INS_BY_NAME', ['2001:db8:8:1', '2001:db8:8']]
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => countAgainstLimits(site.world, [use])))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(6)
    expect(await countOf(byName('2001:db8:8'))).toBe(6)
  })

  it('6.4 base the wait on the limit that is reached', async () => {
    for (let n = 0; n < 6; n++) await countAgainstLimits(site.world, [byName('ada')])
    site.advance(1200)
    const refusal = await countAgainstLimits(site.world, [byAddress('ada'), byName('ada')]).catch(
      (error: unknown) => error,
    )
    expect(refusal).toBeInstanceOf(Refusal)
    expect((refusal as Refusal).details.retryAfter).toBeGreaterThan(1800)
    expect(await countOf(byAddress('ada'))).toBe(0)
  })
})

it('6.4 no 24 hours have more codes than LIMIT_CODES, and no other limit lasts longer than its setting', async () => {
  const site = await testSite({ LIMIT_CODES: '2/86400', LIMIT_DECLINES_BY_CARD: '2/86400' })
  const use = (name: LimitName) => countAgainstLimits(site.world, [[name, 'all']]).then(Boolean, () => false)
  site.advance(59 * 60) // almost a bucket later: its first use would be forgotten early
  for (const name of ['LIMIT_CODES', 'LIMIT_DECLINES_BY_CARD'] as const)
    expect([await use(name), await use(name), await use(name)]).toEqual([true, true, false])
  site.advance(86_400 - 60)
  expect([await use('LIMIT_CODES'), await use('LIMIT_DECLINES_BY_CARD')]).toEqual([false, true])
  site.advance(3600)
  expect(await use('LIMIT_CODES')).toBe(true)
  await site.close()
})
