import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { waiting } from '#server/db/away.ts'
import { openDatabase } from '#server/db/db.ts'
import { outages } from '#server/db/outage.ts'
import { isPostgres, testDatabase } from '#server/test/database.ts'
import { cookieOf, memberInOffice } from '#server/test/member.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { startProxy } from '#server/test/tcp-proxy.ts'

describe.runIf(isPostgres)('while the database moves', () => {
  let site: Site
  let proxy: Awaited<ReturnType<typeof startProxy>>
  let direct: Awaited<ReturnType<typeof testDatabase>>
  beforeAll(async () => {
    direct = await testDatabase()
    proxy = await startProxy(direct.url ?? '')
    const behindProxy = async () => ({
      ...(await openDatabase({ DATABASE_URL: proxy.url, DATABASE_POOL: 4, DATA_DIR: '' })),
      url: proxy.url,
    })
    site = await testSite(
      { LIMIT_ENROLLMENTS: '1/3600', LIMIT_DECLINES_BY_CARD: '1/3600', LIMIT_SIGN_INS: '1/3600' },
      undefined,
      behindProxy,
    )
  })
  afterAll(async () => {
    await site.close()
    await proxy.close()
    await direct.close()
  })
  beforeEach(async () => {
    await back()
    await direct.db.deleteFrom('limit_count').execute()
    await direct.db.deleteFrom('open_use').execute()
  })
  const back = async () => {
    await proxy.reopen()
    await sql`select 1`.execute(site.db)
  }
  const isAwaited = () => expect.poll(() => waiting.count, { timeout: 4_000 }).toBeGreaterThan(0)
  const join = (form: Record<string, string>, key: string) =>
    site.post('enrollment/add-enrollment', form, { 'idempotency-key': key })
  const newKey = () => `${crypto.randomUUID()}.1`
  const membersCalled = (username: string) =>
    direct.db.selectFrom('member').select('id').where('username', '=', username).execute()
  const payments = (key: string) =>
    direct.db
      .selectFrom('payment')
      .select('state')
      .where('enrollment_id', '=', key.split('.')[0] ?? '')
      .execute()
  const counts = async () =>
    (
      await direct.db
        .selectFrom('limit_count')
        .select('name')
        .where('count', '>', 0)
        .where('name', 'like', 'LIMIT_%')
        .execute()
    )
      .map(({ name }) => name)
      .filter((name) => name !== 'LIMIT_CHALLENGES')
  /** Breaks the connection when an enrollment has been counted, before it's reserved. */
  const onceCounted = (hook: () => Promise<unknown>) => {
    const { verify } = site.world.captcha
    site.world.captcha.verify = async (...args) => {
      site.world.captcha.verify = verify
      const answer = await verify(...args)
      await hook()
      return answer
    }
  }

  it('33.3 a call waits for a few seconds and is then answered', async () => {
    await proxy.refuse()
    const reply = site.post('enrollment/validate_username', { username: 'wilma' })
    await isAwaited()
    await back()
    expect((await reply).statusCode).toBe(200)
  })

  it('33.4 then the caller is asked to send it again, and no limit has counted it', async () => {
    const form = await filledForm(site, { username: 'again' })
    const key = newKey()
    onceCounted(proxy.refuse)
    const reply = await join(form, key)
    expect([reply.statusCode, reply.headers['retry-after'], reply.json()]).toEqual([
      503,
      '2',
      { message: 'One moment, please. We’ll try again for you.' },
    ])
    await back()
    await expect.poll(counts).toEqual([])
    const again = await join({ ...form, captcha: await site.captcha() }, key)
    expect(again.json().payment).toBe('Approved')
    expect(await membersCalled('again')).toHaveLength(1)
  })

  it('33.4 no other limit counts a call that failed because of it', async () => {
    const { challenge } = site.world.captcha
    site.world.captcha.challenge = async () => {
      site.world.captcha.challenge = challenge
      await proxy.refuse()
      await sql`select 1`.execute(site.db)
      return challenge()
    }
    expect((await site.get('/api/captcha/challenge')).statusCode).toBe(503)
    await back()
    const used = () =>
      direct.db.selectFrom('limit_count').select('count').where('name', '=', 'LIMIT_CHALLENGES').execute()
    await expect.poll(used).toEqual([{ count: 0 }])
  })

  it('33.3 an enrollment waits for the new primary', async () => {
    const form = await filledForm(site, { username: 'waiting' })
    onceCounted(proxy.refuse)
    const reply = join(form, newKey())
    await isAwaited()
    await back()
    expect((await reply).json().payment).toBe('Approved')
  })

  it.each(['insert into "payment"', 'update "payment" set "state" = $1', 'insert into "member"'])(
    'an enrollment is found by its key when the answer to %s is lost',
    async (lost) => {
      const form = await filledForm(site)
      const key = newKey()
      proxy.cut() // on a new connection, a prepared statement is sent as text
      await back()
      const { count } = outages
      proxy.loseAnswerTo(lost)
      const reply = await join(form, key)
      expect([reply.json().payment, outages.count]).toEqual(['Approved', count + 1])
      expect(await membersCalled(form.username ?? '')).toHaveLength(1)
      expect(await payments(key)).toEqual([{ state: 'enrolled' }])
      await expect.poll(counts).toEqual(['LIMIT_ENROLLMENTS'])
    },
  )

  it('33.4 a guess at a password costs nothing if it could not be checked', async () => {
    const { username, password } = await memberInOffice(site)
    await direct.db.deleteFrom('limit_count').execute()
    await proxy.refuse()
    expect((await site.post('office/sign-in', { name: username, password })).statusCode).toBe(503)
    await back()
    expect((await site.post('office/sign-in', { name: username, password })).statusCode).toBe(200)
  })

  it('33.3 a change in the office is made once when the answer to its commit is lost', async () => {
    const { cookie, username } = await memberInOffice(site)
    const { count } = outages
    proxy.loseAnswerTo('commit\0')
    const reply = await site.post('office/join-emails', { username, join_emails: false }, { cookie })
    expect([reply.statusCode, outages.count - count]).toEqual([200, 1])
    const changes = await direct.db
      .selectFrom('limit_count')
      .select(({ fn }) => fn.sum<number>('count').as('count'))
      .where('name', '=', 'LIMIT_CHANGES')
      .executeTakeFirst()
    expect(Number(changes?.count)).toBe(1)
  })

  it('33.5 a known sponsor’s page is served with its start data, and an unknown one asks for a moment', async () => {
    const before = await site.get('/master')
    await site.get('/api/enrollment/get-all-legal-documents')
    await proxy.refuse()
    const known = await site.get('/master', { cookie: cookieOf(before) })
    expect([known.statusCode, known.body.includes('Join with')]).toEqual([200, true])
    expect(known.body).toContain('"packages":[{')
    expect((await site.get('/api/enrollment/get-all-legal-documents')).json()).not.toEqual([])
    const unknown = await site.get('/ana')
    expect([unknown.statusCode, unknown.headers['retry-after']]).toEqual([503, '2'])
    await back()
    expect((await site.get('/ana')).statusCode).toBe(200)
  })
})
