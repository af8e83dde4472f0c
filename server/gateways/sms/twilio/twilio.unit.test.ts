import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { differentCode, testSmsAdapter } from '#emulators/adapter-tests/sms.ts'
import { faults, twilioEmulator } from '#emulators/twilio.ts'
import { freePort } from '../../../../scripts/port.mjs'
import { twilioVerify } from './twilio.ts'

const keys = {
  account_sid: `AC${'0123456789abcdef'.repeat(2)}`,
  auth_token: 'token-that-nobody-may-read',
  service_sid: `VA${'fedcba9876543210'.repeat(2)}`,
}

/** The adapter connected to the emulator, with the same clock and a recorded log. A busy machine may take its time. */
async function startEmulatedGateway() {
  let time = new Date('2026-11-15T12:00:00Z').getTime()
  const emulator = await twilioEmulator({ ...keys, port: await freePort(), now: () => new Date(time) })
  const lines: string[] = []
  const log = { error: (details: object, message: string) => lines.push(JSON.stringify({ ...details, message })) }
  const gatewayWith = (changes: object) =>
    twilioVerify({ ...keys, base_url: emulator.url, deadline_seconds: 60, log, ...changes })
  return {
    emulator,
    lines,
    gatewayWith,
    gateway: gatewayWith({}),
    hurried: gatewayWith({ deadline_seconds: 0.2 }),
    codeTo: async (mobile_phone: string) => emulator.sent.findLast(({ to }) => to === mobile_phone)?.code ?? '',
    advance: (seconds: number) => {
      time += seconds * 1000
    },
    close: emulator.close,
  }
}

testSmsAdapter('twilio', startEmulatedGateway)

const { emulator, lines, gateway, hurried, gatewayWith, codeTo, advance } = await startEmulatedGateway()
afterAll(emulator.close)
beforeEach(() => {
  emulator.fail(undefined)
  emulator.answerChecksWith(undefined)
  emulator.received.length = 0
  lines.length = 0
})

let numbers = 0
const newNumber = () => `+1202556${String(1000 + numbers++)}`

const sentTo = async (mobile_phone: string) => {
  expect(await gateway.send(mobile_phone, 'sms')).toBe('sent')
  return codeTo(mobile_phone)
}

describe('a request', () => {
  it('is a form with a number and a channel, or a number and a code', async () => {
    await gateway.send('+12025550151', 'call')
    await gateway.check('+12025550151', '000000')
    expect(emulator.received).toEqual([
      { path: `/v2/Services/${keys.service_sid}/Verifications`, body: 'To=%2B12025550151&Channel=call' },
      { path: `/v2/Services/${keys.service_sid}/VerificationCheck`, body: 'To=%2B12025550151&Code=000000' },
    ])
  })

  it.each([
    ['another path', `/v2/Services/${keys.service_sid}/Verification`, {}, 'To=%2B12025550152&Channel=sms', 20404],
    ['another method', undefined, { method: 'PUT' }, 'To=%2B12025550152&Channel=sms', 20004],
    ['JSON', undefined, { headers: { 'content-type': 'application/json' } }, '{"To":"+12025550152"}', 60200],
    ['a plus that became a space', undefined, {}, 'To=+12025550152&Channel=sms', 60200],
    ['another channel', undefined, {}, 'To=%2B12025550152&Channel=pigeon', 60200],
    ['too little', undefined, {}, 'To=%2B12025550152', 60200],
    ['too much', undefined, {}, 'To=%2B12025550152&Channel=sms&CustomMessage=x', 60200],
  ])(
    'would be rejected with %s',
    async (_, path = `/v2/Services/${keys.service_sid}/Verifications`, changes, body, code) => {
      const authorization = `Basic ${btoa(`${keys.account_sid}:${keys.auth_token}`)}`
      const { headers = { 'content-type': 'application/x-www-form-urlencoded' }, ...others } = changes as RequestInit
      const reply = await fetch(emulator.url + path, {
        method: 'POST',
        ...others,
        headers: { authorization, ...headers },
        body,
      })
      const answer = await reply.json()
      expect(answer).toEqual({
        code,
        message: expect.any(String),
        more_info: `https://www.twilio.com/docs/errors/${code}`,
        status: reply.status,
      })
    },
  )
})

