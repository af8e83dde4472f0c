import { afterAll, describe, expect, it } from 'vitest'
import { openBreaker, recordDecline, secondsOpen } from '#server/abuse/breaker.ts'
import { phonesOf } from '#server/test/phones.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { deleteExpired } from '#server/worker/janitor.ts'

const site = await testSite({ PHONE_VERIFICATION: 'on' })
afterAll(() => site.close())
const { codeTo, visitor } = phonesOf(site)

const settings = { PHONE_VERIFICATION: 'on', TRUST_PROXY: 'loopback' }

/** Visitors by number, each with a phone and a network of their own. */
function visitorsOf(site: Site) {
  const { codeTo } = phonesOf(site)
  const phoneOf = (n: number) => `+1202${300 + n}0125`
  const addressOf = (n: number) => `203.0.${n}.7`
  return {
    send: async (n: number, address = addressOf(n)) =>
      site.post(
        'twilio/send-verification-code',
        { phone_number: phoneOf(n), captcha: await site.captcha() },
        { 'x-forwarded-for': address },
      ),
    confirm: async (n: number, sent: Awaited<ReturnType<Site['post']>>) =>
      site.post(
        'twilio/verify-code',
        { phone_number: phoneOf(n), code: await codeTo(phoneOf(n)) },
        { 'x-forwarded-for': addressOf(n), cookie: String(sent.headers['set-cookie']).split(';')[0] ?? '' },
      ),
  }
}

const openBreakerFor = ({ db, world }: Site, seconds: number) =>
  openBreaker(db, world.now(), 'codes', new Date(world.now().getTime() + seconds * 1000))

