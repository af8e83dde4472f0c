import { hash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { filledForm, type Site, testSite } from '#server/test/site.ts'

let site: Site
let cookie: string
let username: string
beforeAll(async () => {
  site = await testSite()
  const form = await filledForm(site)
  username = form.username ?? ''
  const { token } = (await site.post('enrollment/add-enrollment', form)).json()
  const entered = await site.post('office/session', { token })
  cookie = String(entered.headers['set-cookie']).split(';')[0] ?? ''
})
afterAll(() => site.close())

const startOf = (body: string) =>
  JSON.parse(/<script type="application\/json" id="start">(.*?)<\/script>/.exec(body)?.[1] ?? '{}')

it('15.3 the office page contains all its data in the HTML', async () => {
  const office = await site.get('/office', { cookie })
  expect(office.statusCode).toBe(200)
  expect(startOf(office.body)).toMatchObject({
    screen: 'office',
    view: { username, link: `http://foyer.test/${username}`, receipt: { total: '99.00' } },
  })
})

it.each([
  ['/office', 401, 'sign-in'],
  ['/office/link.svg', 401, 'sign-in'],
  ['/office/consent.json', 401, 'sign-in'],
  ['/office/forgotten-password', 200, 'forgotten-password'],
  ['/office/new-password', 200, 'new-password'],
  ['/office/confirm-email', 200, 'confirm-email'],
  ['/office/autologin/grant-access/a~b~c', 200, 'grant-landing'],
])('15.2 without a session, %s responds %i with the screen %s', async (url, status, screen) => {
  const page = await site.get(url)
  expect([page.statusCode, startOf(page.body)]).toEqual([status, { screen }])
  expect(page.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' })
})

it.each([
  ['same-origin', undefined],
  ['cross-site', true],
  ['same-site', true],
  ['none', true],
])('4.16 a visitor who opens a grant link from %s must confirm first: %s', async (from, isFromOtherSite) => {
  const { body } = await site.get('/office/autologin/grant-access/a~b~c', { 'sec-fetch-site': from })
  expect(startOf(body)).toEqual({ screen: 'grant-landing', ...(isFromOtherSite && { isFromOtherSite }) })
})

it('7.1 its pages have their own styles, and the same policy otherwise', async () => {
  const [office, wizard] = await Promise.all([site.get('/office'), site.get('/ana')])
  const css = /<style>(.*?)<\/style>/s.exec(office.body)?.[1] ?? ''
  const allowed = `style-src 'sha256-${hash('sha256', css, 'base64')}';`
  const policies = [office, wizard].map(({ headers }) => String(headers['content-security-policy']))
  expect(policies[0]).toContain(allowed)
  expect(policies[1]).not.toContain(allowed)
  const withoutStyles = policies.map((policy) => policy.replace(/style-src [^;]*/, ''))
  expect(withoutStyles[0]).toBe(withoutStyles[1])
})

it('15.14 the link is available as a QR code', async () => {
  const code = await site.get('/office/link.svg', { cookie })
  expect([code.statusCode, code.headers['content-type'], code.headers['cache-control']]).toEqual([
    200,
    'image/svg+xml',
    'no-store',
  ])
  expect(code.body).toMatch(/^<svg /)
})

it('15.13 the signed consent can be downloaded', async () => {
  const bundle = await site.get('/office/consent.json', { cookie })
  expect(bundle.headers).toMatchObject({
    'content-disposition': `attachment; filename="consent-${username}.json"`,
    'cache-control': 'no-store',
  })
  expect(Object.keys(bundle.json()).sort()).toEqual(['payload', 'protected', 'signature'])
})
