import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { validAnswers } from '#server/test/answers.ts'
import { sponsorOf, testBrowser } from '#server/test/browser.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { addOpenedLink } from './credit.ts'
import { parseTouches, serializeTouches, type Touch } from './touches.ts'

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())

const at = (n: number) => new Date(Date.UTC(2026, 10, 15, 10, n))
/** 'ana bluepier! fern*' means: ana opened, bluepier chosen, fern ordered. */
const touchesFrom = (text: string): Touch[] =>
  text.split(' ').map((word, n) => ({
    site: word.replace(/[!*]$/, ''),
    why: word.endsWith('!') ? 'chosen' : word.endsWith('*') ? 'ordered' : 'opened',
    touched_at: at(n),
  }))

describe('the opened links in the cookie', () => {
  it.each(['ana', 'master ana'])('16.1 keep the first sponsor’s link, however many follow: %s', (text) => {
    const many = Array.from({ length: 13 }, (_, n) => `site${n}`)
    const touches = many.reduce((touches, link, n) => addOpenedLink(touches, link, at(10 + n)), touchesFrom(text))
    expect(touches).toHaveLength(12)
    expect(touches.slice(0, touchesFrom(text).length)).toEqual(touchesFrom(text))
    expect(touches.at(-1)?.site).toBe('site12')
  })

  it('16.2 are stored without loss', () => {
    const touches = touchesFrom('ana bluepier bluepier! fern*')
    expect(parseTouches(serializeTouches(touches))).toEqual(touches)
    const marks = touchesFrom('ana-maria mary.ann! _o_-d.u*')
    expect(parseTouches(serializeTouches(marks))).toEqual(marks)
    expect(parseTouches('ana_o_mhzz1c00')).toEqual([{ site: 'ana', why: 'opened', touched_at: expect.any(Date) }])
    expect(parseTouches('')).toEqual([])
    expect(parseTouches('ana_x_1-<b>_o_2-_o_3')).toEqual([])
  })
})