describe('a phone code', () => {
  it('5.7 needs a solved captcha if it is the first of an enrollment', async () => {
    const { cookie } = await visitor()
    const send = (more: object) =>
      site.post('twilio/send-verification-code', { phone_number: '+12025550131', ...more }, { cookie })
    const refused = await send({})
    expect([refused.statusCode, refused.json()]).toEqual([
      422,
      {
        status: 0,
        success: false,
        message: 'Please confirm the captcha.',
        fields: { captcha: ['Please confirm the captcha.'] },
      },
    ])
    expect((await send({ captcha: await site.captcha() })).json().status).toBe(1)
    site.advance(30)
    expect((await send({})).json().status).toBe(1)
  })

  it('5.7 is only sent to the operator’s countries', async () => {
    const { send } = await visitor()
    for (const phone of ['+18765550123', '+447700900123', '+882123456789'])
      expect((await send(phone)).json()).toEqual({
        status: 0,
        message: 'We can’t send a code to this country. Please use a mobile number from the United States or Canada.',
      })
    expect((await send('+14165550123')).json().status).toBe(1)
  })

  it.each(['+17872345678', '+16713001234', '+13406421234', '+16847331234', '+16702345678'])(
    '5.7 is sent to the territories in the form: %s',
    async (phone) => expect((await (await visitor()).send(phone)).json().status).toBe(1),
  )

  it('5.1 belongs to the visitor who requested it, and is void when the number changes', async () => {
    const [one, other] = [await visitor(), await visitor()]
    await one.send('+12025550132')
    const code = await codeTo('+12025550132')
    expect((await other.verify('+12025550132', code)).json().status).toBe(0)
    await one.send('+12025550133')
    expect((await one.verify('+12025550132', code)).json().status).toBe(0)
    expect((await one.verify('+12025550133', await codeTo('+12025550133'))).json().status).toBe(1)
  })

  it.each([
    ['a block of numbers', { LIMIT_CODES_BY_BLOCK: '2/3600' }, (n: number) => `+1202555012${n}`],
    ['a day', { LIMIT_CODES: '2/86400' }, (n: number) => `+12025${n}50123`],
    ['one enrollment', { LIMIT_CODES_BY_ENROLLMENT: '2/3600' }, (n: number) => `+12025${n}50124`],
  ])(
    '6.4 is not sent more often to %s than the operator allows; the refusal is the spec’s own',
    async (_, env, number) => {
      const strict = await testSite({ PHONE_VERIFICATION: 'on', ...env })
      const { send } = await phonesOf(strict).visitor()
      const replies = [await send(number(1)), await send(number(2)), await send(number(3))]
      expect(replies.map((reply) => reply.statusCode)).toEqual([200, 200, 429])
      expect(replies[2]?.json()).toMatchObject({ status: 0, message: expect.stringMatching(/^Too many attempts\./) })
      expect(Number(replies[2]?.headers['retry-after'])).toBeGreaterThan(0)
      await strict.close()
    },
  )

  it.each(['LIMIT_CODES_BY_ADDRESS', 'LIMIT_CODES_BY_ENROLLMENT'])(
    '6.4 that the vendor refuses does not count as sent, but as requested: %s',
    async (limit) => {
      const limits = { LIMIT_CODES_BY_NUMBER: '1/3600', LIMIT_CODES_BY_BLOCK: '2/3600', LIMIT_CODES: '2/86400' }
      const strict = await testSite({ PHONE_VERIFICATION: 'on', ...limits, [limit]: '3/3600' })
      const { send } = await phonesOf(strict).visitor()
      for (const number of ['+12025550403', '+12025550403', '+12025550171'])
        expect((await send(number)).statusCode).toBe(200)
      expect((await send('+12025550172')).statusCode).toBe(429)
      await strict.close()
    },
  )

  it('6.6 is sent only a few times for a while if none is confirmed, and each confirmed one makes room', async () => {
    const strict = await testSite({ ...settings, BREAKER_CODES: '3/3600/70', BREAKER_SECONDS: '600' })
    const { send, confirm } = visitorsOf(strict)
    for (let sends = 1; sends <= 3; sends++) expect((await send(sends)).json().status).toBe(1)
    strict.advance(1200) // past the time to confirm
    expect((await send(4)).json().status).toBe(1)
    const honest = await send(5)
    expect(honest.json().status).toBe(1)
    const refused = await send(6)
    expect([refused.statusCode, refused.headers['retry-after'], refused.json().message]).toEqual([
      429,
      '600',
      'We can’t send codes right now. Please try again in about 10 minutes.',
    ])
    expect((await confirm(5, honest)).json().status).toBe(1)
    expect((await send(7)).json().status).toBe(1)
    expect((await send(8)).statusCode).toBe(429)
    strict.advance(601)
    for (const n of [6, 8]) expect((await send(n)).json().status).toBe(1)
    await strict.close()
  })

  it('6.6 is then sent to one network at most twice a day', async () => {
    const strict = await testSite({ ...settings, BREAKER_CODES: '40/3600/70' })
    const { send } = visitorsOf(strict)
    await openBreakerFor(strict, 600)
    const replies = await Promise.all([1, 2, 3, 4].map((n) => send(n, '2001:db8:7:1::1')))
    expect(replies.filter(({ statusCode }) => statusCode === 200)).toHaveLength(2)
    expect((await send(5, '2001:db8:7:2::1')).statusCode, 'the same network').toBe(429)
    expect((await send(6)).json().status).toBe(1)
    await strict.close()
  })

  it('6.6 is sent without a reduced quota once the breaker is switched off', async () => {
    const strict = await testSite({ ...settings, BREAKER_CODES: 'off' })
    const { send } = visitorsOf(strict)
    await openBreakerFor(strict, 600)
    for (let n = 1; n <= 3; n++) expect((await send(n, '2001:db8:7:1::1')).json().status).toBe(1)
    await strict.close()
  })

  it('6.6 that was sent while the breaker was closed makes no room', async () => {
    const strict = await testSite({ ...settings, BREAKER_CODES: '4/3600/70' })
    const { send, confirm } = visitorsOf(strict)
    await openBreakerFor(strict, 10)
    const reduced = await send(2)
    expect([reduced.json().status, (await send(3)).statusCode]).toEqual([1, 429])
    strict.advance(30)
    expect((await confirm(4, await send(4))).json().status).toBe(1)
    await openBreakerFor(strict, 10)
    expect((await send(3)).statusCode).toBe(429)
    strict.advance(30)
    expect((await confirm(2, reduced)).json().status).toBe(1)
    await openBreakerFor(strict, 10)
    expect((await send(3)).json().status).toBe(1)
    await strict.close()
  })

  it('6.6 of one network alone does not stop those of others', async () => {
    const strict = await testSite({ ...settings, BREAKER_CODES: '5/3600/70' })
    const { send } = visitorsOf(strict)
    for (let sends = 0; sends < 22; sends++) expect((await send(sends, `2001:db8:7:${sends}::1`)).json().status).toBe(1)
    strict.advance(1200)
    for (let sends = 30; sends < 34; sends++) expect((await send(sends)).json().status).toBe(1)
    expect(await secondsOpen(strict.world, 'codes')).toBeUndefined()
    await strict.close()
  })

  it('6.6 opens the breaker at once if very many are sent, unless they are confirmed', async () => {
    const strict = await testSite({ ...settings, BREAKER_CODES: '2/3600/70' })
    const { send, confirm } = visitorsOf(strict)
    for (let sends = 0; sends < 12; sends++) expect((await confirm(sends, await send(sends))).json().status).toBe(1)
    strict.advance(7200)
    for (let sends = 20; sends < 28; sends++) expect((await send(sends)).json().status).toBe(1)
    expect((await send(40)).json().status, 'the reduced quota').toBe(1)
    expect((await send(41)).statusCode).toBe(429)
    await strict.close()
  })

  it('5.2 leaves no row behind when the wait for the next one is over', async () => {
    const plain = await testSite(settings)
    const waiting = () => plain.db.selectFrom('lease').select('key').where('name', '=', 'code').execute()
    await visitorsOf(plain).send(1)
    await deleteExpired(plain.world)
    expect(await waiting()).toHaveLength(1)
    plain.advance(31)
    await deleteExpired(plain.world)
    expect(await waiting()).toEqual([])
    await plain.close()
  })

  it('6.4 cannot be used to check more captchas than an address may request', async () => {
    const strict = await testSite({ PHONE_VERIFICATION: 'on', LIMIT_CHALLENGES: '3/3600' })
    let checks = 0
    strict.world.captcha.verify = async () => {
      checks++
      return false
    }
    const send = () =>
      strict.post('twilio/send-verification-code', { phone_number: '+12025550136', captcha: 'made up' })
    const replies = await Promise.all(Array.from({ length: 9 }, send))
    expect(replies.filter(({ statusCode }) => statusCode === 429)).toHaveLength(6)
    expect(checks).toBe(3)
    await strict.close()
  })
})

