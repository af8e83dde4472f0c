import { type AddressInfo, connect } from 'node:net'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addCookies } from '#server/http/cookies.ts'
import { memberBrowserFrom } from '#server/members/browser.ts'
import { openKeys } from '#server/secrets/secrets.ts'
import { visitorFrom } from '#server/sponsors/visitor.ts'
import { TEST_SECRET } from '#server/test/generous-settings.ts'
import { cookieOf, joinedMember } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())

describe('every reply', () => {
  it.each([
    '/ana',
    '/nothing/here',
    '/api/enrollment/orders',
    '/api/enrollment/get-all-legal-documents',
    '/livez',
    '/api/docs',
  ])('7.2 has the security headers: %s', async (url) => {
    const { headers } = await site.get(url)
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['referrer-policy']).toBe('strict-origin-when-cross-origin')
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers['strict-transport-security']).toBeUndefined()
  })

  it('7.1 lets a page load our own files, our inline styles and script, and nothing else', async () => {
    const policy = String((await site.get('/ana')).headers['content-security-policy'])
    expect(policy).not.toMatch(/https?:|\*|unsafe/)
    expect(policy).toMatch(/script-src 'self' 'sha256-[\w+/=]+';/)
    expect(policy).toMatch(/style-src 'sha256-[\w+/=]+';/)
  })

  it('7.2 has HSTS in production', async () => {
    const production = await testSite({
      NODE_ENV: 'production',
      SECRET: TEST_SECRET,
      PUBLIC_URL: 'https://foyer.test',
      ALLOW_EMBEDDED: 'database,payment,phone,mail',
    })
    const reply = await production.get('/ana')
    expect(reply.headers['strict-transport-security']).toBe('max-age=63072000')
    expect(String(reply.headers['set-cookie'])).toMatch(/HttpOnly; Secure; SameSite=Lax/)
    expect((await production.get('/__outbox')).statusCode, '7.6 the outbox').toBe(404)
    await production.close()
  })
})