describe('the links that a visitor opens', () => {
  let browser: ReturnType<typeof testBrowser>
  let form: Record<string, string>
  beforeEach(async () => {
    browser = testBrowser(site)
    form = await filledForm(site)
  })
  const join = (sponsor_site_name: string) => browser.post('enrollment/add-enrollment', { ...form, sponsor_site_name })

  it('16.1 the address of the page decides, and the record tells all links and the address', async () => {
    await browser.open('/harbor')
    expect((await browser.open('/ana')).address).toBe('/ana')
    expect((await browser.open('/')).address).toBe('/master')
    expect((await browser.open('/ana')).address).toBe('/ana')
    expect((await join('ana')).json().payment).toBe('Approved')
    const { site: credited, rows } = await sponsorOf(site, String(form.username))
    expect(credited).toBe('ana')
    expect(rows.map((row) => `${row.site} ${row.why}`)).toEqual([
      'harbor opened',
      'bluepier opened',
      'ana opened',
      'master opened',
      'ana ordered',
    ])
  })

  it.each(['ana-maria', 'mary_ann.smith', 'o'.repeat(60)])('1.2 %s works from link to office', async (word) => {
    const created_at = site.world.now()
    const sponsor = { id: randomUUID(), site: word, name: 'Somebody Else', active: true, created_at }
    await site.db
      .insertInto('sponsor')
      .values(sponsor)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await browser.open('/bluepier')
    const { address, body } = await browser.open(`/${word.toUpperCase()}`)
    expect([address, body.includes(`"site":"${word}"`)]).toEqual([`/${word}`, true])
    const joined = (await join(word)).json()
    expect(joined.payment).toBe('Approved')
    const { site: credited, rows } = await sponsorOf(site, String(form.username))
    expect([credited, rows.map((row) => `${row.site} ${row.why}`)]).toEqual([
      word,
      ['bluepier opened', `${word} opened`, `${word} ordered`],
    ])
    expect(await browser.redirectOf(`/${word}/office`)).toContain('/office/autologin/grant-access/')
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
    const hit = await site.get(`/api/replicated-sites/page-hits/${word}`, { 'user-agent': agent, host: 'foyer.test' })
    expect(hit.statusCode).toBe(200)
    expect(await site.db.selectFrom('page_hit').select('site').where('site', '=', word).execute()).toHaveLength(1)
  })

  it.each([
    ['the main site after a sponsor’s link', ['/ana', '/'], 'master'],
    ['the last of three sponsors', ['/ana', '/bluepier', '/juniper'], 'juniper'],
    ['the first again', ['/ana', '/bluepier', '/ana'], 'ana'],
    ['a renamed sponsor', ['/ana', '/harbor'], 'bluepier'],
    ['the main site after an unknown link', ['/ana', '/nobodyhere'], 'master'],
  ])('16.1 a visitor who opened several links joins with %s', async (_what, links, expected) => {
    let address = ''
    for (const link of links) address = (await browser.open(link)).address
    expect(address).toBe(`/${expected}`)
    expect((await join(expected)).json().payment).toBe('Approved')
    expect((await sponsorOf(site, String(form.username))).site).toBe(expected)
  })

  const offered = (body: string) => /"earlier_sponsor":\{"site":"(\w+)"/.exec(body)?.[1]
  it.each([
    ['one link', ['/ana'], undefined],
    ['a second link', ['/ana', '/bluepier'], 'ana'],
    ['the first link again', ['/ana', '/bluepier', '/ana'], undefined],
    ['a third link', ['/ana', '/bluepier', '/juniper'], 'ana'],
    ['the main site', ['/ana', '/master'], 'ana'],
    ['the main site first', ['/master', '/ana'], undefined],
    ['the main site first and last', ['/master', '/ana', '/master'], 'ana'],
    ['the main site between', ['/master', '/ana', '/bluepier'], 'ana'],
    ['an old name of the same sponsor', ['/harbor', '/bluepier'], undefined],
    ['an inactive sponsor first', ['/oldmill', '/bluepier'], undefined],
    ['an inactive sponsor, then two others', ['/oldmill', '/ana', '/bluepier'], 'ana'],
    ['an inactive sponsor last', ['/ana', '/oldmill'], 'ana'],
  ])('16.3 after %s, the page offers the sponsor whose link was first', async (_what, links, expected) => {
    let body = ''
    for (const link of links) body = (await browser.open(link)).body
    expect(offered(body)).toBe(expected)
  })

  it('16.3 no other sponsor is offered once a payment has started', async () => {
    await browser.open('/bluepier')
    expect(offered((await browser.open('/ana')).body)).toBe('bluepier')
    const review = await browser.post('enrollment/add-enrollment', { ...form, cc_number: '4000000000009235' })
    expect(review.json().payment).toBe('Pending')
    expect(offered((await browser.open('/ana')).body)).toBeUndefined()
  })

  it('1.5 4.6 16.4 two tabs enroll under the sponsor that each one shows, and an inactive one is refused', async () => {
    await browser.open('/ana')
    await browser.open('/bluepier')
    const refused = await join('oldmill')
    expect([refused.statusCode, Object.keys(refused.json().fields)]).toEqual([422, ['sponsor_site_name']])
    expect((await join('ana')).json().payment).toBe('Approved')
    expect((await sponsorOf(site, String(form.username))).site).toBe('ana')
  })

  it('16.2 the record tells every address that was tried, and each only once', async () => {
    await browser.open('/ana')
    const tryToJoin = async (sponsor_site_name: string, cc_number: string) => {
      const { captcha } = await filledForm(site)
      return browser.post('enrollment/add-enrollment', { ...form, captcha, sponsor_site_name, cc_number })
    }
    expect((await tryToJoin('ana', '4000000000000002')).json().payment).toBe('Declined')
    expect((await tryToJoin('ana', '4000000000000127')).json().payment).toBe('Declined')
    await browser.open('/bluepier')
    expect((await tryToJoin('bluepier', '4242424242424242')).json().payment).toBe('Approved')
    const { site: credited, rows } = await sponsorOf(site, String(form.username))
    expect(credited).toBe('bluepier')
    expect(rows.map((row) => `${row.site} ${row.why}`)).toEqual([
      'ana opened',
      'ana ordered',
      'bluepier opened',
      'bluepier ordered',
    ])
  })

  it('16.1 for a caller without a browser, the sponsor that the order names is recorded', async () => {
    await site.post('enrollment/add-enrollment', form)
    const { site: credited, rows } = await sponsorOf(site, String(form.username))
    expect([credited, rows.map((row) => row.why)]).toEqual(['ana', ['ordered']])
  })

  it.each([
    ['prefetched', { 'sec-purpose': 'prefetch;prerender' }],
    ['loaded as an image by another page', { 'sec-fetch-dest': 'image' }],
    ['framed', { 'sec-fetch-dest': 'iframe' }],
  ])('16.1 a page that is only %s does not count as an opened link', async (_how, headers) => {
    const otherBrowser = testBrowser(site, headers)
    await otherBrowser.open('/bluepier')
    await otherBrowser.post('enrollment/add-enrollment', form)
    const { rows } = await sponsorOf(site, String(form.username))
    expect(rows.map((row) => `${row.site} ${row.why}`)).toEqual(['ana ordered'])
  })
})

describe('somebody who has joined', () => {
  let browser: ReturnType<typeof testBrowser>
  let username: string
  const joinedAs = (body: string) => /"joined_as":"(\w+)"/.exec(body)?.[1]
  beforeEach(async () => {
    browser = testBrowser(site)
    await browser.open('/ana')
    const form = await filledForm(site)
    username = String(form.username)
    expect((await browser.post('enrollment/add-enrollment', form)).json().payment).toBe('Approved')
  })

  it.each(['/ana', '/bluepier', '/', '/oldmill'])('1.6 is told so on %s, also later', async (link) => {
    expect(joinedAs((await browser.open(link)).body)).toBe(username)
    site.advance(3 * 86_400)
    expect(joinedAs((await browser.open(link)).body)).toBe(username)
  })

  it('1.6 opens the office with a grant for half an hour, and by signing in afterwards', async () => {
    const office = () => browser.redirectOf('/bluepier/office')
    expect(await office()).toMatch(/\/office\/autologin\/grant-access\/.+~.+~/)
    site.advance(31 * 60)
    expect(await office()).toBe(site.world.config.OFFICE_URL)
  })

  it('1.6 gets no grant through a link on another site', async () => {
    const office = await browser.redirectOf('/bluepier/office', { 'sec-fetch-site': 'cross-site' })
    expect(office).toBe(site.world.config.OFFICE_URL)
  })

  it('1.6 can enroll another person, who begins afresh', async () => {
    await browser.submit('/bluepier/another')
    const page = await browser.open('/bluepier')
    expect([joinedAs(page.body), page.body.includes('earlier_sponsor')]).toEqual([undefined, false])
    const form = await filledForm(site, { sponsor_site_name: 'bluepier' })
    expect((await browser.post('enrollment/add-enrollment', form)).json().payment).toBe('Approved')
    expect(await sponsorOf(site, String(form.username))).toMatchObject({ site: 'bluepier', rows: { length: 2 } })
    expect(joinedAs((await browser.open('/ana')).body)).toBe(form.username)
  })

  it('1.6 a form on another site cannot start another enrollment', async () => {
    const reply = await browser.submit('/ana/another', { 'sec-fetch-site': 'cross-site' })
    expect(reply.statusCode).toBe(403)
    expect(joinedAs((await browser.open('/ana')).body)).toBe(username)
  })

  it('1.6 and is signed in is told so in a browser that has not joined, until they enroll another person', async () => {
    const other = testBrowser(site)
    await other.open('/bluepier')
    site.advance(1)
    const signIn = { name: username, password: validAnswers(username).password }
    expect((await other.post('office/sign-in', signIn)).statusCode).toBe(200)
    expect(joinedAs((await other.open('/bluepier')).body)).toBe(username)
    expect(joinedAs((await other.open('/juniper')).body)).toBe(username)
    site.advance(1)
    await other.submit('/juniper/another')
    expect(joinedAs((await other.open('/juniper')).body)).toBeUndefined()
    expect(joinedAs((await other.open('/ana')).body)).toBeUndefined()
  })

  it.each(['api', 'admin', 'no%20site'])('1.2 6.2 finds neither way on at /%s, which is no site', async (path) => {
    expect((await site.get(`/${path}/office`)).statusCode).toBe(404)
    expect((await browser.submit(`/${path}/another`)).statusCode).toBe(404)
    expect(joinedAs((await browser.open('/ana')).body)).toBe(username)
  })

  it('1.6 and has signed out is a new visitor', async () => {
    await site.db.updateTable('member').set({ welcome_until: null }).where('username', '=', username).execute()
    expect(joinedAs((await browser.open('/ana')).body)).toBeUndefined()
  })
})
