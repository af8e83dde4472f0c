import { once } from 'node:events'
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { calls } from '#contract/api.ts'
import { validAnswers } from '#server/test/answers.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { solve } from '#server/test/solve-captcha.ts'

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())

describe('invalid input', () => {
  it('6.1 gets a 422 with the owner’s message for every field', async () => {
    const reply = await site.post('enrollment/add-enrollment', {})
    expect(reply.statusCode).toBe(422)
    expect(reply.json()).toEqual({
      message: 'Please check the marked fields.',
      fields: {
        sponsor_site_name: ['Please use a sponsor link.'],
        first_name: ['Please enter your first name.'],
        last_name: ['Please enter your last name.'],
        email: ['Please enter your email address.'],
        address: ['Please enter your address.'],
        city: ['Please enter your city.'],
        country: ['Please select a country.'],
        state: ['Please select a state.'],
        mobile_phone: ['Please enter your mobile phone number.'],
        post_code: ['Please enter your Post / ZIP code.'],
        username: ['Please enter your username.'],
        password: ['Please enter your password.'],
        agreement_1: ['Please confirm all the agreements.'],
        agreement_2: ['Please confirm all the agreements.'],
        cc_number: ['Please enter your credit card number.'],
        cc_month: ['Please select the expiration month.'],
        cc_year: ['Please select the expiration year.'],
        cc_cvv: ['Please enter the CVC.'],
        captcha: ['Please confirm the captcha.'],
      },
    })
  })

  const json = { 'content-type': 'application/json' }
  it.each([
    ['malformed JSON', { payload: '{"a":', headers: json }, 400],
    ['an empty body', { payload: '', headers: json }, 400],
    ['a list', { payload: '[]', headers: json }, 400],
    ['null', { payload: 'null', headers: json }, 400],
    ['a poisoned prototype', { payload: '{"__proto__":{"a":1}}', headers: json }, 400],
    ['a form with files', { payload: 'a=1', headers: { 'content-type': 'multipart/form-data; boundary=x' } }, 415],
    ['plain text', { payload: '{}', headers: { 'content-type': 'text/plain' } }, 415],
    ['more than 64 kB', { payload: JSON.stringify({ first_name: 'x'.repeat(65_536) }), headers: json }, 413],
  ])('6.2 %s gets one sentence', async (_what, request, status) => {
    const reply = await site.ask({ method: 'POST', url: '/api/enrollment/orders', ...request })
    expect(reply.statusCode).toBe(status)
    expect(Object.keys(reply.json())).toEqual(['message'])
  })

  it('6.2 for an unknown call gets a 404 in JSON', async () => {
    for (const url of ['/api/nothing', '/api', '/api/enrollment/orders/1']) {
      const reply = await site.get(url)
      expect([reply.statusCode, reply.json()]).toEqual([404, { message: 'There is nothing at this address.' }])
    }
    expect((await site.get('/api/enrollment/orders')).statusCode).toBe(404)
  })

  it('6.2 by TRACE is not sent back', async () => {
    for (const url of ['/ana', '/api/enrollment/orders', '/office']) {
      const reply = await site.ask({ method: 'TRACE' as 'GET', url, headers: { 'x-marked': 'echo-me' } })
      expect(reply.statusCode, url).toBe(404)
      expect(reply.body, url).not.toContain('echo-me')
    }
  })

  it('6.2 in the URL gets a reply too', async () => {
    for (const url of ['/api/%', '/%E0%A4%A', '/a/b', '/..%2f..%2fetc']) {
      const reply = await site.get(url)
      expect(reply.statusCode, url).toBeGreaterThanOrEqual(400)
      expect(reply.statusCode, url).toBeLessThan(500)
      expect(reply.headers['x-content-type-options'], url).toBe('nosniff')
      expect(reply.body, url).not.toMatch(/FST_ERR|%/)
    }
  })

  const posts = Object.values(calls).filter(({ method }) => method === 'POST')
  it('6.3 never causes a 5xx, nor shows a stack or SQL', async () => {
    const form = await filledForm(site)
    const values = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom("'; drop table member; --", '\u0000', '\ud800', '😀'.repeat(40), '{{7*7}}', '٣٤'),
      fc.jsonValue(),
      fc.bigInt().map(String),
    )
    const bodies = fc.tuple(
      fc.constantFrom(...posts),
      fc.dictionary(fc.constantFrom(...Object.keys(form), 'code', 'phone_number', 'cellphone', 'x'), values),
    )
    await fc.assert(
      fc.asyncProperty(bodies, async ([{ path }, changes]) => {
        const captcha = await site.captcha() // otherwise the other fields would not reach the database
        const reply = await site.post(path.slice(1), JSON.stringify({ ...form, captcha, ...changes }))
        expect(reply.statusCode, reply.body).toBeLessThan(500)
        expect(reply.body).not.toMatch(
          /\bat .*\.ts:\d|insert into|select \*|violates|constraint|syntax error|node_modules/,
        )
      }),
      { numRuns: 150 },
    )
  })

  it('6.3 a bug shows one sentence, and its details are in the log', async () => {
    const broken = await testSite()
    await broken.db.schema.dropTable('page_hit').execute()
    const agent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156 Safari/537.36'
    const reply = await broken.get('/api/replicated-sites/page-hits/ana', { host: 'foyer.test', 'user-agent': agent })
    expect([reply.statusCode, reply.json()]).toEqual([
      500,
      { message: 'Something went wrong on our side. Please try again in a moment.' },
    ])
    expect(broken.log()).toContain('page_hit')
    await broken.close()
  })
})

