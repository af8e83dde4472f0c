import { afterAll, describe, expect, it } from 'vitest'
import { phonesOf } from '#server/test/phones.ts'
import { filledForm, testSite } from '#server/test/site.ts'

const site = await testSite({ PHONE_VERIFICATION: 'on' })
afterAll(() => site.close())
const { codeTo, countOf, outbox, visitor } = phonesOf(site)
const checksUsed = () => countOf('LIMIT_CODE_CHECKS')

describe('a code', () => {
  it('5.1 comes by SMS, with the line for autofill, and confirms the number once', async () => {
    const { send, verify } = await visitor()
    expect((await send('+1 (202) 555-0101')).json()).toEqual({
      status: 1,
      message: 'Verification code has been successfully sent to your phone.',
    })
    const [message] = await outbox('+12025550101')
    const code = await codeTo('+12025550101')
    expect(message).toMatchObject({
      channel: 'sms',
      body: `Your Foyer code is ${code}. Never share it.\n\n@foyer.test #${code}`,
    })
    expect((await verify('+12025550101', '000000')).json()).toMatchObject({ status: 0 })
    expect((await verify('+12025550101', code)).json()).toEqual({
      status: 1,
      message: 'Your phone number has been successfully verified.',
    })
  })

  it('5.1 stays confirmed for the same visitor, whatever they type next, and for no other visitor', async () => {
    const [{ send, verify }, other] = [await visitor(), await visitor()]
    await send('+12025550109')
    const code = await codeTo('+12025550109')
    const wrong = code === '111111' ? '222222' : '111111'
    expect((await verify('+12025550109', code)).json().status).toBe(1)
    const used = await checksUsed()
    const { check } = site.world.sms
    site.world.sms.check = () => Promise.reject(new Error('checked although it is already confirmed'))
    for (const entry of [code, wrong, code])
      expect((await verify('+12025550109', entry)).json()).toEqual({
        status: 1,
        message: 'Your phone number has been successfully verified.',
      })
    site.world.sms.check = check
    expect(await checksUsed()).toBe(used)
    expect((await other.verify('+12025550109', code)).json().status).toBe(0)
    site.advance(30)
    await send('+12025550109')
    expect((await verify('+12025550109', wrong)).json().status, 'a new code must be confirmed again').toBe(0)
    expect((await verify('+12025550109', await codeTo('+12025550109'))).json().status).toBe(1)
  })

  it('5.1 that was right for one request is right for a concurrent one', async () => {
    const { send, verify } = await visitor()
    await send('+12025550177')
    const code = await codeTo('+12025550177')
    const { check } = site.world.sms
    const { promise: wait, resolve: resume } = Promise.withResolvers<void>()
    let checks = 0
    site.world.sms.check = async (...args) => {
      if (++checks === 1) await wait
      return check(...args)
    }
    const slow = verify('+12025550177', code)
    await expect.poll(() => checks).toBe(1)
    expect((await verify('+12025550177', code)).json().status).toBe(1)
    resume()
    expect((await slow).json().status).toBe(1)
    site.world.sms.check = check
  })

  it('5.2 can be sent again after 30 seconds', async () => {
    const { send } = await visitor()
    await send('+12025550102')
    site.advance(10)
    const early = await send('+12025550102')
    expect([early.statusCode, early.headers['retry-after'], early.json().message]).toEqual([
      429,
      '20',
      'Resend code in 20 seconds',
    ])
    expect(early.json().fields).toEqual({ code: ['Resend code in 20 seconds'] }) // the visitor has a code to enter
    site.advance(20)
    expect((await send('+12025550102')).json().status).toBe(1)
  })

  it('5.2 counts down only for a visitor who can still use it', async () => {
    const [{ send, verify }, other] = [await visitor(), await visitor()]
    const [one, another] = ['+12025550114', '+12025550115']
    await send(one)
    const code = await codeTo(one)
    site.advance(10)
    const wait = 'Please wait 20 seconds before you request a new code.'
    const refused = await other.send(one)
    expect([refused.statusCode, refused.headers['retry-after'], refused.json().message]).toEqual([429, '20', wait])
    expect(refused.json().fields).toBeUndefined()
    expect((await send(one)).json().message).toBe('Resend code in 20 seconds')
    expect((await send(another)).json().status).toBe(1)
    expect((await send(one)).json().message).toBe(wait)
    expect((await verify(one, code)).json().status).toBe(0)
  })

  it('5.2 is sent once for concurrent requests', async () => {
    const visitors = await Promise.all(Array.from({ length: 4 }, visitor))
    const replies = await Promise.all(visitors.map(({ send }) => send('+12025550108')))
    expect(replies.map((reply) => reply.statusCode).sort()).toEqual([200, 429, 429, 429])
    expect(await outbox('+12025550108')).toHaveLength(1)
  })

  it('5.4 is valid for ten minutes', async () => {
    const { send, verify } = await visitor()
    await send('+12025550116')
    site.advance(599)
    expect((await verify('+12025550116', await codeTo('+12025550116'))).json().status).toBe(1)
    await send('+12025550103')
    site.advance(601)
    expect((await verify('+12025550103', await codeTo('+12025550103'))).json()).toEqual({
      status: 0,
      message: 'This code has expired. Please request a new one.',
    })
  })

  it('5.4 is valid for five tries, even concurrent ones', async () => {
    const { send, verify } = await visitor()
    await send('+12025550104')
    const code = await codeTo('+12025550104')
    const wrong = code === '111111' ? '222222' : '111111'
    await Promise.all(Array.from({ length: 5 }, () => verify('+12025550104', wrong)))
    expect((await verify('+12025550104', code)).json()).toMatchObject({ status: 0 })
  })

  it('5.1 is accepted once by concurrent requests', async () => {
    const { send, verify } = await visitor()
    await send('+12025550105')
    const code = await codeTo('+12025550105')
    const before = await countOf('breaker codes', 'good')
    await Promise.all(Array.from({ length: 5 }, () => verify('+12025550105', code)))
    expect(await countOf('breaker codes', 'good')).toBe(before + 1)
    expect((await verify('+12025550105', code)).json().status).toBe(1)
  })

  it('5.6 can be spoken in a call', async () => {
    const { call, verify } = await visitor()
    expect((await call('+12025550106')).json()).toEqual({
      success: true,
      message: 'We’re calling your phone now. The call reads out a code.',
    })
    expect((await outbox('+12025550106'))[0].channel).toBe('call')
    expect((await verify('+12025550106', await codeTo('+12025550106'))).json().status).toBe(1)
  })

  it.each([
    ['+1202555', 'Invalid mobile phone number format.'],
    ['+12025550404', 'This number can’t receive our codes. Please use another number.'],
    ['+12025550429', 'Too many codes were requested for this number. Please try again in 10 minutes.'],
    ['+12025550403', 'We can’t send codes to this number. Please use another number.'],
    ['+12025550500', 'Error sending verification code'],
  ])('5.3 to %s is refused with a message', async (phone, message) => {
    const { send } = await visitor()
    const reply = await send(phone)
    expect([reply.statusCode, reply.json()]).toEqual([200, { status: 0, message }])
    expect(await outbox(phone)).toEqual([])
  })

  it('5.6 to a number without text messages can be spoken, if the operator offers calls', async () => {
    const calling = await testSite({ PHONE_VERIFICATION: 'on', VOICE_CALL: 'on' })
    const { send } = await phonesOf(calling).visitor()
    expect((await send('+12025550404')).json()).toEqual({
      status: 0,
      message: 'This number can’t receive text messages. Please try a call instead, or use another number.',
    })
    await calling.close()
  })

  it('6.4 is not sent to the same number too often', async () => {
    const replies = []
    for (let sends = 0; sends < 6; sends++) {
      replies.push(await (await visitor()).send('+12025550107'))
      site.advance(30)
    }
    expect(replies.map((reply) => reply.statusCode)).toEqual([200, 200, 200, 200, 200, 429])
  })
})