describe('a code that cannot be sent', () => {
  it.each([
    ['an invalid number', '+1202', 'impossible'],
    ['a number without a country', '2025550153', 'impossible'],
    ['a landline', '+12025550404', 'unreachable'],
    ['a number with too many requests', '+12025550402', 'too_often'],
    ['a number blocked for fraud', '+12025550403', 'blocked'],
    ['a blocked country', '+12025550451', 'blocked'],
  ])('to %s (%s) is %s, and is not logged', async (_, mobile_phone, outcome) => {
    expect(await gateway.send(mobile_phone, 'sms')).toBe(outcome)
    expect(lines).toEqual([])
  })

  it('after five sends, is too often until ten minutes after the first', async () => {
    const mobile_phone = newNumber()
    for (let sends = 0; sends < 5; sends++) await sentTo(mobile_phone)
    advance(590)
    expect(await gateway.send(mobile_phone, 'sms')).toBe('too_often')
    expect(await gateway.check(mobile_phone, await codeTo(mobile_phone))).toBe('right')
    for (let sends = 0; sends < 5; sends++) await sentTo(mobile_phone)
    advance(601)
    await sentTo(mobile_phone)
  })

  it('after five wrong tries, is too often until the code has expired', async () => {
    const mobile_phone = newNumber()
    const code = await sentTo(mobile_phone)
    for (let tries = 0; tries < 5; tries++) await gateway.check(mobile_phone, differentCode(code))
    expect(await gateway.send(mobile_phone, 'sms')).toBe('too_often')
    advance(601)
    await sentTo(mobile_phone)
  })

  it.each([
    ['+12025550408', '21608', 'a trial account can only send to its verified numbers'],
    ['+12025550423', '60223', 'this channel is turned off for the service'],
    ['+12025550429', '20429', 'the account sends too many requests at once'],
  ])('because of an operator error (%s, %s) is unknown, and the log says why', async (mobile_phone, said, why) => {
    expect(await gateway.send(mobile_phone, 'sms')).toBe('unknown')
    expect(lines).toEqual([JSON.stringify({ said, message: `Twilio refused: ${why}.` })])
  })
})

describe('a check', () => {
  it('depends on the status, not on the HTTP code', async () => {
    const expected = { approved: 'right', pending: 'wrong', canceled: 'gone', max_attempts_reached: 'gone' }
    const others = { deleted: 'gone', failed: 'gone', expired: 'gone', constructor: 'unknown', '': 'unknown' }
    for (const [status, outcome] of Object.entries({ ...expected, ...others })) {
      const mobile_phone = newNumber()
      const code = await sentTo(mobile_phone)
      emulator.answerChecksWith(status)
      expect([status, await gateway.check(mobile_phone, code)]).toEqual([status, outcome])
    }
  })

  it('of an invalid code is wrong', async () => {
    const mobile_phone = newNumber()
    await sentTo(mobile_phone)
    expect(await gateway.check(mobile_phone, '1')).toBe('wrong')
  })
})

describe('wrong credentials', () => {
  it.each([
    ['auth_token', 'stolen-token', '20003', 'TWILIO_ACCOUNT_SID or TWILIO_AUTH_TOKEN is wrong'],
    ['service_sid', `VA${'0'.repeat(32)}`, '20404', 'TWILIO_SERVICE_SID is wrong'],
  ])('%s: the result is unknown, and the log says why', async (name, value, said, why) => {
    expect(await gatewayWith({ [name]: value }).send('+12025550154', 'sms')).toBe('unknown')
    expect(lines).toEqual([JSON.stringify({ said, message: `Twilio refused: ${why}.` })])
  })
})

describe('an unusable response', () => {
  const reasons = {
    dropped_before: 'UND_ERR_SOCKET',
    dropped_after: 'UND_ERR_SOCKET',
    slow: 'The operation was aborted due to timeout',
    status_500: 'status 500, not JSON',
    html: 'status 201, not JSON',
    half: 'not JSON',
    other_shape: 'an unexpected response',
    endless: 'the response is too large',
  }

  /** Only the slow response is not waited for. Waiting would return it. */
  const gatewayFor = (fault: (typeof faults)[number]) => (fault === 'slow' ? hurried : gateway)

  it.each(faults)('%s is unknown within the deadline, and the log says why', async (fault) => {
    const mobile_phone = newNumber()
    emulator.fail(fault)
    expect(await gatewayFor(fault).send(mobile_phone, 'sms')).toBe('unknown')
    expect(await gatewayFor(fault).check(mobile_phone, '000000')).toBe('unknown')
    expect(lines).toHaveLength(2)
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      reason: reasons[fault],
      message: 'Twilio sent no readable response.',
    })
  })

  it.each(faults)('%s: a retry works', async (fault) => {
    const mobile_phone = newNumber()
    emulator.fail(fault)
    await gatewayFor(fault).send(mobile_phone, 'sms')
    emulator.fail(undefined)
    expect(await gateway.check(mobile_phone, await sentTo(mobile_phone))).toBe('right')
  })

  it('is also a missing server', async () => {
    const unreachable = gatewayWith({ base_url: `http://127.0.0.1:${await freePort()}` })
    expect(await unreachable.send('+12025550155', 'sms')).toBe('unknown')
    expect(await unreachable.check('+12025550155', '000000')).toBe('unknown')
    expect(JSON.parse(lines[0] ?? '').reason).toBe('ECONNREFUSED')
  })

  it('never puts a number, a code or a credential in the log', async () => {
    const mobile_phone = newNumber()
    const code = await sentTo(mobile_phone)
    for (const fault of faults) {
      emulator.fail(fault)
      await gatewayFor(fault).check(mobile_phone, code)
    }
    emulator.fail(undefined)
    await gatewayWith({ auth_token: 'other' }).check(mobile_phone, code)
    expect(lines).toHaveLength(faults.length + 1)
    const secrets = [mobile_phone.slice(1), code, keys.auth_token, keys.account_sid, btoa(keys.auth_token).slice(0, 12)]
    for (const secret of secrets) expect(lines.join()).not.toContain(secret)
  })
})
