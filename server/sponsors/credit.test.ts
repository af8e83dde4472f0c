import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sponsorOf, testBrowser } from '#server/test/browser.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { addOpenedLink, creditedSponsor } from './credit.ts'
import type { SponsorRow } from './sponsors.ts'
import { parseTouches, serializeTouches, type Touch } from './touches.ts'

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())

const at = (n: number) => new Date(Date.UTC(2026, 10, 15, 10, n))
const sponsors = new Map<string, SponsorRow>(
  ['master', 'ana', 'bluepier', 'fern'].map((word) => [word, { id: word, site: word, name: word, active: true }]),
)
sponsors.set('oldmill', { id: 'oldmill', site: 'oldmill', name: 'oldmill', active: false })
sponsors.set('harbor', sponsors.get('bluepier') as SponsorRow)

/** 'ana bluepier! fern*' means: ana opened, bluepier chosen, fern ordered. */
const touchesFrom = (text: string): Touch[] =>
  text.split(' ').map((word, n) => ({
    site: word.replace(/[!*]$/, ''),
    why: word.endsWith('!') ? 'chosen' : word.endsWith('*') ? 'ordered' : 'opened',
    touched_at: at(n),
  }))

describe('the rule for credit', () => {
  it.each([
    ['ana', 'ana'],
    ['master', 'master'],
    ['ana bluepier', 'ana'],
    ['bluepier ana', 'bluepier'],
    ['ana bluepier fern', 'ana'],
    ['master ana', 'ana'],
    ['ana master', 'ana'],
    ['master ana bluepier', 'ana'],
    ['ana bluepier bluepier!', 'bluepier'],
    ['ana bluepier bluepier! fern', 'bluepier'],
    ['ana bluepier fern bluepier! fern!', 'fern'],
    ['ana bluepier bluepier! ana!', 'ana'],
    ['oldmill', undefined],
    ['oldmill master', 'master'],
    ['oldmill ana', 'ana'],
    ['ana oldmill', 'ana'],
    ['ana oldmill oldmill!', 'ana'],
    ['nobodyhere master', 'master'],
    ['nobodyhere master ana', 'ana'],
    ['harbor bluepier', 'bluepier'],
    ['harbor bluepier ana', 'bluepier'],
    ['ana*', 'ana'],
    ['master ana*', 'ana'],
  ])('16.1 the touches "%s" credit %s', (text, credited) =>
    expect(creditedSponsor(touchesFrom(text), sponsors)?.site).toBe(credited),
  )

  it.each(['ana', 'master ana', 'master ana ana!'])('16.1 the first link is kept, however many follow: %s', (text) => {
    const many = Array.from({ length: 13 }, (_, n) => `site${n}`)
    const touches = many.reduce((touches, link, n) => addOpenedLink(touches, link, at(10 + n)), touchesFrom(text))
    expect(touches).toHaveLength(12)
    expect(touches.slice(0, touchesFrom(text).length)).toEqual(touchesFrom(text))
    expect(touches.at(-1)?.site).toBe('site12')
  })

  it('16.1 the cookie stores touches without loss', () => {
    const touches = touchesFrom('ana bluepier bluepier! fern*')
    expect(parseTouches(serializeTouches(touches))).toEqual(touches)
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

  it('16.1 the first one gets the credit, and all are recorded with time and reason', async () => {
    await browser.open('/harbor')
    expect((await browser.open('/ana')).address).toBe('/bluepier')
    expect((await browser.open('/')).address).toBe('/bluepier')
    expect((await join('bluepier')).json().payment).toBe('Approved')
    const { site: credited, rows } = await sponsorOf(site, String(form.username))
    expect(credited).toBe('bluepier')
    expect(rows.map((row) => `${row.site} ${row.why}`)).toEqual([
      'harbor opened',
      'bluepier opened',
      'ana opened',
      'master opened',
    ])
  })

  it('16.1 links of unknown sponsors do not count, however many there are', async () => {
    for (let n = 0; n < 13; n++) expect((await browser.open(`/nobody${n}`)).address).toBe('/master')
    expect((await browser.open('/ana')).address).toBe('/ana')
    expect((await browser.open('/nobodyhere')).address).toBe('/ana')
  })

  it('16.1 of many links, the first one and the choice are never dropped', () => {
    let touches = touchesFrom('ana bluepier bluepier!')
    for (let n = 0; n < 30; n++) touches = addOpenedLink(touches, `site${n}`, at(n))
    expect(touches.length).toBe(12)
    expect(touches[0]?.site).toBe('ana')
    expect(touches.some(({ why }) => why === 'chosen')).toBe(true)
    expect(touches.at(-1)?.site).toBe('site29')
  })

  it('16.3 a second link leads to the first sponsor and offers the second, and the visitor may choose that one', async () => {
    await browser.open('/ana')
    const redirected = await browser.open('/bluepier')
    expect(redirected.address).toBe('/ana')
    expect(redirected.body).toContain('"other_sponsor":{"site":"bluepier"')
    expect(redirected.body).toContain('"is_chosen":false')
    expect((await browser.open('/ana')).body).toContain('"other_sponsor":{"site":"bluepier"')
    expect((await browser.post('enrollment/choose-sponsor', { sponsor_site: 'bluepier' })).json().site).toBe('bluepier')
    const chosen = await browser.open('/bluepier')
    expect([chosen.address, chosen.body.includes('other_sponsor')]).toEqual(['/bluepier', false])
    const back = await browser.open('/ana')
    expect([back.address, back.body.includes('"other_sponsor":{"site":"ana"')]).toEqual(['/bluepier', true])
    expect(back.body).toContain('"is_chosen":true')
    await join('bluepier')
    const { site: credited, rows } = await sponsorOf(site, String(form.username))
    expect(credited).toBe('bluepier')
    expect(rows.map((row) => row.why)).toEqual(['opened', 'opened', 'chosen'])
  })

  it('16.3 a sponsor who is inactive, or whose link was not opened, cannot be chosen', async () => {
    await browser.open('/ana')
    await browser.open('/oldmill')
    for (const sponsor_site of ['bluepier', 'oldmill', 'nobodyhere'])
      expect((await browser.post('enrollment/choose-sponsor', { sponsor_site })).statusCode).toBe(422)
  })

  it('16.3 the sponsor can no longer be changed once a payment has started', async () => {
    await browser.open('/ana')
    await browser.open('/bluepier')
    const review = await browser.post('enrollment/add-enrollment', { ...form, cc_number: '4000000000009235' })
    expect(review.json().payment).toBe('Pending')
    expect((await browser.open('/bluepier')).body).not.toContain('other_sponsor')
    expect((await browser.post('enrollment/choose-sponsor', { sponsor_site: 'bluepier' })).statusCode).toBe(409)
  })

  it('16.4 a choice that is missing in an older cookie still counts', async () => {
    await browser.open('/ana')
    await browser.open('/bluepier')
    const restoreCookie = browser.saveCookies()
    await browser.post('enrollment/choose-sponsor', { sponsor_site: 'bluepier' })
    restoreCookie()
    expect((await join('ana')).json().message).toContain('You are joining with Blue Pier')
    expect((await browser.open('/ana')).address).toBe('/bluepier')
    expect((await join('bluepier')).json().payment).toBe('Approved')
  })

  it('16.4 a tab that still shows another sponsor is refused before any money moves', async () => {
    await browser.open('/master')
    await browser.open('/ana')
    const reply = await join('master')
    expect([reply.statusCode, Object.keys(reply.json().fields)]).toEqual([422, ['sponsor_site_name']])
    expect(reply.json().message).toContain('You are joining with Ana')
    expect((await join('ana')).json().payment).toBe('Approved')
  })

  it('16.1 credit and record stay the same after a declined card and a second try', async () => {
    await browser.open('/ana')
    const declined = { ...form, cc_number: '4000000000000002' }
    expect((await browser.post('enrollment/add-enrollment', declined)).json().payment).toBe('Declined')
    const again = { ...form, captcha: (await filledForm(site)).captcha }
    expect((await browser.post('enrollment/add-enrollment', again)).json().payment).toBe('Approved')
    expect((await sponsorOf(site, String(form.username))).rows).toHaveLength(1)
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
    const reply = await otherBrowser.post('enrollment/choose-sponsor', { sponsor_site: 'bluepier' })
    expect(reply.statusCode).toBe(422)
  })

  it('1.6 a member who opens another link is a new visitor there', async () => {
    await browser.open('/ana')
    await join('ana')
    const own = await browser.open(`/${form.username}`)
    expect(own.address).toBe(`/${form.username}`)
  })
})
