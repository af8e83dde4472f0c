import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { calls } from '#contract/api.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'

const ORIGIN = 'https://www.example.com'
let site: Site
let open: Site
beforeAll(async () => {
  site = await testSite({ AUTOSHIP: 'on' })
  open = await testSite({ CORS_ORIGINS: `${ORIGIN}, http://localhost:8080`, PHONE_VERIFICATION: 'on' })
})
afterAll(async () => {
  await site.close()
  await open.close()
})

const form = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }
const posts = Object.values(calls).filter(({ method }) => method === 'POST')

describe('a caller that is no page of ours', () => {
  it('6.13 may send every call as a form', async () => {
    const answers = await filledForm(site, { last_name: 'O’Neil & Söhne + 1' })
    const reply = await site.post('enrollment/add-enrollment', String(new URLSearchParams(answers)), form)
    expect(reply.json().payment, reply.body).toBe('Approved')
    const member = await site.db.selectFrom('member').select('last_name').executeTakeFirst()
    expect(member?.last_name).toBe('O’Neil & Söhne + 1')
    for (const { path } of posts)
      expect((await site.post(path.slice(1), 'x=1', form)).statusCode, path).toBe(path.endsWith('orders') ? 200 : 422)
  })

  it.each<Record<string, unknown>>([
    { product_ids: 34 },
    { agreement_1: true, agreement_2: true, agreement_3: false, is_shipping_different: false },
    { agreement_1: 1, agreement_2: 1, agreement_3: 0, is_shipping_different: 0 },
    { agreement_1: 'true', agreement_2: 'on', agreement_3: 'false', is_shipping_different: '' },
    { cc_month: 5, cc_year: 2030, cc_cvv: 123, cc_number: 4242424242424242 },
    { mobile_phone: 12025550123, post_code: 89501 },
  ])('6.13 may send real booleans and numbers: %j', async (changes) => {
    const answers = await filledForm(site)
    const reply = await site.post('enrollment/add-enrollment', { ...answers, ...changes })
    expect(reply.json().payment, reply.body).toBe('Approved')
  })

  it.each<[Record<string, unknown>, string]>([
    [{ product_ids: [34] }, 'product_ids'],
    [{ first_name: true }, 'first_name'],
    [{ agreement_1: false }, 'agreement_1'],
    [{ agreement_2: 'yes' }, 'agreement_2'],
    [{ cc_number: 4000000000000000006n }, 'cc_number'],
    [{ cc_month: 13 }, 'cc_month'],
    [{ cc_cvv: 12.5 }, 'cc_cvv'],
  ])('6.13 is told which value cannot be read', async (changes, field) => {
    const answers = JSON.stringify({ ...(await filledForm(site)), [field]: '?' })
    const value = Object.values(changes)[0]
    const text = typeof value === 'bigint' ? String(value) : JSON.stringify(value)
    const reply = await site.post('enrollment/add-enrollment', answers.replace('"?"', text))
    expect([reply.statusCode, Object.keys(reply.json().fields)]).toEqual([422, [field]])
  })

  it('6.13 sends a comma string for several packages, and each field once', async () => {
    const total = (text: string) => site.post('enrollment/orders', text, form)
    expect((await total('product_ids=34&autoship_product_ids=41')).json().grand_total).toBe('123.00')
    const twice = await total('product_ids=34&product_ids=35')
    expect([twice.statusCode, twice.json().fields]).toEqual([422, { product_ids: ['Please send this field once.'] }])
  })

  it('6.2 6.13 sends no form to any other call', async () => {
    for (const path of ['office/sign-in', 'console/sign-in', 'messages'])
      expect((await site.post(path, 'name=ana', form)).statusCode, path).toBeGreaterThanOrEqual(404)
    expect((await site.post('office/sign-in', 'name=ana', form)).statusCode).toBe(415)
  })
})

