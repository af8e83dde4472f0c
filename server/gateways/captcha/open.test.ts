import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { captchaEmulator } from '#emulators/captcha.ts'
import { freePort } from '../../../scripts/port.mjs'
import { validAnswers } from '../../test/answers.ts'
import { closeBreakerJustNow } from '../../test/phones.ts'
import { type Site, testSite } from '../../test/site.ts'
import { openCaptchaGateway } from './open.ts'

const account = { site_key: 'a site key', secret: 'a secret' }
let emulator: Awaited<ReturnType<typeof captchaEmulator>>
let site: Site
let base_url: string
beforeAll(async () => {
  const port = await freePort()
  base_url = `http://127.0.0.1:${port}`
  emulator = await captchaEmulator({ ...account, vendor: 'turnstile', port })
  site = await testSite({
    CAPTCHA: 'turnstile',
    CAPTCHA_SITE_KEY: account.site_key,
    CAPTCHA_SECRET: account.secret,
    CAPTCHA_BASE_URL: base_url,
  })
})
afterAll(async () => {
  await site.close()
  await emulator.close()
})

const startOf = (body: string) => JSON.parse(/id="start">(.*?)<\/script>/.exec(body)?.[1] ?? '{}')

it('only the enrollment page may load the vendor’s script', async () => {
  const page = await site.get('/ana')
  expect(startOf(page.body).captcha).toEqual({
    script: `${base_url}/turnstile/v0/api.js?onload=foyerCaptcha&render=explicit`,
    onload: 'foyerCaptcha',
    global: 'turnstile',
    site_key: account.site_key,
  })
  expect(page.body).not.toContain(account.secret)
  expect(page.headers['content-security-policy']).toContain(`frame-src ${base_url};`)
  for (const other of ['/office', '/nothing/here', '/__outbox'])
    expect(String((await site.get(other)).headers['content-security-policy'])).not.toContain(base_url)
})

it('a code is sent for a solved captcha, but not for an invalid one', async () => {
  await closeBreakerJustNow(site.world)
  const cookie = String((await site.get('/ana')).headers['set-cookie']).split(';')[0] ?? ''
  const send = (captcha?: string) =>
    site.post('twilio/send-verification-code', { phone_number: '+12025550147', captcha }, { cookie })
  const refused = await send('made up')
  expect([refused.statusCode, refused.json().fields]).toEqual([422, { captcha: ['Please confirm the captcha.'] }])
  expect((await send(emulator.issue('foyer.test'))).json().status).toBe(1)
})

it('an enrollment is accepted with a solved captcha, but not with a token from another site', async () => {
  const join = (captcha: string) => site.post('enrollment/add-enrollment', { ...validAnswers('zoevendor'), captcha })
  expect((await join(emulator.issue('evil.test'))).json().fields).toEqual({ captcha: ['Please confirm the captcha.'] })
  expect((await join(emulator.issue('foyer.test'))).json().payment).toBe('Approved')
})

describe('with CAPTCHA=off', () => {
  let off: Site
  beforeAll(async () => {
    off = await testSite({ CAPTCHA: 'off', PHONE_VERIFICATION: 'on', LIMIT_CHALLENGES: '3/60' })
  })
  afterAll(() => off.close())

  it('5.15 an enrollment and both phone calls need no more than the fields of the spec', async () => {
    const phone_number = '+12025550148'
    const sent = await off.post('twilio/send-verification-code', { phone_number })
    expect(sent.json(), sent.body).toMatchObject({ status: 1 })
    const cookie = String(sent.headers['set-cookie']).split(';')[0] ?? ''
    const [{ body }] = (await off.get(`/__outbox.json?to=${encodeURIComponent(phone_number)}`)).json()
    const code = /\d{6}/.exec(body)?.[0]
    expect((await off.post('twilio/verify-code', { phone_number, code }, { cookie })).json().status).toBe(1)
    const order = { ...validAnswers('zoeoff'), mobile_phone: phone_number }
    const joined = await off.post('enrollment/add-enrollment', order, { cookie })
    expect(joined.json().payment, joined.body).toBe('Approved')
    expect((await off.post('twilio/verify-call', { cellphone: '+12025550149' })).json().success).toBe(true)
  })

  it('5.15 the limits stay', async () => {
    const send = (n: number) => off.post('twilio/send-verification-code', { phone_number: `+1202555015${n}` })
    const replies = [await send(1), await send(2), await send(3)]
    expect(replies.map((reply) => reply.statusCode)).toContain(429)
  })

  it('5.15 the page is told to show none, and loads nothing for it', async () => {
    expect(startOf((await off.get('/ana')).body).captcha).toBe('off')
    off.advance(60)
    expect((await off.get('/api/captcha/challenge')).json()).toEqual({})
  })

  it('5.15 production warns at every start', () => {
    const warned = (production: boolean) => {
      const warn = vi.fn()
      const log = { error: vi.fn(), info: vi.fn(), warn }
      const { db, now } = off.world
      openCaptchaGateway({ ...off.world.config, production }, { db, now, log, secrets: () => [] })
      return warn.mock.calls
    }
    expect(warned(true)).toEqual([['CAPTCHA=off: only the limits and breakers stop bots.']])
    expect(warned(false)).toEqual([])
  })
})
