import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { brandDescription } from '#contract/brand.ts'
import { filledForm, plainShell, type Site, testSite } from '#server/test/site.ts'
import { createApp } from './app.ts'

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())

const startOf = (body: string) =>
  JSON.parse(/<script type="application\/json" id="start">(.*?)<\/script>/.exec(body)?.[1] ?? '{}')

const cookiesOf = (reply: { headers: Record<string, unknown> }) =>
  [reply.headers['set-cookie'] ?? []]
    .flat()
    .map((line) => String(line).split(';')[0])
    .join('; ')

describe('a sponsor’s page', () => {
  it('1.1 of the master is where / redirects to', async () => {
    const reply = await site.get('/')
    expect([reply.statusCode, reply.headers.location]).toEqual([302, '/master'])
  })

  it('1.1 has sponsor, packages and total in the HTML', async () => {
    const reply = await site.get('/ana')
    expect(reply.statusCode).toBe(200)
    const start = startOf(reply.body)
    expect(start).toMatchObject({
      sponsor: { site: 'ana', active: 'Yes' },
      product_id: 34,
      grand_total: '99.00',
      renews_on: { month: '2026-12-15', year: '2027-11-15' },
      policy: { start_step: 'ACCOUNT', autoship: false, special: false, phone_verification: false },
      test_payments: true,
    })
    expect(start.packages).toHaveLength(5)
    expect(reply.body).toContain("Join with Ana's Paper Lantern Studio for 99.00")
  })

  it.each([
    ['/Ana', '/ana'],
    ['/harbor', '/bluepier'],
    ['/HARBOR', '/bluepier'],
    ['/nobodyhere', '/master'],
    ['/a-b', '/master'],
    [`/${'x'.repeat(61)}`, '/master'],
    ['/billing', '/master'],
    ['/%F0%9F%98%80', '/master'],
    ['/ana%20maria', '/master'],
    ['/ana%00', '/master'],
    ['/ana%2f..%2fb', '/master'],
    ['/ana.', '/master'],
    ['/Ana%2DMaria', '/ana-maria'],
    ['/ana-maria/', '/ana-maria'],
  ])('1.2 1.3 1.4 %s redirects to %s', async (url, location) => {
    const reply = await site.get(url)
    expect([reply.statusCode, reply.headers.location]).toEqual([302, location])
  })

  it.each([
    ...['/api2/x', '/assets', '/static', '/__nothing', '/ana.html', '/favicon.ico', '/robots.txt', '/.env', '/.git'],
    ...['/wp-login.php', '/sitemap.xml', '/backup.sql'],
  ])('1.2 6.2 %s is a 404 page', async (url) => {
    const reply = await site.get(url)
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    expect(reply.body).toContain('<h1>Not found</h1>')
    expect(reply.headers['set-cookie']).toBeUndefined()
  })

  it('1.3 names the unknown site once on /master', async () => {
    const cookie = cookiesOf(await site.get('/nobodyhere'))
    const first = await site.get('/master', { cookie })
    expect(startOf(first.body).unknown_site).toBe('nobodyhere')
    expect(String(first.headers['set-cookie'])).toContain('foyer_unknown_site=;')
    expect(startOf((await site.get('/master')).body).unknown_site).toBeUndefined()
    expect(
      startOf((await site.get('/master', { cookie: 'foyer_unknown_site=%3Cscript%3E' })).body).unknown_site,
    ).toBeUndefined()
  })

  it('1.3 shows an invalid site name encoded, so that it can’t be a sentence', async () => {
    const cookie = cookiesOf(await site.get('/call%20us%20now%20<b>'))
    expect(startOf((await site.get('/master', { cookie })).body).unknown_site).toBe('call%20us%20now%20%3Cb%3E')
    const long = cookiesOf(await site.get(`/${'x'.repeat(500)}`))
    expect(startOf((await site.get('/master', { cookie: long })).body).unknown_site).toBe('x'.repeat(60))
  })

  it('1.6 gives a visitor one enrollment and keeps it', async () => {
    const first = await site.get('/ana')
    const cookie = String(first.headers['set-cookie']).split(';')[0] ?? ''
    const enrollment = /name="enrollment" content="([^"]+)"/.exec(first.body)?.[1]
    expect(enrollment).toMatch(/^[0-9a-f-]{36}$/)
    expect((await site.get('/ana', { cookie })).body).toContain(`content="${enrollment}"`)
    expect((await site.get('/ana')).body).not.toContain(enrollment)
  })

  it('1.6 gives a new enrollment after a member has signed out', async () => {
    const first = await site.get('/ana')
    const cookie = String(first.headers['set-cookie']).split(';')[0] ?? ''
    const enrollment = /name="enrollment" content="([^"]+)"/.exec(first.body)?.[1] ?? ''
    const joined = await site.post('enrollment/add-enrollment', await filledForm(site), { cookie })
    const entered = await site.post('office/session', { token: joined.json().token })
    expect((await site.get('/ana', { cookie })).body).toContain(enrollment)
    await site.post('office/sign-out', {}, { cookie: cookiesOf(entered) })
    expect((await site.get('/ana', { cookie })).body).not.toContain(enrollment)
  })

  it('1.1 cannot be broken by a sponsor’s name', async () => {
    await site.db
      .updateTable('sponsor')
      .set({ name: '</script><script>alert(1)</script>' })
      .where('site', '=', 'juniper')
      .execute()
    const { body } = await site.get('/juniper')
    expect(body.match(/<script/g)).toHaveLength(3)
    expect(startOf(body).sponsor.name).toBe('</script><script>alert(1)</script>')
    expect(body).toContain('<title>Join Foyer with &#60;/script&#62;')
  })

  it('14.2 has its script first, and a description', async () => {
    const { body } = await site.get('/ana')
    const loaded = body.match(/<(?:script[^>]* src|link[^>]* href|img[^>]* src)="[^"]+"/g) ?? []
    expect(loaded[0]).toMatch(/^<script type="module" src=/)
    expect(loaded.length).toBeGreaterThan(1)
    expect(body).toContain(
      `<meta name="description" content="Join Foyer with Ana&#39;s Paper Lantern Studio. ${brandDescription()}">`,
    )
  })

  it('1.9 is served without its start data when the database does not answer', async () => {
    const broken = await testSite()
    await broken.db.schema.dropTable('package').cascade().execute()
    const reply = await broken.get('/ana')
    expect(reply.statusCode).toBe(200)
    expect(startOf(reply.body)).toEqual({
      sponsor_site: 'ana',
      today: '2026-11-15',
      time_zone: 'UTC',
      renews_on: { month: '2026-12-15', year: '2027-11-15' },
      policy: { start_step: 'ACCOUNT', autoship: false, special: false, phone_verification: false },
      site_hosts: ['foyer.test'],
      test_payments: true,
    })
    await broken.close()
  })

  it('10.21 says how long the welcome stays, if the operator has set it', async () => {
    const immediate = await testSite({ ACCESS_SECONDS: '0' })
    expect(startOf((await immediate.get('/ana')).body).policy).toMatchObject({ access_seconds: 0 })
    await immediate.close()
  })

  it('25.13 sells the category and language of the settings, and preselects their package', async () => {
    const other = await testSite({ PACKAGE_CATEGORY: '18', LANGUAGE_ID: '2', PRESELECTED_PACKAGE: '35' })
    const category = { product_category_id: 18, language_id: 2 }
    await other.db.updateTable('package').set(category).where('product_id', 'in', [35, 36]).execute()
    const { packages, product_id, grand_total, policy } = startOf((await other.get('/ana')).body)
    expect(packages.map((offer: { product_id: number }) => offer.product_id)).toEqual([35, 36])
    expect([product_id, grand_total]).toEqual([35, packages[0].price])
    expect(policy.catalog).toEqual({ ...category, starter_product_id: 35 })
    const totalOf = async (product_ids: string) => (await other.post('enrollment/orders', { product_ids })).statusCode
    expect([await totalOf('35'), await totalOf('34')]).toEqual([200, 422])
    expect(startOf((await site.get('/ana')).body).policy.catalog).toBeUndefined()
    await other.close()
  })

  it('1.1 is compressed if the browser accepts that, and never cached', async () => {
    for (const encoding of ['br', 'gzip']) {
      const reply = await site.get('/ana', { 'accept-encoding': encoding })
      expect(reply.headers['content-encoding']).toBe(encoding)
    }
    expect((await site.get('/ana')).headers['cache-control']).toBe('no-store')
  })

  it('14.1 its legal documents are compressed too, but no reply that may hold a secret', async () => {
    const documents = '/api/enrollment/get-all-legal-documents'
    const reply = await site.get(documents, { 'accept-encoding': 'br' })
    expect(reply.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' })
    expect(JSON.parse(String(brotliDecompressSync(reply.rawPayload)))).toEqual((await site.get(documents)).json())
    const other = await site.get('/api/enrollment/status', { 'accept-encoding': 'br' })
    expect(other.headers['content-encoding']).toBeUndefined()
  })
})

