import { describe, expect, test } from 'vitest'
import { production, settingErrors, settingNames } from '#server/test/settings.ts'
import { readConfig } from './config.ts'

const authorizenet = {
  PAYMENT: 'authorizenet',
  AUTHORIZENET_LOGIN_ID: 'x',
  AUTHORIZENET_TRANSACTION_KEY: 'y',
  AUTHORIZENET_BASE_URL: 'https://pay.example',
}

const twilio = {
  PHONE: 'twilio',
  TWILIO_ACCOUNT_SID: `AC${'0123456789abcdef'.repeat(2)}`,
  TWILIO_AUTH_TOKEN: 'hunter2',
  TWILIO_SERVICE_SID: `VA${'0123456789abcdef'.repeat(2)}`,
}

test.each([
  ['PAYMENT', 'AUTHORIZENET_LOGIN_ID', 'sandbox'],
  ['PHONE', 'TWILIO_AUTH_TOKEN', 'sandbox'],
  ['CAPTCHA', 'CAPTCHA_SECRET', 'altcha'],
])('8.1 %s is required with %s, even if it is the default, %s', (setting, key, byDefault) => {
  expect(settingErrors({ ...production, [key]: 'x' })).toEqual([
    `${setting} is required with ${key}: the default, ${byDefault}, does not use it`,
  ])
  expect(settingErrors({ ...production, [key]: 'x', [setting]: byDefault })).toEqual([])
})

test('a payment gateway needs all of its keys', () => {
  expect(settingNames({ PAYMENT: 'authorizenet', AUTHORIZENET_LOGIN_ID: 'x' })).toEqual([
    'AUTHORIZENET_TRANSACTION_KEY',
    'AUTHORIZENET_BASE_URL',
  ])
  expect(readConfig({ ...production, ...twilio, ...authorizenet }).embedded).not.toContain('payment')
})

test('8.1 cards are only sent over https, except on this machine', () => {
  expect(settingErrors({ ...authorizenet, AUTHORIZENET_BASE_URL: 'http://pay.example' })).toEqual([
    "AUTHORIZENET_BASE_URL must be a URL that starts with https://; got 'http://pay.example'",
  ])
  expect(settingErrors({ ...authorizenet, AUTHORIZENET_BASE_URL: 'http://127.0.0.1:20000' })).toEqual([])
})

describe('a captcha vendor', () => {
  const settings = { CAPTCHA: 'turnstile', CAPTCHA_SITE_KEY: 'a site key', CAPTCHA_SECRET: 'a secret' }

  test.each(['turnstile', 'hcaptcha', 'recaptcha'])('%s needs both of its keys', (CAPTCHA) => {
    expect(readConfig({ ...settings, CAPTCHA })).toMatchObject({ CAPTCHA, CAPTCHA_BASE_URL: undefined })
    expect(settingErrors({ CAPTCHA, CAPTCHA_SITE_KEY: ' ' })).toEqual([
      `CAPTCHA_SITE_KEY is required with CAPTCHA=${CAPTCHA}`,
      `CAPTCHA_SECRET is required with CAPTCHA=${CAPTCHA}`,
    ])
  })

  test('may have another address, but its secret is only sent over https', () => {
    const CAPTCHA_BASE_URL = 'http://127.0.0.1:20000'
    expect(readConfig({ ...settings, CAPTCHA_BASE_URL }).CAPTCHA_BASE_URL).toBe(CAPTCHA_BASE_URL)
    expect(settingErrors({ ...settings, CAPTCHA_BASE_URL: 'http://captcha.example' })).toHaveLength(1)
  })
})

describe('the phone gateway', () => {
  test('has a default address and is not embedded', () => {
    const config = readConfig({ ...production, ...twilio })
    expect(config).toMatchObject({ ...twilio, TWILIO_BASE_URL: 'https://verify.twilio.com' })
    expect(config.embedded).not.toContain('phone')
    const local = readConfig({ ...twilio, TWILIO_BASE_URL: 'http://127.0.0.1:20000/' })
    expect(local.TWILIO_BASE_URL).toBe('http://127.0.0.1:20000')
  })

  test('needs all of its keys, and only if it is chosen', () => {
    expect(settingErrors({ ...production, PHONE: 'twilio', TWILIO_ACCOUNT_SID: ' ' })).toEqual([
      'TWILIO_ACCOUNT_SID is required with PHONE=twilio',
      'TWILIO_AUTH_TOKEN is required with PHONE=twilio',
      'TWILIO_SERVICE_SID is required with PHONE=twilio',
    ])
    expect(settingErrors({ ...twilio, PHONE: 'sandbox', TWILIO_AUTH_TOKEN: undefined })).toEqual([])
  })

  test('accepts an API key as its account', () =>
    expect(
      settingErrors({ ...production, ...twilio, TWILIO_ACCOUNT_SID: `SK${'0123456789abcdef'.repeat(2)}` }),
    ).toEqual([]))

  test.each([
    ['TWILIO_ACCOUNT_SID', twilio.TWILIO_SERVICE_SID, 'must be AC or SK followed by 32 hexadecimal digits'],
    ['TWILIO_ACCOUNT_SID', twilio.TWILIO_AUTH_TOKEN, 'must be AC or SK followed by 32 hexadecimal digits'],
    ['TWILIO_SERVICE_SID', `${twilio.TWILIO_SERVICE_SID}/..`, 'must be VA followed by 32 hexadecimal digits'],
  ])('rejects an id of the wrong kind without quoting it: %s=%s', (name, text, problem) =>
    expect(settingErrors({ ...production, ...twilio, [name]: text })).toEqual([`${name} ${problem}`]),
  )

  test('only gets its keys over https', () =>
    expect(settingNames({ ...twilio, TWILIO_BASE_URL: 'http://verify.example' })).toEqual(['TWILIO_BASE_URL']))
})

test('real payments need real codes, or none', () => {
  const real = { ...production, ...authorizenet }
  expect(settingErrors(real)).toEqual([expect.stringMatching(/^PHONE=sandbox sends no codes.*BREAKER_DECLINES=off/)])
  expect(settingErrors({ ...real, BREAKER_DECLINES: 'off', PHONE_VERIFICATION: 'on' })).toHaveLength(1)
  expect(settingErrors({ ...real, BREAKER_DECLINES: 'off' })).toEqual([])
  expect(settingErrors({ ...real, ...twilio })).toEqual([])
  const local = { AUTHORIZENET_BASE_URL: 'http://127.0.0.1:20000', MAIL: 'outbox', PUBLIC_URL: 'http://localhost:3000' }
  expect(settingErrors({ ...real, ...local, NODE_ENV: 'development' })).toEqual([])
})
