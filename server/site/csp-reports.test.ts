import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { listings } from '#server/cli/listings.ts'
import { joinedMember, memberInOffice } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember } from '#server/test/staff.ts'
import { deleteExpired } from '#server/worker/janitor.ts'

let site: Site
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  site = await testSite({ TRUST_PROXY: 'loopback' })
})
afterAll(async () => {
  await site.close()
  vi.useRealTimers()
})
beforeEach(async () => {
  await site.db.deleteFrom('csp_report').execute()
  site.advance(60)
})

const URL_OF_ANA = 'http://foyer.test/ana?token=tok-123#x'

const oldReport = (changes: object = {}) => ({
  'csp-report': {
    'document-uri': URL_OF_ANA,
    referrer: 'http://elsewhere.test/who',
    'violated-directive': 'script-src-elem',
    'effective-directive': 'script-src-elem',
    'original-policy': "default-src 'none'",
    'blocked-uri': 'https://evil.example/skimmer.js?card=4242424242424242',
    'script-sample': 'fetch("my secret sample")',
    ...changes,
  },
})
const newReport = (changes: object = {}) => ({
  age: 3,
  type: 'csp-violation',
  url: URL_OF_ANA,
  user_agent: 'Somebody/1.0',
  body: {
    documentURL: URL_OF_ANA,
    effectiveDirective: 'connect-src',
    disposition: 'enforce',
    sample: 'my secret sample',
    blockedURL: 'https://drop.example/collect/zoe@example.com',
    ...changes,
  },
})

const send = (payload: object | string, { type = 'application/csp-report', address = '203.0.113.1' } = {}) =>
  site.ask({
    method: 'POST',
    url: '/api/csp-reports',
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    headers: { 'content-type': type, 'x-forwarded-for': address },
  })
const sendNew = (payload: object | string) => send(payload, { type: 'application/reports+json' })

/** Counts are written every five seconds. */
const writeCounts = () => vi.advanceTimersByTime(5_000)

async function rows(count: number) {
  writeCounts()
  const read = () => site.db.selectFrom('csp_report').selectAll().orderBy('directive').orderBy('blocked').execute()
  await expect.poll(async () => (await read()).length).toBe(count)
  return (await read()).map(({ directive, blocked, page, count }) => [directive, blocked, page, Number(count)])
}