describe('monitoring', () => {
  it('8.2 /livez, /readyz and /metrics answer', async () => {
    expect((await site.get('/livez')).body).toBe('alive\n')
    const { ready, parts } = (await site.get('/readyz')).json()
    expect(ready).toBe(true)
    expect(parts.payment).toEqual({ kind: 'embedded', name: 'sandbox', answering: true })
    expect(parts.database.answering).toBe(true)
    const metrics = (await site.get('/metrics')).body
    expect(metrics).toMatch(/foyer_requests_total\{method="GET",route="\/livez",status="200"\} \d+/)
    expect(metrics).toContain('process_cpu_seconds_total')
  })

  it.each([
    ['fails', () => Promise.reject(new Error('the database is down'))],
    ['does not answer', () => new Promise<never>(() => undefined)],
  ])('8.2 /readyz is 503, and /metrics shows what it can, while the database %s', async (_what, transformResult) => {
    const db = site.db.withPlugin({ transformQuery: ({ node }) => node, transformResult })
    const app = await createApp({ world: { ...site.world, db }, shell: plainShell })
    const reply = await app.inject('/readyz')
    expect([reply.statusCode, reply.json()]).toMatchObject([
      503,
      { ready: false, parts: { database: { answering: false } } },
    ])
    expect((await app.inject('/livez')).statusCode).toBe(200)
    const { body } = await app.inject('/metrics')
    const unknown = /^(foyer_\w+(?:\{(?:breaker|kind)="(?:declines|codes|welcome)"\})?) Nan$/gm
    expect([...body.matchAll(unknown)].map(([, name]) => name)).toEqual([
      'foyer_differences',
      'foyer_reconciled_timestamp_seconds',
      'foyer_renewals_due',
      'foyer_renewals_past_due',
      'foyer_renewals_oldest_due_seconds',
      'foyer_breaker_open{breaker="declines"}',
      'foyer_breaker_open{breaker="codes"}',
      'foyer_jobs_waiting{kind="welcome"}',
      'foyer_webhooks_open',
      'foyer_webhooks_oldest_open_seconds',
      'foyer_webhook_endpoints_stopped',
    ])
    expect(body).toContain('foyer_requests_total')
    await app.close()
  })

  it('a page that needs the database says “One moment, please” while it is away, and opens by itself', async () => {
    const away = Object.assign(new Error('the database system is starting up'), { code: '57P03' })
    const db = site.db.withPlugin({ transformQuery: ({ node }) => node, transformResult: () => Promise.reject(away) })
    const app = await createApp({ world: { ...site.world, db }, shell: plainShell })
    for (const method of ['GET', 'HEAD'] as const) {
      const reply = await app.inject({ method, url: '/office', cookies: { foyer_office: 'some key' } })
      expect([reply.statusCode, reply.headers['retry-after']]).toEqual([503, '2'])
      if (method === 'GET') expect(reply.body).toMatch(/src="\/assets\/reopen\.js".*<h1>One moment<\/h1>/s)
    }
    await app.close()
  })
})
