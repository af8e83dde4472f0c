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
const known = new Map<string, SponsorRow>(
  ['master', 'ana', 'bluepier', 'fern'].map((word) => [word, { id: word, site: word, name: word, active: true }]),
)
known.set('oldmill', { id: 'oldmill', site: 'oldmill', name: 'oldmill', active: false })
known.set('harbor', known.get('bluepier') as SponsorRow)

/** 'ana bluepier fern!' : opened, opened, chosen. */
const story = (told: string): Touch[] =>
  told.split(' ').map((word, n) => ({
    site: word.replace(/[!*]$/, ''),
    why: word.endsWith('!') ? 'chosen' : word.endsWith('*') ? 'ordered' : 'opened',
    touched_at: at(n),
  }))

describe('the policy', () => {
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
  ])('16.1 %s: %s', (told, credited) => expect(creditedSponsor(story(told), known)?.site).toBe(credited))

  it.each(['ana', 'master ana', 'master ana ana!'])('16.1 the first link stays, however many follow: %s', (told) => {
    const many = Array.from({ length: 13 }, (_, n) => `site${n}`)
    const touches = many.reduce((touches, word, n) => addOpenedLink(touches, word, at(10 + n)), story(told))
    expect(touches).toHaveLength(12)
    expect(touches.slice(0, story(told).length)).toEqual(story(told))
    expect(touches.at(-1)?.site).toBe('site12')
  })

  it('16.1 the cookie carries touches as they were', () => {
    const touches = story('ana bluepier bluepier! fern*')
    expect(parseTouches(serializeTouches(touches))).toEqual(touches)
    expect(parseTouches('')).toEqual([])
    expect(parseTouches('ana_x_1-<b>_o_2-_o_3')).toEqual([])
  })
})