describe('a page on another site', () => {
  const others: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'null' },
  ]
  it.each([...others, { origin: 'https://elsewhere.example' }])('6.14 cannot post with %j', async (headers) => {
    const cookie = String((await site.get('/ana')).headers['set-cookie']).split(';')[0] ?? ''
    const answers = String(new URLSearchParams(await filledForm(site)))
    const before = await site.db.selectFrom('payment').select('reference').execute()
    for (const { path } of posts) {
      const reply = await site.post(path.slice(1), answers, { ...form, ...headers, cookie })
      expect([reply.statusCode, reply.headers['access-control-allow-origin']], path).toEqual([403, undefined])
    }
    expect(await site.db.selectFrom('payment').select('reference').execute()).toHaveLength(before.length)
  })

  it('6.14 may call if the operator names its origin, and only then', async () => {
    const ask = (origin: string) => open.get('/api/enrollment/get_enrollment_sponsor?sponsor_site=ana', { origin })
    for (const origin of [ORIGIN, 'http://localhost:8080'])
      expect((await ask(origin)).headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' })
    for (const origin of ['https://www.example.com.evil.example', 'http://www.example.com', 'null', '']) {
      const { headers } = await ask(origin)
      expect([headers['access-control-allow-origin'], headers.vary]).toEqual([undefined, 'Origin'])
    }
    expect((await ask(ORIGIN)).headers['access-control-allow-credentials']).toBeUndefined()
    const documents = await open.get('/api/enrollment/get-all-legal-documents', { origin: ORIGIN })
    expect(documents.headers.vary).toBe('Origin, accept-encoding')
  })

  it('6.14 asks before it sends JSON or a key, for these calls and no others', async () => {
    const preflight = (url: string, origin = ORIGIN, from = open) =>
      from.ask({ method: 'OPTIONS', url, headers: { origin, 'access-control-request-method': 'POST' } })
    for (const { path } of Object.values(calls)) {
      const { statusCode, headers } = await preflight(`/api${path.replace(':sponsor_site', 'ana')}`)
      expect([path, statusCode, headers['access-control-allow-origin']]).toEqual([path, 204, ORIGIN])
      expect(headers['access-control-allow-headers']).toBe('content-type, idempotency-key')
    }
    const stranger = await preflight('/api/enrollment/orders', 'https://elsewhere.example')
    expect(Object.keys(stranger.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    for (const url of ['/api/office/sign-in', '/api/console/sign-in', '/ana', '/api/openapi.json']) {
      const reply = await preflight(url)
      expect([url, reply.statusCode, reply.headers['access-control-allow-origin']]).toEqual([url, 404, undefined])
    }
    expect((await preflight('/api/enrollment/orders', ORIGIN, site)).statusCode).toBe(404)
  })

  it('6.14 is told what went wrong, too', async () => {
    const headers = { origin: ORIGIN, 'sec-fetch-site': 'cross-site' }
    const wrong = await open.post('enrollment/validate_email', {}, headers)
    const unread = await open.post('enrollment/validate_email', '{', headers)
    expect([wrong, unread].map((reply) => [reply.statusCode, reply.headers['access-control-allow-origin']])).toEqual([
      [422, ORIGIN],
      [400, ORIGIN],
    ])
  })

  it('5.14 6.14 enrolls without cookies: its key names the enrollment, also for a phone code', async () => {
    const headers = { origin: ORIGIN, 'sec-fetch-site': 'cross-site', 'idempotency-key': `${randomUUID()}.1` }
    const answers = await filledForm(open)
    const phone_number = String(answers.mobile_phone)
    const enroll = async () =>
      open.post('enrollment/add-enrollment', { ...answers, captcha: await open.captcha() }, headers)
    expect((await enroll()).json().fields).toEqual({ mobile_phone: ['Please verify your mobile phone number.'] })
    const captcha = await open.captcha()
    const sent = await open.post('twilio/send-verification-code', { phone_number, captcha }, headers)
    expect(sent.json().status, sent.body).toBe(1)
    expect(sent.headers['set-cookie']).toBeUndefined()
    const [message] = (await open.get(`/__outbox.json?to=${encodeURIComponent(phone_number)}`)).json()
    const code = /\d{6}/.exec(message.body)?.[0]
    expect((await open.post('twilio/verify-code', { phone_number, code }, headers)).json().status).toBe(1)
    const joined = await enroll()
    expect(joined.json().payment, joined.body).toBe('Approved')
    const status = await open.get('/api/enrollment/status', headers)
    expect(status.json()).toMatchObject({ state: 'approved', reply: { token: '' } })
  })
})