it('6.4 after too many wrong codes, the right one is refused too', async () => {
  const strict = await testSite({ PHONE_VERIFICATION: 'on', LIMIT_CODE_CHECKS: '1/3600' })
  const phone_number = '+12025550121'
  const sent = await strict.post('twilio/send-verification-code', { phone_number, captcha: await strict.captcha() })
  const cookie = String(sent.headers['set-cookie']).split(';')[0] ?? ''
  const [message] = (await strict.get(`/__outbox.json?to=${encodeURIComponent(phone_number)}`)).json()
  const code = /\b\d{6}\b/.exec(message.body)?.[0] ?? ''
  const verify = (code: string) => strict.post('twilio/verify-code', { phone_number, code }, { cookie })
  expect((await verify(code === '111111' ? '222222' : '111111')).json().status).toBe(0)
  expect((await verify(code)).statusCode).toBe(429)
  await strict.close()
})

it.each(['wrong', 'unknown'] as const)('6.4 concurrent checks cannot exceed the limit: %s', async (answer) => {
  const strict = await testSite({ PHONE_VERIFICATION: 'on', LIMIT_CODE_CHECKS: '3/3600' })
  let checks = 0
  strict.world.sms.check = async () => {
    checks++
    return answer
  }
  const { send, verify } = await phonesOf(strict).visitor()
  await send('+12025550122')
  const replies = await Promise.all(Array.from({ length: 12 }, () => verify('+12025550122', '000000')))
  expect(replies.filter(({ statusCode }) => statusCode === 429)).toHaveLength(9)
  expect(checks).toBe(3)
  await strict.close()
})

