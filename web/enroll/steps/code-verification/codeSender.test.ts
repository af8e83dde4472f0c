import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createCodeSender, type SendResult } from './codeSender.ts'

beforeEach(() => vi.spyOn(console, 'warn').mockImplementation(() => undefined))
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const PHONE = '+12025550123'
const sender = createCodeSender({ isOwnCaptcha: false })
const retryAfter = { 'retry-after': '12' }
const countdown = 'Resend code in 12 seconds'

test.each<[string, Response, SendResult]>([
  ['a code is sent', Response.json({ status: 1, message: 'Sent.' }), { is: 'sent' }],
  [
    '13.3 an earlier code counts down by Retry-After, whatever the message says',
    Response.json({ message: 'Later.', fields: { code: [countdown] } }, { status: 429, headers: retryAfter }),
    { is: 'sent-before', secondsLeft: 12 },
  ],
  [
    'a number that got its code from another visitor is rejected',
    Response.json({ message: 'Please wait.' }, { status: 429, headers: retryAfter }),
    { is: 'rejected', message: 'Please wait.' },
  ],
  [
    'the server asks for a captcha',
    Response.json({ message: '', fields: { captcha: ['Please confirm the captcha.'] } }, { status: 422 }),
    { is: 'captcha-required' },
  ],
  [
    '5.8 no code is needed, whatever the message says',
    Response.json({ status: 0, message: '', code_needed: false }),
    { is: 'not-needed' },
  ],
  [
    'a failure without a message gets the spec’s',
    Response.json({ status: 0, message: '' }),
    { is: 'rejected', message: 'Error sending verification code' },
  ],
])('%s', async (_, reply, result) => {
  vi.stubGlobal('fetch', async () => reply)
  expect(await sender.send('sms', PHONE, undefined)).toEqual(result)
})

test('no network is not a rejection', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  expect(await sender.send('sms', PHONE, undefined)).toEqual({ is: 'unreachable' })
})

test('a second request for the same number waits for the first', async () => {
  const fetch = vi.fn(async () => Response.json({ status: 1, message: 'Sent.' }))
  vi.stubGlobal('fetch', fetch)
  await Promise.all([sender.send('sms', PHONE, undefined), sender.send('sms', PHONE, undefined)])
  expect(fetch).toHaveBeenCalledTimes(1)
})
