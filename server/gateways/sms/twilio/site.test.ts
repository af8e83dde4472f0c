import { afterAll, beforeAll, expect, it } from 'vitest'
import { differentCode } from '#emulators/adapter-tests/sms.ts'
import { twilioEmulator } from '#emulators/twilio.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { freePort } from '../../../../scripts/port.mjs'

const keys = {
  account_sid: `AC${'0123456789abcdef'.repeat(2)}`,
  auth_token: 'token-that-nobody-may-read',
  service_sid: `VA${'fedcba9876543210'.repeat(2)}`,
}

let site: Site
let emulator: Awaited<ReturnType<typeof twilioEmulator>>
beforeAll(async () => {
  emulator = await twilioEmulator({ ...keys, port: await freePort(), now: () => site.world.now() })
  site = await testSite({
    PHONE: 'twilio',
    PHONE_VERIFICATION: 'on',
    VOICE_CALL: 'on',
    TWILIO_ACCOUNT_SID: keys.account_sid,
    TWILIO_AUTH_TOKEN: keys.auth_token,
    TWILIO_SERVICE_SID: keys.service_sid,
    TWILIO_BASE_URL: emulator.url,
  })
})
afterAll(async () => {
  await site.close()
  await emulator.close()
})

/** A visitor with an enrollment cookie. */
const visitor = async () => {
  const cookie = String((await site.get('/ana')).headers['set-cookie']).split(';')[0] ?? ''
  const ask = async (call: string, form: object) => (await site.post(`twilio/${call}`, form, { cookie })).json()
  return {
    send: async (phone_number: string) =>
      ask('send-verification-code', { phone_number, captcha: await site.captcha() }),
    verify: (phone_number: string, code: string) => ask('verify-code', { phone_number, code }),
  }
}

it('5.1 with the Twilio adapter, the site sends a code, rejects a wrong one, and accepts the right one once', async () => {
  const { send, verify } = await visitor()
  expect((await send('+1 (202) 555-0161')).status).toBe(1)
  const code = emulator.sent.at(-1)?.code ?? ''
  expect((await verify('+12025550161', differentCode(code))).status).toBe(0)
  expect((await verify('+12025550161', code)).status).toBe(1)
  expect((await verify('+12025550161', code)).status).toBe(1) // a lost response is repeated …
  expect((await (await visitor()).verify('+12025550161', code)).status).toBe(0) // … but not for another visitor
  expect((await site.get('/readyz')).json().parts.phone).toEqual({ kind: 'real', name: 'twilio' })
})

it.each([
  ['+12025550404', 'This number can’t receive text messages. Please try a call instead, or use another number.'],
  ['+12025550402', 'Too many codes were requested for this number. Please try again in 10 minutes.'],
  ['+12025550403', 'We can’t send codes to this number. Please use another number.'],
  ['+12025550451', 'We can’t send codes to this number. Please use another number.'],
  ['+12025550408', 'Error sending verification code'],
])('5.3 a refusal of the vendor becomes a message: %s', async (phone, message) => {
  const { send } = await visitor()
  expect(await send(phone)).toEqual({ status: 0, message })
})

it('5.3 a vendor failure becomes a message and a log line, and a retry works at once', async () => {
  const { send, verify } = await visitor()
  emulator.fail('dropped_before')
  expect(await send('+12025550162')).toEqual({ status: 0, message: 'Error sending verification code' })
  emulator.fail(undefined)
  expect((await send('+12025550162')).status).toBe(1)
  const code = emulator.sent.at(-1)?.code ?? ''
  emulator.fail('dropped_before')
  expect(await verify('+12025550162', code)).toEqual({
    status: 0,
    message: 'An error occurred while verifying the code.',
  })
  emulator.fail(undefined)
  expect((await verify('+12025550162', code)).status).toBe(1)
  expect(site.log()).toContain('Twilio sent no readable response.')
  for (const secret of ['12025550162', keys.auth_token]) expect(site.log()).not.toContain(secret)
})