describe('a malformed request', () => {
  let port: number
  beforeAll(async () => {
    await site.app.listen({ port: 0, host: '127.0.0.1' })
    port = (site.app.server.address() as AddressInfo).port
  })

  /** Sends raw bytes and reads the reply until the connection closes. */
  const answerTo = async (bytes: string) => {
    const socket = connect(port, '127.0.0.1')
    socket.write(bytes)
    let text = ''
    for await (const part of socket) text += String(part)
    const [head = '', body = ''] = text.split('\r\n\r\n')
    const [line = '', ...lines] = head.split('\r\n')
    const headers = new Headers(lines.map((each) => each.split(': ', 2) as [string, string]))
    return { status: Number(line.split(' ')[1]), headers, body }
  }

  const unread = 'This request could not be read.'
  it.each([
    ['garbage', 'what?\r\n\r\n', 400, unread],
    ['an unknown method', 'WISH / HTTP/1.1\r\nHost: a\r\n\r\n', 400, unread],
    [
      'two lengths',
      'POST /api/x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      unread,
    ],
    [
      'headers of more than 16 kB',
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`,
      431,
      'The headers of this request are too large.',
    ],
    ['no host', 'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'This request needs one Host header.'],
    ['no host in HTTP/1.0', 'GET /ana HTTP/1.0\r\n\r\n', 400, 'This request needs one Host header.'],
    [
      'two hosts',
      'GET /ana HTTP/1.1\r\nHost: localhost\r\nhost: evil.example\r\nConnection: close\r\n\r\n',
      400,
      'This request needs one Host header.',
    ],
    [
      'an expectation',
      'GET /livez HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n',
      417,
      'This server does not support this Expect header.',
    ],
  ])('7.2 6.2 %s gets one sentence and the security headers', async (_what, bytes, status, message) => {
    const answer = await answerTo(bytes)
    expect([answer.status, JSON.parse(answer.body)]).toEqual([status, { message }])
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('referrer-policy')).toBe('strict-origin-when-cross-origin')
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('6.2 a health check over HTTP/1.0 needs no host', async () => {
    expect(await answerTo('GET /livez HTTP/1.0\r\n\r\n')).toMatchObject({ status: 200, body: 'alive\n' })
  })
})

describe('the visitor’s address', () => {
  const lookups = async (site: Site, headers: (number: number) => Record<string, string>) => {
    const replies = []
    for (let number = 0; number < 3; number++)
      replies.push(await site.post('enrollment/validate_username', { username: 'x' }, headers(number)))
    return replies.map((reply) => reply.statusCode)
  }
  const forged = (number: number) => ({ 'x-forwarded-for': `10.0.0.${number}` })

  it('7.3 is not taken from a header', async () => {
    const strict = await testSite({ LIMIT_LOOKUPS: '2/60' })
    expect(await lookups(strict, forged)).toEqual([200, 200, 429])
    await strict.close()
  })

  it('7.3 is taken from a trusted proxy', async () => {
    const behind = await testSite({ LIMIT_LOOKUPS: '2/60', TRUST_PROXY: '127.0.0.1' })
    expect(await lookups(behind, forged)).toEqual([200, 200, 200])
    expect(await lookups(behind, () => ({ 'x-forwarded-for': '1.2.3.4, 10.9.9.9' }))).toEqual([200, 200, 429])
    const ports = (number: number) => ({ 'x-forwarded-for': `1.2.3.4:${4711 + number}` })
    expect(await lookups(behind, ports)).toEqual([200, 200, 429])
    await behind.close()
  })

  it('6.4 also counts for its IPv6 network', async () => {
    const behind = await testSite({ LIMIT_LOOKUPS: '2/60', TRUST_PROXY: '127.0.0.1' })
    const from = (last: number) => lookups(behind, () => ({ 'x-forwarded-for': `2001:db8:1:${last}::7` }))
    for (let n = 0; n < 10; n++) expect(await from(n), String(n)).toEqual([200, 200, 429])
    expect(await from(10)).toEqual([429, 429, 429])
    const elsewhere = await lookups(behind, () => ({ 'x-forwarded-for': '2001:db8:2::7' }))
    expect(elsewhere).toEqual([200, 200, 429])
    await behind.close()
  })
})

it('7.5 reads the same keys again, and only with the SECRET that encrypted them', async () => {
  const { db, now, config } = site.world
  const again = await openKeys(db, config, { now })
  expect(again.signing.publicJwk).toEqual(site.world.keys.signing.publicJwk)
  await expect(openKeys(db, { SECRET: 'another secret of good length' }, { now })).rejects.toThrow(
    'SECRET is not the one',
  )
  const rows = await db.selectFrom('server_key').select('sealed').execute()
  expect(JSON.stringify(rows)).not.toContain(site.world.keys.secrets('cookies')[0]?.toString('base64'))
})

it('7.5 processes that start together agree on one set of keys', async () => {
  const { db, now } = site.world
  await db.deleteFrom('server_key').execute()
  const opened = await Promise.all(
    Array.from({ length: 5 }, () => openKeys(db, { SECRET: 'one secret for all of them' }, { now })),
  )
  expect(new Set(opened.map((keys) => keys.signing.kid)).size).toBe(1)
})

it('7.6 there is no outbox without embedded mail and phone', async () => {
  expect((await site.get('/__outbox')).statusCode).toBe(200)
  const config = { ...site.world.config, embedded: ['database', 'payment'] }
  const { createApp } = await import('./app.ts')
  const { plainShell } = await import('#server/test/site.ts')
  const real = await createApp({ world: { ...site.world, config }, shell: plainShell })
  expect((await real.inject('/__outbox')).statusCode).toBe(404)
  expect((await real.inject('/__outbox.json')).statusCode).toBe(404)
  await real.close()
})

it('1.6 a cookie that we did not sign is ignored', async () => {
  const cookie = String((await site.get('/ana')).headers['set-cookie']).split(';')[0] ?? ''
  const enrollmentIn = (body: string) => /name="enrollment" content="([^"]+)"/.exec(body)?.[1]
  const own = enrollmentIn((await site.get('/ana', { cookie })).body)
  expect(cookie).toContain(own)
  const forged = cookie.replace(own ?? '', '00000000-0000-4000-8000-000000000000')
  expect(enrollmentIn((await site.get('/ana', { cookie: forged })).body)).not.toBe(
    '00000000-0000-4000-8000-000000000000',
  )
})

describe('a cookie', () => {
  const enrollmentIn = ({ body }: { body: string }) => /name="enrollment" content="([^"]+)"/.exec(body)?.[1]
  const namesOf = (...replies: { headers: Record<string, unknown> }[]) =>
    replies.flatMap(({ headers }) => [headers['set-cookie'] ?? []].flat().map((line) => String(line).split('=')[0]))
  const cookieNames = ['foyer_enrollment', 'foyer_known', 'foyer_office', 'foyer_unknown_site']
  const setEveryCookie = async (site: Site) => {
    const { username, password, token } = await joinedMember(site)
    const entered = await site.post('office/session', { token })
    const cookie = cookieOf(entered)
    const signedIn = await site.post('office/sign-in', { name: username, password })
    const signedOut = await site.post('office/sign-out', {}, { cookie })
    const first = await site.get('/bluepier')
    const unknown = await site.get('/nobodyhere')
    const master = await site.get('/master', { cookie: cookieOf(unknown) })
    return [entered, signedIn, signedOut, first, unknown, master]
  }

  it('7.8 is bound to this host with https, and one that another subdomain has set is ignored', async () => {
    const secure = await testSite({ PUBLIC_URL: 'https://foyer.test' })
    const replies = await setEveryCookie(secure)
    expect([...new Set(namesOf(...replies))].sort()).toEqual(cookieNames.map((name) => `__Host-${name}`))
    const lines = replies.flatMap(({ headers }) => headers['set-cookie'] ?? [])
    expect(lines.filter((line) => !/; Path=\/;.*; Secure/.test(line) || /Domain/i.test(line))).toEqual([])

    const page = await secure.get('/ana')
    const cookie = cookieOf(page)
    expect(enrollmentIn(await secure.get('/ana', { cookie }))).toBe(enrollmentIn(page))
    const withoutPrefix = cookie.replaceAll('__Host-', '')
    expect(enrollmentIn(await secure.get('/ana', { cookie: withoutPrefix }))).not.toBe(enrollmentIn(page))
    expect(enrollmentIn(await secure.get('/ana', { cookie: `${withoutPrefix}; ${cookie}` }))).toBe(enrollmentIn(page))
    await secure.close()
  })

  it('7.8 that we signed is not accepted under another name', async () => {
    const app = Fastify()
    await addCookies(app, site.world)
    app.get('/', (request, reply) => {
      const { enrollment_id: cookie } = visitorFrom(request, reply, site.world)
      const { trustedBrowser, trustBrowser } = memberBrowserFrom(request, reply, site.world)
      trustBrowser('a mark')
      return { cookie, mark: trustedBrowser?.mark }
    })
    const readAs = async (cookie: string) => (await app.inject({ url: '/', headers: { cookie } })).json()
    const enrollment = cookieOf(await site.get('/ana'))
    const trusted = cookieOf(await app.inject('/'))
    expect(await readAs(`${enrollment}; ${trusted}`)).toEqual({ cookie: expect.any(String), mark: 'a mark' })
    expect(await readAs(enrollment.replace('foyer_enrollment', 'foyer_known'))).toEqual({})
    await app.close()
  })

  it('7.8 has no prefix with http, where a browser would refuse it', async () => {
    expect([...new Set(namesOf(...(await setEveryCookie(site))))].sort()).toEqual(cookieNames)
  })
})
