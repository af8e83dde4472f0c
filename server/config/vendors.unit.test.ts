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
])('8.1 %s is not forgotten by who sets %s, and may be %s on purpose', (part, key, otherwise) => {
  expect(settingErrors({ ...production, [key]: 'x' })).toEqual([
    `${part} is required with ${key}: by itself it is ${otherwise}, which would not use it`,
  ])
  expect(settingErrors({ ...production, [key]: 'x', [part]: otherwise })).toEqual([])
})

test('a gateway that is chosen needs all of its keys', () => {
  expect(settingNames({ PAYMENT: 'authorizenet', AUTHORIZENET_LOGIN_ID: 'x' })).toEqual([
    'AUTHORIZENET_TRANSACTION_KEY',
    'AUTHORIZENET_BASE_URL',
  ])
  expect(readConfig(authorizenet).embedded).not.toContain('payment')
})

test('8.1 cards are not sent in the clear', () => {
  expect(settingErrors({ ...authorizenet, AUTHORIZENET_BASE_URL: 'http://pay.example' })).toEqual([
    "AUTHORIZENET_BASE_URL is an address that starts with https://; it is 'http://pay.example'",
  ])
  expect(settingErrors({ ...authorizenet, AUTHORIZENET_BASE_URL: 'http://127.0.0.1:20000' })).toEqual([])
})

describe('a captcha of another company', () => {
  const chosen = { CAPTCHA: 'turnstile', CAPTCHA_SITE_KEY: 'a site key', CAPTCHA_SECRET: 'a secret' }

  test.each(['turnstile', 'hcaptcha', 'recaptcha'])('%s needs both of its keys', (CAPTCHA) => {
    expect(readConfig({ ...chosen, CAPTCHA })).toMatchObject({ CAPTCHA, CAPTCHA_BASE_URL: undefined })
    expect(settingErrors({ CAPTCHA, CAPTCHA_SITE_KEY: ' ' })).toEqual([
      `CAPTCHA_SITE_KEY is required with CAPTCHA=${CAPTCHA}`,
      `CAPTCHA_SECRET is required with CAPTCHA=${CAPTCHA}`,
    ])
  })

  test('may be played by somebody else, but its secret does not travel in the clear', () => {
    const CAPTCHA_BASE_URL = 'http://127.0.0.1:20000'
    expect(readConfig({ ...chosen, CAPTCHA_BASE_URL }).CAPTCHA_BASE_URL).toBe(CAPTCHA_BASE_URL)
    expect(settingErrors({ ...chosen, CAPTCHA_BASE_URL: 'http://captcha.example' })).toHaveLength(1)
  })
})

describe('the phone gateway', () => {
  test('has an address unless one is given, and is not embedded', () => {
    const config = readConfig(twilio)
    expect(config).toMatchObject({ ...twilio, TWILIO_BASE_URL: 'https://verify.twilio.com' })
    expect(config.embedded).not.toContain('phone')
    const local = readConfig({ ...twilio, TWILIO_BASE_URL: 'http://127.0.0.1:20000/' })
    expect(local.TWILIO_BASE_URL).toBe('http://127.0.0.1:20000')
  })

  test('needs all of its keys once it is chosen, and none before', () => {
    expect(settingErrors({ PHONE: 'twilio', TWILIO_ACCOUNT_SID: ' ' })).toEqual([
      'TWILIO_ACCOUNT_SID is required with PHONE=twilio',
      'TWILIO_AUTH_TOKEN is required with PHONE=twilio',
      'TWILIO_SERVICE_SID is required with PHONE=twilio',
    ])
    expect(settingErrors({ ...twilio, PHONE: 'sandbox', TWILIO_AUTH_TOKEN: undefined })).toEqual([])
  })

  test('may be opened by an API key', () =>
    expect(settingErrors({ ...twilio, TWILIO_ACCOUNT_SID: `SK${'0123456789abcdef'.repeat(2)}` })).toEqual([]))

  test.each([
    ['TWILIO_ACCOUNT_SID', twilio.TWILIO_SERVICE_SID, 'is AC or SK and 32 digits and letters from a to f'],
    ['TWILIO_ACCOUNT_SID', twilio.TWILIO_AUTH_TOKEN, 'is AC or SK and 32 digits and letters from a to f'],
    ['TWILIO_SERVICE_SID', `${twilio.TWILIO_SERVICE_SID}/..`, 'is VA and 32 digits and letters from a to f'],
  ])('tells its ids apart, and repeats none: %s=%s', (name, text, why) =>
    expect(settingErrors({ ...twilio, [name]: text })).toEqual([`${name} ${why}`]),
  )

  test('is not sent its keys in the clear', () =>
    expect(settingNames({ ...twilio, TWILIO_BASE_URL: 'http://verify.example' })).toEqual(['TWILIO_BASE_URL']))
})

test('who takes real money can send real codes, or asks for none', () => {
  const real = { ...production, ...authorizenet }
  expect(settingErrors(real)).toEqual([
    expect.stringMatching(/^PHONE=sandbox sends codes to nobody.*BREAKER_DECLINES=off/),
  ])
  expect(settingErrors({ ...real, BREAKER_DECLINES: 'off', PHONE_VERIFICATION: 'on' })).toHaveLength(1)
  expect(settingErrors({ ...real, BREAKER_DECLINES: 'off' })).toEqual([])
  expect(settingErrors({ ...real, ...twilio })).toEqual([])
  expect(settingErrors({ ...real, NODE_ENV: 'development', PUBLIC_URL: 'http://localhost:3000' })).toEqual([])
})
