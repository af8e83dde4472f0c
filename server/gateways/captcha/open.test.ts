import { afterAll, beforeAll, expect, it } from 'vitest'
import { captchaEmulator } from '#emulators/captcha.ts'
import { freePort } from '../../../scripts/port.mjs'
import { validAnswers } from '../../test/answers.ts'
import { closeBreakerJustNow } from '../../test/phones.ts'
import { type Site, testSite } from '../../test/site.ts'

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