describe('5.8 if phones need not be confirmed', () => {
  it.each(['+12025550137', '+525512345678'])(
    '5.8 the calls say so in their own shape, and send nothing: %s',
    async (phone) => {
      const plain = await testSite()
      const reply = { message: 'No code is needed right now. You can continue without one.', code_needed: false }
      const send = await plain.post('twilio/send-verification-code', { phone_number: phone })
      expect([send.statusCode, send.json()]).toEqual([200, { status: 0, ...reply }])
      const call = await plain.post('twilio/verify-call', { cellphone: phone })
      expect([call.statusCode, call.json()]).toEqual([200, { success: false, ...reply }])
      const verify = await plain.post('twilio/verify-code', { phone_number: phone, code: '123456' })
      expect([verify.statusCode, verify.json()]).toEqual([200, { status: 0, message: expect.any(String) }])
      expect(await phonesOf(plain).outbox(phone)).toEqual([])
      await plain.close()
    },
  )

  it('5.8 codes are sent while too many cards are declined, and for an hour after', async () => {
    const plain = await testSite({ BREAKER_DECLINES: '1/600/50', BREAKER_SECONDS: '600' })
    const { send } = await phonesOf(plain).visitor()
    await recordDecline(plain.world, 'a network')
    expect((await send('+12025550138')).json().status).toBe(1)
    plain.advance(600 + 3599)
    await deleteExpired(plain.world)
    expect((await send('+12025550138')).json().status).toBe(1)
    plain.advance(31)
    expect((await send('+12025550138')).json().code_needed).toBe(false)
    await plain.close()
  })

  it('5.8 codes are sent to a network whose own cards need them, and allow the payment', async () => {
    const plain = await testSite({ BREAKER_DECLINES: '2/600/50' })
    for (let n = 0; n < 2; n++) await recordDecline(plain.world, '127.0.0.1')
    const { codeTo, visitor } = phonesOf(plain)
    const { cookie, send, verify } = await visitor()
    const pay = async () =>
      plain.post('enrollment/add-enrollment', await filledForm(plain, { mobile_phone: '+12025550139' }), { cookie })
    expect((await pay()).json().fields).toHaveProperty('code')
    expect((await send('+12025550139')).json().status).toBe(1)
    expect((await verify('+12025550139', await codeTo('+12025550139'))).json().status).toBe(1)
    expect((await pay()).json().payment).toBe('Approved')
    await plain.close()
  })

  it('5.8 that network can still get one an hour later', async () => {
    const plain = await testSite({ BREAKER_DECLINES: '2/600/50' })
    for (let n = 0; n < 2; n++) await recordDecline(plain.world, '127.0.0.1')
    const { send } = await phonesOf(plain).visitor()
    plain.advance(86_400 + 2400)
    await deleteExpired(plain.world)
    expect((await send('+12025550140')).json().status).toBe(1)
    plain.advance(1800)
    expect((await send('+12025550140')).json().code_needed).toBe(false)
    await plain.close()
  })

  it('5.11 a visitor whose country gets no codes is told both ways on, and may pay as soon as no card needs one', async () => {
    const plain = await testSite({ BREAKER_DECLINES: '1/600/50', BREAKER_SECONDS: '600' })
    const { cookie, send } = await phonesOf(plain).visitor()
    const pay = async () =>
      plain.post('enrollment/add-enrollment', await filledForm(plain, { mobile_phone: '+525512345678' }), { cookie })
    await recordDecline(plain.world, 'a network')
    const message =
      'Right now we confirm phone numbers with a code before we charge a card, and we can’t send one to this country. Please use a mobile number from the United States or Canada, or try again in about 10 minutes.'
    expect((await pay()).json().fields).toEqual({ code: [expect.any(String)], mobile_phone: [message] })
    expect((await send('+525512345678')).json()).toEqual({ status: 0, message })
    plain.advance(600)
    expect((await send('+525512345678')).json().code_needed, 'without the hour of other numbers').toBe(false)
    expect((await pay()).json().payment).toBe('Approved')
    await plain.close()
  })

  it('5.11 a network with many declines of its own counts for a day', async () => {
    const plain = await testSite({ BREAKER_DECLINES: '2/600/50' })
    for (let n = 0; n < 2; n++) await recordDecline(plain.world, '127.0.0.1')
    const { send } = await phonesOf(plain).visitor()
    expect((await send('+525512345678')).json().message).toMatch(/or try again tomorrow\.$/)
    await plain.close()
  })
})