it('6.3 a lone surrogate is refused, and the input is not logged', async () => {
  const reply = await site.post('enrollment/add-enrollment', `{"first_name":"A\\ud800B","password":"Secret-77-x"}`)
  expect(reply.json().fields.first_name).toEqual(['Please use only letters, numbers and symbols.'])
  site.world.log.error({ err: Object.assign(new Error('no'), { params: ['Secret-77-x'], query: 'insert' }) }, 'x')
  expect(site.log()).not.toContain('Secret-77-x')
})

it('6.4 says when to try again after too many attempts', async () => {
  const strict = await testSite({ LIMIT_LOOKUPS: '3/60' })
  const lookup = () => strict.post('enrollment/validate_username', { username: 'ana' })
  const replies = [await lookup(), await lookup(), await lookup(), await lookup()]
  expect(replies.map((reply) => reply.statusCode)).toEqual([200, 200, 200, 429])
  const [last] = replies.slice(-1)
  expect(last?.json()).toEqual({ message: 'Too many attempts. Please try again in a minute.' })
  expect(last?.headers['retry-after']).toBe('60')
  strict.advance(60)
  expect((await lookup()).statusCode).toBe(200)
  await strict.close()
})

describe('every limit', () => {
  const phone = { phone_number: '+12025550199' }
  const form = { ...validAnswers('limited'), captcha: 'none' }
  type Send = (strict: Site) => ReturnType<Site['get']>
  const calls: [string, Send][] = [
    ['LIMIT_ENROLLMENTS', (strict) => strict.post('enrollment/add-enrollment', form)],
    ['LIMIT_CHALLENGES', (strict) => strict.get('/api/captcha/challenge')],
    ['LIMIT_LOOKUPS', (strict) => strict.post('enrollment/validate_email', { email: 'a@b.example' })],
    [
      'LIMIT_CODES_BY_ADDRESS',
      async ({ world, post }) => {
        const captcha = await solve((await world.captcha.challenge()) as never)
        return post('twilio/send-verification-code', { ...phone, captcha }, { 'x-forwarded-for': '203.0.113.7' })
      },
    ],
    ['LIMIT_CODE_CHECKS', (strict) => strict.post('twilio/verify-code', { ...phone, code: '000000' })],
    ['LIMIT_GRANTS', (strict) => strict.post('office/session', { token: 'x' })],
  ]
  let strict: Site
  beforeAll(async () => {
    const once = Object.fromEntries(calls.map(([name]) => [name, '1/86400']))
    strict = await testSite({ ...once, PHONE_VERIFICATION: 'on', TRUST_PROXY: 'loopback' })
  })
  afterAll(() => strict.close())

  it.each(calls)('6.4 %s is enforced', async (_name, send) => {
    expect((await send(strict)).statusCode).not.toBe(429)
    strict.advance(31)
    const second = await send(strict)
    expect([second.statusCode, Number(second.headers['retry-after']) > 0]).toEqual([429, true])
  })
})

it('6.5 a client that never finishes its headers is disconnected', async () => {
  const slow = await testSite()
  await slow.app.listen({ port: 0, host: '127.0.0.1' })
  const address = slow.app.server.address()
  const socket = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1')
  await once(socket, 'connect')
  socket.write('GET /livez HTTP/1.1\r\nHost: a\r\n')
  socket.resume()
  await once(socket, 'close')
  await slow.close()
}, 20_000)