describe('the links of a visitor', () => {
  let ours: ReturnType<typeof testBrowser>
  let form: Record<string, string>
  beforeEach(async () => {
    ours = testBrowser(site)
    form = await filledForm(site)
  })
  const join = (sponsor_site_name: string) => ours.post('enrollment/add-enrollment', { ...form, sponsor_site_name })

  it('16.1 the first one wins, and stands in the record with its time and reason', async () => {
    await ours.open('/harbor')
    expect((await ours.open('/ana')).address).toBe('/bluepier')
    expect((await ours.open('/')).address).toBe('/bluepier')
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

  it('16.1 words that are nobody’s, however many, count for nothing', async () => {
    for (let n = 0; n < 13; n++) expect((await ours.open(`/nobody${n}`)).address).toBe('/master')
    expect((await ours.open('/ana')).address).toBe('/ana')
    expect((await ours.open('/nobodyhere')).address).toBe('/ana')
  })

  it('16.1 of many links the first and the choice are never dropped', () => {
    let touches = story('ana bluepier bluepier!')
    for (let n = 0; n < 30; n++) touches = addOpenedLink(touches, `site${n}`, at(n))
    expect(touches.length).toBe(12)
    expect(touches[0]?.site).toBe('ana')
    expect(touches.some(({ why }) => why === 'chosen')).toBe(true)
    expect(touches.at(-1)?.site).toBe('site29')
  })

  it('16.3 another link names the first and offers the other; who chooses it joins with them', async () => {
    await ours.open('/ana')
    const led = await ours.open('/bluepier')
    expect(led.address).toBe('/ana')
    expect(led.body).toContain('"other_sponsor":{"site":"bluepier"')
    expect(led.body).toContain('"is_chosen":false')
    expect((await ours.open('/ana')).body).toContain('"other_sponsor":{"site":"bluepier"')
    expect((await ours.post('enrollment/choose-sponsor', { sponsor_site: 'bluepier' })).json().site).toBe('bluepier')
    const chosen = await ours.open('/bluepier')
    expect([chosen.address, chosen.body.includes('other_sponsor')]).toEqual(['/bluepier', false])
    const back = await ours.open('/ana')
    expect([back.address, back.body.includes('"other_sponsor":{"site":"ana"')]).toEqual(['/bluepier', true])
    expect(back.body).toContain('"is_chosen":true')
    await join('bluepier')
    const { site: credited, rows } = await sponsorOf(site, String(form.username))
    expect(credited).toBe('bluepier')
    expect(rows.map((row) => row.why)).toEqual(['opened', 'opened', 'chosen'])
  })

  it('16.3 nobody is chosen whose link was never opened, or who is inactive', async () => {
    await ours.open('/ana')
    await ours.open('/oldmill')
    for (const sponsor_site of ['bluepier', 'oldmill', 'nobodyhere'])
      expect((await ours.post('enrollment/choose-sponsor', { sponsor_site })).statusCode).toBe(422)
  })

  it('16.3 nothing can be chosen any more once a payment is under way', async () => {
    await ours.open('/ana')
    await ours.open('/bluepier')
    const review = await ours.post('enrollment/add-enrollment', { ...form, cc_number: '4000000000009235' })
    expect(review.json().payment).toBe('Pending')
    expect((await ours.open('/bluepier')).body).not.toContain('other_sponsor')
    expect((await ours.post('enrollment/choose-sponsor', { sponsor_site: 'bluepier' })).statusCode).toBe(409)
  })

  it('16.4 a choice that an older cookie has forgotten still stands', async () => {
    await ours.open('/ana')
    await ours.open('/bluepier')
    const older = ours.keep()
    await ours.post('enrollment/choose-sponsor', { sponsor_site: 'bluepier' })
    older()
    expect((await join('ana')).json().message).toContain('You are joining with Blue Pier')
    expect((await ours.open('/ana')).address).toBe('/bluepier')
    expect((await join('bluepier')).json().payment).toBe('Approved')
  })

  it('16.4 a tab that still shows another sponsor is refused before any money moves', async () => {
    await ours.open('/master')
    await ours.open('/ana')
    const reply = await join('master')
    expect([reply.statusCode, Object.keys(reply.json().fields)]).toEqual([422, ['sponsor_site_name']])
    expect(reply.json().message).toContain('You are joining with Ana')
    expect((await join('ana')).json().payment).toBe('Approved')
  })

  it('16.1 a declined card and a second try keep the credit and the record', async () => {
    await ours.open('/ana')
    const declined = { ...form, cc_number: '4000000000000002' }
    expect((await ours.post('enrollment/add-enrollment', declined)).json().payment).toBe('Declined')
    const again = { ...form, captcha: (await filledForm(site)).captcha }
    expect((await ours.post('enrollment/add-enrollment', again)).json().payment).toBe('Approved')
    expect((await sponsorOf(site, String(form.username))).rows).toHaveLength(1)
  })

  it('16.1 a caller without a browser names the sponsor, and that is the record', async () => {
    await site.post('enrollment/add-enrollment', form)
    const { site: credited, rows } = await sponsorOf(site, String(form.username))
    expect([credited, rows.map((row) => row.why)]).toEqual(['ana', ['ordered']])
  })

  it.each([
    ['fetched ahead', { 'sec-purpose': 'prefetch;prerender' }],
    ['pulled in by another page', { 'sec-fetch-dest': 'image' }],
    ['framed', { 'sec-fetch-dest': 'iframe' }],
  ])('16.1 a page that is only %s opens no link', async (_how, headers) => {
    const stuffed = testBrowser(site, headers)
    await stuffed.open('/bluepier')
    const reply = await stuffed.post('enrollment/choose-sponsor', { sponsor_site: 'bluepier' })
    expect(reply.statusCode).toBe(422)
  })

  it('1.6 who has joined and opens another link is a new visitor there', async () => {
    await ours.open('/ana')
    await join('ana')
    const own = await ours.open(`/${form.username}`)
    expect(own.address).toBe(`/${form.username}`)
  })
})
