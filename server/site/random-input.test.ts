import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API, type Call, calls } from '#contract/api.ts'
import { messageCalls } from '#contract/message-calls.ts'
import { officeCalls } from '#contract/office/office.ts'
import { validAnswers } from '#server/test/answers.ts'
import { generousLimits } from '#server/test/generous-settings.ts'
import { memberInOffice } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'

let site: Site
let cookie = ''
beforeAll(async () => {
  site = await testSite(generousLimits)
  cookie = await site.get('/ana').then(({ headers }) => String(headers['set-cookie']).split(';')[0] ?? '')
})
afterAll(() => site.close())

/** What JSON can say and JavaScript cannot turn into text, a number or a date. */
const brokenObjects: unknown[] = [
  { toString: 1, valueOf: 1 },
  { toString: null },
  { toString: {}, valueOf: {}, length: -1 },
  { toJSON: 'x', constructor: null },
  { length: 4_294_967_296 },
]
const deep = (depth: number): unknown => Array.from({ length: depth }).reduce((inner) => [{ a: inner }], null)
const shapes: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...brokenObjects),
  fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], deep(40), deep(900)),
  fc.constantFrom<unknown>(0, -0, -1, 1.5, 1e308, -1e308, 2 ** 53, 5e-324, 999_999_999_999),
  fc.constantFrom('1', 'US', '', ' ', '\u0000', '9'.repeat(400), '1e400', '__proto__'),
  fc.array(fc.constantFrom<unknown>(...brokenObjects, 'US', '1', 34), { maxLength: 4 }),
  fc.jsonValue({ maxDepth: 4 }),
)

const answers: Record<string, unknown> = {
  ...validAnswers('shapes'),
  is_shipping_different: '1',
  ship_country: 'US',
  phone_number: '+12025550143',
  cellphone: '+12025550143',
  code: '123456',
  token: 'x',
  name: 'ana',
  current_password: 'Passw0rd!',
  captcha: 'none',
  sponsor_site: 'ana',
  product_category_id: '17',
  language_id: '1',
}
const allCalls = Object.entries<Call>({ ...calls, ...messageCalls, ...officeCalls })

/** Replaces some of a call's fields with shapes that no form sends. */
const inputOf = ({ input }: Call) => {
  const names = Object.keys(input.shape)
  const changes = fc.dictionary(fc.constantFrom(...names, 'x', 'toString', 'constructor'), shapes, {
    noNullPrototype: true,
  })
  return fc.tuple(changes, fc.subarray(names)).map(([changes, kept]) => ({
    ...Object.fromEntries(kept.map((name) => [name, answers[name]])),
    ...changes,
  }))
}

const query = (body: Record<string, unknown>) =>
  Object.entries(body)
    .flatMap(([name, value]) =>
      [value].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(JSON.stringify(one) ?? '')}`),
    )
    .join('&')

const oddText = fc.constantFrom(
  '',
  ' ',
  '%',
  '{"toString":1}',
  '\u00ff',
  'a=b; c',
  '1'.repeat(500),
  '::ffff:1',
  '[object Object]',
)
const headers = fc.record(
  { 'idempotency-key': oddText, 'x-forwarded-for': oddText, 'user-agent': oddText, purpose: oddText, cookie: oddText },
  { requiredKeys: [] },
)

describe('whatever JSON a caller sends', () => {
  it('6.3 an object that cannot be turned into text is a wrong value, also where a rule looks at several fields', async () => {
    const ship_address = { toString: 1, valueOf: 1 }
    const reply = await site.post('enrollment/add-enrollment', { is_shipping_different: '1', ship_address })
    expect(reply.statusCode).toBe(422)
    expect(reply.json().fields).toMatchObject({
      ship_address: ['Please enter text.'],
      ship_city: ['Please enter your city.'],
    })
  })

  it.each(allCalls)('6.3 %s never answers with a 5xx', async (_name, call) => {
    const signedIn = call.path.startsWith('/office') ? (await memberInOffice(site)).cookie : ''
    await fc.assert(
      fc.asyncProperty(inputOf(call), headers, async (body, odd) => {
        const url = API + call.path.replace(':sha256', encodeURIComponent(String(JSON.stringify(body)).slice(0, 300)))
        const request = {
          'content-type': 'application/json',
          ...odd,
          cookie: [signedIn, cookie, odd.cookie].join('; '),
        }
        const reply =
          call.method === 'GET'
            ? await site.get(`${url}?${query(body)}`, request)
            : await site.ask({ method: 'POST', url, headers: request, payload: JSON.stringify(body) })
        expect(reply.statusCode, `${JSON.stringify(body)} ${reply.body}`).toBeLessThan(500)
      }),
      { numRuns: 60 },
    )
  })
})