describe('with PHONE_VERIFICATION=on', () => {
  it('5.5 an enrollment needs its own confirmed number', async () => {
    const { cookie, send, verify } = await visitor()
    const enroll = async (mobile_phone: string) =>
      site.post('enrollment/add-enrollment', await filledForm(site, { mobile_phone }), { cookie })
    const refused = await enroll('+12025550111')
    expect([refused.statusCode, refused.json().fields]).toEqual([
      422,
      { mobile_phone: ['Please verify your mobile phone number.'] },
    ])
    await send('+12025550111')
    await verify('+12025550111', await codeTo('+12025550111'))
    expect((await enroll('+12025550112')).statusCode).toBe(422)
    expect((await enroll('+12025550111')).json().payment).toBe('Approved')
  })
  it('5.5 a number that was confirmed in one tab is confirmed in the other, and for no other visitor', async () => {
    const first = await visitor()
    const { cookie, send, verify } = await visitor() // the second tab: its cookie is the one that the browser keeps
    await send('+12025550113')
    await verify('+12025550113', await codeTo('+12025550113'))
    const page = decodeURIComponent(first.cookie).split('=')[1]?.split('.')[0]
    const pay = async (headers: Record<string, string>) =>
      site.post('enrollment/add-enrollment', await filledForm(site, { mobile_phone: '+12025550113' }), {
        'idempotency-key': `${page}.1`,
        ...headers,
      })
    expect((await pay({ cookie: first.cookie })).statusCode).toBe(422)
    expect((await pay({ cookie: `${cookie}x` })).statusCode, 'not signed by us').toBe(422)
    expect((await pay({ cookie })).json().payment).toBe('Approved')
  })

  it('5.13 a confirmed number serves one enrollment, and all retries of it', async () => {
    const { cookie, send, verify } = await visitor()
    const mobile_phone = '+12025550114'
    const confirm = async () => {
      await send(mobile_phone)
      await verify(mobile_phone, await codeTo(mobile_phone))
    }
    const [first, second, third] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
    const pay = async (enrollment: string, attempt: number, more: Record<string, string> = {}) =>
      (
        await site.post('enrollment/add-enrollment', await filledForm(site, { mobile_phone, ...more }), {
          cookie,
          'idempotency-key': `${enrollment}.${attempt}`,
        })
      ).json()
    await confirm()
    expect((await pay(first, 1, { cc_number: '4000000000000002' })).payment, 'a card that is declined').toBe('Declined')
    const refused = await pay(second, 1)
    expect(refused.fields).toEqual({ mobile_phone: ['Please verify your mobile phone number.'] })
    expect((await pay(first, 2)).payment, 'a retry').toBe('Approved')
    expect((await pay(third, 1)).fields, 'after the first has joined').toBeDefined()
    site.advance(31)
    await confirm()
    expect((await pay(second, 2)).payment, 'with another code').toBe('Approved')
    expect((await pay(third, 2)).fields).toBeDefined()
  })

  it('5.13 a confirmed number serves one of many simultaneous enrollments', async () => {
    const { cookie, send, verify } = await visitor()
    const mobile_phone = '+12025550115'
    await send(mobile_phone)
    await verify(mobile_phone, await codeTo(mobile_phone))
    const forms = await Promise.all(Array.from({ length: 8 }, () => filledForm(site, { mobile_phone })))
    const replies = await Promise.all(
      forms.map((form) =>
        site.post('enrollment/add-enrollment', form, { cookie, 'idempotency-key': `${crypto.randomUUID()}.1` }),
      ),
    )
    expect(replies.filter((reply) => reply.json().payment === 'Approved')).toHaveLength(1)
  })

  it('5.3 a number is the same with or without its domestic zero', async () => {
    const abroad = await testSite({
      PHONE_VERIFICATION: 'on',
      PHONE_COUNTRIES: 'GB,IT',
      LIMIT_CODES_BY_NUMBER: '1/3600',
    })
    const join = async (typed: string, dialed: string) => {
      const cookie = String((await abroad.get('/ana')).headers['set-cookie']).split(';')[0] ?? ''
      const send = async (path: string, more: object) => abroad.post(`twilio/${path}`, more, { cookie })
      await send('send-verification-code', { phone_number: typed, captcha: await abroad.captcha() })
      const [message] = (await abroad.get(`/__outbox.json?to=${encodeURIComponent(dialed)}`)).json()
      const code = /\b\d{6}\b/.exec(message.body)?.[0]
      expect((await send('verify-code', { phone_number: typed, code })).json().status).toBe(1)
      abroad.advance(30)
      const again = await send('verify-call', { cellphone: typed })
      expect(again.statusCode, 'counted as the same number').toBe(429)
      const form = await filledForm(abroad, { mobile_phone: typed })
      expect((await abroad.post('enrollment/add-enrollment', form, { cookie })).json().payment).toBe('Approved')
      return abroad.db
        .selectFrom('member')
        .select('mobile_phone')
        .where('email', '=', form.email ?? '')
        .executeTakeFirst()
    }
    expect(await join('+4407400123456', '+447400123456')).toEqual({ mobile_phone: '+447400123456' })
    expect(await join('+390612345678', '+390612345678')).toEqual({ mobile_phone: '+390612345678' })
    await abroad.close()
  })
})