it('6.6 repeated confirmations of a phone offset only its own messages, and need one captcha', async () => {
  const site = await testSite({ PHONE_VERIFICATION: 'on' })
  const send = async (phone_number: string, headers = {}) =>
    site.post('twilio/send-verification-code', { phone_number, captcha: await site.captcha() }, headers)
  for (const stranger of ['+12025550161', '+12025550162', '+12025550163']) await send(stranger)
  const phone_number = '+12025550164'
  const cookie = String((await send(phone_number)).headers['set-cookie']).split(';')[0] ?? ''
  for (let round = 0; round < 3; round++) {
    const [message] = (await site.get(`/__outbox.json?to=${encodeURIComponent(phone_number)}`)).json()
    const code = /\b\d{6}\b/.exec(message.body)?.[0]
    expect((await site.post('twilio/verify-code', { phone_number, code }, { cookie })).json().status).toBe(1)
    site.advance(30)
    expect((await site.post('twilio/send-verification-code', { phone_number }, { cookie })).json().status).toBe(1)
  }
  const failures = site.db
    .selectFrom('limit_count')
    .select('count')
    .where('name', '=', 'breaker codes')
    .where('key', '!=', 'good')
  expect(await failures.execute()).toEqual([{ count: 3 + 1 }]) // the strangers' codes, and the last one, which is not confirmed yet
  await site.close()
})