describe('reports of browsers', () => {
  it('24.1 a page says where to send them, and both formats are counted by day', async () => {
    const { headers } = await site.get('/ana')
    expect(headers['content-security-policy']).toMatch(/; report-uri \/api\/csp-reports$/)
    for (let n = 0; n < 3; n++) expect((await send(oldReport())).statusCode).toBe(204)
    const other = newReport({ documentURL: 'http://foyer.test/office/autologin/grant-access/a~b~c' })
    expect((await sendNew([newReport(), newReport(), other, { type: 'deprecation' }])).statusCode).toBe(204)
    expect(await rows(3)).toEqual([
      ['connect-src', 'https://drop.example', '/office', 1],
      ['connect-src', 'https://drop.example', '/{site}', 2],
      ['script-src-elem', 'https://evil.example', '/{site}', 3],
    ])
    const list = await listings['csp-reports']?.(site.db)
    expect(list).toContain('https://evil.example')
  })

  it('24.2 keep nothing about a person: no path, query, sample, browser or address', async () => {
    await send(oldReport())
    await sendNew([newReport()])
    await send(oldReport({ 'blocked-uri': 'chrome-extension://abcdefgh/x.js' }))
    await send(oldReport({ 'blocked-uri': 'inline' }))
    await rows(4)
    const stored = JSON.stringify(await site.db.selectFrom('csp_report').selectAll().execute())
    const secrets = [
      'ana',
      'tok-123',
      'sample',
      '4242',
      'zoe',
      'skimmer',
      'collect',
      'Somebody',
      '203.0.113',
      'abcdefgh',
    ]
    for (const text of secrets) expect(stored).not.toContain(text)
    expect(stored).toContain('chrome-extension:')
    expect(site.log()).not.toMatch(/tok-123|my secret sample|skimmer/)
  })

  it('24.2 what is not a report of our own pages is dropped', async () => {
    const dropped: [object | string, number][] = [
      [oldReport({ 'document-uri': 'https://elsewhere.example/' }), 204],
      [oldReport({ 'effective-directive': 'zoe@example.com' }), 204],
      [oldReport({ 'blocked-uri': 'not a url' }), 204],
      [oldReport({ 'blocked-uri': `https://${'a'.repeat(50)}.${'b'.repeat(50)}.example/` }), 204],
      [{}, 204],
      ['[1, null, {"type":"csp-violation"}]', 204],
      ['no JSON', 400],
      [`{"csp-report":"${'x'.repeat(17_000)}"}`, 413],
    ]
    for (const [payload, status] of dropped) expect((await send(payload)).statusCode).toBe(status)
    expect((await send('{}', { type: 'application/json' })).statusCode).toBe(415)
    await send(oldReport())
    expect(await rows(1)).toHaveLength(1)
  })

  it('24.3 are limited by address and in total, and in how many different ones a day has', async () => {
    const replies = await Promise.all(Array.from({ length: 40 }, () => send(oldReport())))
    expect(replies.filter(({ statusCode }) => statusCode === 429)).toHaveLength(10)
    expect((await send(oldReport(), { address: '203.0.113.2' })).statusCode).toBe(204)
    site.advance(60)
    let accepted = 0
    for (let n = 0; n < 700; n++) {
      const reply = await send(oldReport({ 'blocked-uri': `https://h${n}.example/` }), {
        address: `10.0.${n >> 8}.${n & 255}`,
      })
      if (reply.statusCode === 204) accepted++
    }
    expect(accepted).toBe(600)
    writeCounts()
    await expect
      .poll(async () => {
        const counts = await site.db.selectFrom('csp_report').select(['blocked', 'count']).execute()
        return [counts.length, counts.reduce((sum, { count }) => sum + Number(count), 0)]
      })
      .toEqual([501, 631])
  })

  it('24.3 of one network add few rows to a day, so that those of others still count', async () => {
    const reportFrom = (address: string, host: string) =>
      send(oldReport({ 'blocked-uri': `https://${host}.example/` }), { address })
    site.advance(86_400)
    for (let n = 0; n < 60; n++) await reportFrom(`2001:db8:1:${n}::1`, `h${n}`)
    await reportFrom('203.0.113.9', 'skimmer')
    const stored = await rows(12)
    expect(stored).toContainEqual(['script-src-elem', 'https://skimmer.example', '/{site}', 1])
    expect(stored).toContainEqual(['script-src-elem', '(others)', '(others)', 50])
  })

  it('24.3 are kept for 90 days', async () => {
    await send(oldReport())
    await rows(1)
    site.advance(89 * 86_400)
    await deleteExpired(site.world)
    expect(await rows(1)).toHaveLength(1)
    site.advance(86_400)
    await deleteExpired(site.world)
    expect(await rows(0)).toEqual([])
  })
})

describe('a sign-out', () => {
  it('24.4 clears the cache over https, and leaves cookies and storage of others alone', async () => {
    const https = await testSite({ PUBLIC_URL: 'https://foyer.test' })
    const { token } = await joinedMember(https)
    const prefixed = (cookie: string) => cookie.replaceAll(/(^|; )(?!__Host-)/g, '$1__Host-')
    const session = await https.post('office/session', { token })
    const cookie = prefixed(String(session.headers['set-cookie']).split(';')[0] ?? '')
    expect(session.headers['clear-site-data']).toBeUndefined()
    const out = await https.post('office/sign-out', {}, { cookie })
    expect(out.headers['clear-site-data']).toBe('"cache"')
    expect((await https.post('console/sign-out', {})).headers['clear-site-data']).toBe('"cache"')
    await https.close()
  })

  it('24.4 says nothing of it over plain http', async () => {
    const { cookie } = await memberInOffice(site)
    const out = await site.post('office/sign-out', {}, { cookie })
    expect([out.statusCode, out.headers['clear-site-data']]).toEqual([200, undefined])
    const owner = await staffMember(site, 'owner')
    expect((await owner.post('sign-out')).headers['clear-site-data']).toBeUndefined()
  })
})