describe('an enrollment', () => {
  const plain = testSite()
  afterAll(async () => (await plain).close())
  const join = async (mobile_phone: string) => {
    const site = await plain
    const form = await filledForm(site, { mobile_phone })
    const reply = (await site.post('enrollment/add-enrollment', form)).json()
    const member = site.db
      .selectFrom('member')
      .select('mobile_phone')
      .where('email', '=', form.email ?? '')
    return { reply, member: await member.executeTakeFirst() }
  }

  it.each([
    ['too short', '123456'],
    ['too short after its plus', '+123456'],
    ['too long', '123456789012345678901'],
    ['no number', '555-CALL-ME'],
  ])('5.9 6.1 with a number that is %s is refused on its field: %s', async (_, mobile_phone) => {
    const { reply } = await join(mobile_phone)
    expect(reply.fields).toEqual({ mobile_phone: ['Invalid mobile phone number format.'] })
  })

  it.each([
    ['too short without its dial code', '+1123456'],
    ['of no country', '+99999999999'],
    ['too long for its country', '+52155123456789'],
    ['without a dial code, and not American', '1234567'],
  ])('5.9 where codes are sent, with a number that is %s is refused on its field: %s', async (_, mobile_phone) => {
    const form = await filledForm(site, { mobile_phone })
    const { fields } = (await site.post('enrollment/add-enrollment', form)).json()
    expect(fields).toEqual({ mobile_phone: ['Invalid mobile phone number format.'] })
  })

  it.each([
    ['5550123', '5550123'],
    ['+15550123', '+15550123'],
    ['12345678901234567890', '12345678901234567890'],
    ['+12345678901234567890', '+12345678901234567890'],
    ['2025550123', '+12025550123'],
    ['12025550123', '+12025550123'],
    ['447400123456', '+447400123456'],
    ['+50051234', '+50051234'],
    ['+525512345678', '+525512345678'],
  ])('5.9 6.1 5.3 with %s stores %s', async (typed, mobile_phone) => {
    const { reply, member } = await join(typed)
    expect([reply.payment, member]).toEqual(['Approved', { mobile_phone }])
  })
})
