import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { API, type Call, type CallName, calls, EnrollmentReply, IdempotencyKey } from './api.ts'
import { Enrollment } from './enrollment.ts'

const specCalls: [CallName, string, string, string[]][] = [
  ['getPackages', 'GET', '/api/enrollment/enrollment_packages', ['product_category_id', 'language_id']],
  ['getLegalDocuments', 'GET', '/api/enrollment/get-all-legal-documents', []],
  ['sumOrder', 'POST', '/api/enrollment/orders', ['product_ids', 'autoship_product_ids', 'special_product_ids']],
  ['validateEmail', 'POST', '/api/enrollment/validate_email', ['email']],
  ['validateUsername', 'POST', '/api/enrollment/validate_username', ['username']],
  ['getSponsor', 'GET', '/api/enrollment/get_enrollment_sponsor', ['sponsor_site']],
  ['addEnrollment', 'POST', '/api/enrollment/add-enrollment', Object.keys(Enrollment.shape)], // listed in enrollment.test.ts
  ['sendVerificationCode', 'POST', '/api/twilio/send-verification-code', ['phone_number', 'captcha']],
  ['verifyCode', 'POST', '/api/twilio/verify-code', ['phone_number', 'code']],
  ['verifyCall', 'POST', '/api/twilio/verify-call', ['cellphone', 'captcha']],
  ['hitPage', 'GET', '/api/replicated-sites/page-hits/:sponsor_site', ['sponsor_site']],
]

describe('the calls', () => {
  test.each(specCalls)('1.4 1.7 2.1 2.2 2.4 3.1 4.1 5.1 5.6 %s is %s %s', (name, method, path, inputFields) => {
    const call: Call = calls[name]
    expect([call.method, API + call.path]).toEqual([method, path])
    expect(Object.keys(call.input.shape)).toEqual(inputFields)
    expect(call.output).toBeInstanceOf(z.core.$ZodType)
  })

  test('beyond the eleven calls of the spec there are two: get a captcha challenge, get the status', () => {
    const ownCalls = Object.keys(calls).filter((name) => !specCalls.some(([specName]) => specName === name))
    expect(specCalls).toHaveLength(11)
    expect(ownCalls).toEqual(['getChallenge', 'getStatus'])
  })

  test('no two calls share an address', () => {
    const addresses = Object.values(calls).map(({ method, path }) => `${method} ${path}`)
    expect(new Set(addresses).size).toBe(addresses.length)
  })

  test('every call can be described in JSON Schema, for the OpenAPI document', () => {
    for (const { input, output } of Object.values<Call>(calls))
      for (const schema of [input, output]) expect(() => z.toJSONSchema(schema, { io: 'input' })).not.toThrow()
  })
})

describe('the responses', () => {
  const isValid = (name: CallName, response: unknown) => (calls[name] as Call).output.safeParse(response).success

  test.each<[CallName, unknown, boolean]>([
    ['validateEmail', { email: 'Available' }, true],
    ['validateEmail', { email: ['This email address is already taken.'] }, true],
    ['validateEmail', { email: 'Taken' }, false],
    ['validateUsername', { username: 'Available' }, true],
    ['validateUsername', { username: ['taken', 'too short'] }, true],
    ['validateUsername', { username: ['taken'], suggestions: ['ana2'] }, true],
    ['sumOrder', { grand_total: '99.00' }, true],
    ['sumOrder', { grand_total: '99' }, false],
    ['sumOrder', { grand_total: 99 }, false],
    ['getSponsor', { site: 'master', active: 'Yes', name: 'Foyer' }, true],
    ['getSponsor', { site: 'master', active: true, name: 'Foyer' }, false],
    ['sendVerificationCode', { status: 1, message: '' }, true],
    ['verifyCall', { success: true, message: '' }, true],
    ['addEnrollment', { payment: 'Approved', token: 'a.b.c', vo_url: 'https://office.example' }, true],
    ['addEnrollment', { payment: 'Maybe', token: '', vo_url: '' }, false],
  ])('the response of %s may be %j: %s', (name, response, expected) => expect(isValid(name, response)).toBe(expected))

  test('a response contains only fields of the contract', () => {
    const reply = { payment: 'Declined', token: '', vo_url: '' }
    expect(EnrollmentReply.parse({ ...reply, cc_number: '4242424242424242' })).toEqual(reply)
  })
})

describe('the requests', () => {
  test('numbers in a query string are converted from text', () =>
    expect(calls.getPackages.input.parse({ product_category_id: '17', language_id: '1' })).toEqual({
      product_category_id: 17,
      language_id: 1,
    }))

  test.each(['x', '1.5', '-1', '99999999999', undefined])('%j is not a valid category', (product_category_id) =>
    expect(calls.getPackages.input.safeParse({ product_category_id, language_id: '1' }).success).toBe(false),
  )

  const enrollment = '3f2c1b0a-1111-4222-8333-0123456789ab'
  test.each([
    [`${enrollment}.1`, true],
    [`${enrollment}.9999`, true],
    [`${enrollment}.0`, false],
    [`${enrollment}.10000`, false],
    [enrollment, false],
    [`${enrollment.toUpperCase()}.1`, false],
    ['', false],
  ])('an idempotency key is {enrollment}.{attempt}: %j, %s', (key, expected) =>
    expect(IdempotencyKey.safeParse(key).success).toBe(expected),
  )
})
