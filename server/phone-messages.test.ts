import { afterAll, describe, expect, it } from 'vitest'
import { phonesOf } from './test/phones.ts'
import { testSite } from './test/site.ts'

const site = await testSite({ PHONE_VERIFICATION: 'on' })
afterAll(() => site.close())
const { codeTo, visitor } = phonesOf(site)

describe('a message costs money', () => {
  it('5.7 the first code of an enrollment needs a solved captcha, the others do not', async () => {
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
    site.pass(30)
    expect((await send({})).json().status).toBe(1)
  })

  it('5.7 it goes to the operator’s countries only', async () => {
    const { send } = await visitor()
    for (const phone of ['+18765550123', '+447700900123', '+882123456789'])
      expect((await send(phone)).json()).toEqual({
        status: 0,
        message: 'Codes cannot be sent to this country. Please use another number.',
      })
    expect((await send('+14165550123')).json().status).toBe(1)
  })

  it.each(['+17872345678', '+16713001234', '+13406421234', '+16847331234', '+16702345678'])(
    '5.7 it goes to the territories that the form offers: %s',
    async (phone) => expect((await (await visitor()).send(phone)).json().status).toBe(1),
  )

  it('5.1 a code belongs to who asked for it, and is void when the number changes', async () => {
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
  ])('6.4 no more go to %s than the operator allows, and the refusal is the spec’s own', async (_, env, number) => {
    const strict = await testSite(env)
    const page = String((await strict.get('/ana')).headers['set-cookie']).split(';')[0] ?? ''
    const replies = []
    for (let sends = 1; sends <= 3; sends++)
      replies.push(
        await strict.post(
          'twilio/send-verification-code',
          { phone_number: number(sends), captcha: await strict.captcha() },
          { cookie: page },
        ),
      )
    expect(replies.map((reply) => reply.statusCode)).toEqual([200, 200, 429])
    expect(replies[2]?.json()).toMatchObject({ status: 0, message: expect.stringMatching(/^That was tried too often/) })
    expect(Number(replies[2]?.headers['retry-after'])).toBeGreaterThan(0)
    await strict.close()
  })

  it.each(['LIMIT_CODES_BY_ADDRESS', 'LIMIT_CODES_BY_ENROLLMENT'])(
    '6.4 one that the vendor refuses is none, but asking for it counts: %s',
    async (limit) => {
      const few = { LIMIT_CODES_BY_NUMBER: '1/3600', LIMIT_CODES_BY_BLOCK: '2/3600', LIMIT_CODES: '2/86400' }
      const strict = await testSite({ ...few, [limit]: '3/3600' })
      const cookie = String((await strict.get('/ana')).headers['set-cookie']).split(';')[0] ?? ''
      const send = async (phone_number: string) => {
        const asked = { phone_number, captcha: await strict.captcha() }
        return (await strict.post('twilio/send-verification-code', asked, { cookie })).statusCode
      }
      const blocked = '+12025550403'
      expect([await send(blocked), await send(blocked), await send('+12025550171')]).toEqual([200, 200, 200])
      expect(await send('+12025550172')).toBe(429)
      await strict.close()
    },
  )

  it('6.6 when nobody confirms them, no more are sent for a while', async () => {
    const strict = await testSite({ BREAKER_CODES: '3/3600/70', BREAKER_SECONDS: '600' })
    const send = async (n: number) =>
      strict.post('twilio/send-verification-code', {
        phone_number: `+12025${n}50125`,
        captcha: await strict.captcha(),
      })
    for (let sends = 1; sends <= 3; sends++) expect((await send(sends)).json().status).toBe(1)
    strict.pass(1200) // they have had their time
    expect((await send(4)).json().status).toBe(1)
    const refused = await send(6)
    expect([refused.statusCode, refused.headers['retry-after'], refused.json().message]).toEqual([
      429,
      '600',
      'Codes cannot be sent at the moment. Please wait 10 minutes and try again.',
    ])
    strict.pass(601)
    expect((await send(5)).json().status).toBe(1)
    await strict.close()
  })

  it('6.6 many at once that nobody confirms are not waited for; confirmed ones trip nothing', async () => {
    const strict = await testSite({ BREAKER_CODES: '2/3600/70' })
    const send = async (n: number) =>
      strict.post('twilio/send-verification-code', {
        phone_number: `+1202${300 + n}0125`,
        captcha: await strict.captcha(),
      })
    for (let sends = 0; sends < 12; sends++) {
      const sent = await send(sends)
      const cookie = String(sent.headers['set-cookie']).split(';')[0] ?? ''
      const phone_number = `+1202${300 + sends}0125`
      const [message] = (await strict.get(`/__outbox.json?to=${encodeURIComponent(phone_number)}`)).json()
      const code = /\b\d{6}\b/.exec(message.body)?.[0]
      expect((await strict.post('twilio/verify-code', { phone_number, code }, { cookie })).json().status).toBe(1)
    }
    strict.pass(7200)
    for (let sends = 20; sends < 28; sends++) expect((await send(sends)).json().status).toBe(1)
    expect((await send(40)).statusCode).toBe(429)
    await strict.close()
  })
})

it('6.6 one phone that confirms again and again makes up for nobody else’s messages, and solves one captcha', async () => {
  const site = await testSite()
  const send = async (phone_number: string, headers = {}) =>
    site.post('twilio/send-verification-code', { phone_number, captcha: await site.captcha() }, headers)
  for (const stranger of ['+12025550161', '+12025550162', '+12025550163']) await send(stranger)
  const phone_number = '+12025550164'
  const cookie = String((await send(phone_number)).headers['set-cookie']).split(';')[0] ?? ''
  for (let round = 0; round < 3; round++) {
    const [message] = (await site.get(`/__outbox.json?to=${encodeURIComponent(phone_number)}`)).json()
    const code = /\b\d{6}\b/.exec(message.body)?.[0]
    expect((await site.post('twilio/verify-code', { phone_number, code }, { cookie })).json().status).toBe(1)
    site.pass(30)
    expect((await site.post('twilio/send-verification-code', { phone_number }, { cookie })).json().status).toBe(1)
  }
  const bad = site.db
    .selectFrom('limit_count')
    .select('count')
    .where('name', '=', 'breaker codes')
    .where('key', '=', 'bad')
  expect(await bad.execute()).toEqual([{ count: 3 + 1 }]) // theirs, and the last one, which is not confirmed yet
  await site.close()
})
