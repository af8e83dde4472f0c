import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { API, type Call, calls } from '#contract/api.ts'
import { type ApiCall, apiCalls, V1 } from '#contract/connect/api.ts'
import { consoleCalls } from '#contract/console/console.ts'
import { messageCalls } from '#contract/message-calls.ts'
import { officeCalls } from '#contract/office/office.ts'
import { validAnswers } from '#server/test/answers.ts'
import { type OtherSystem, otherSystem } from '#server/test/api.ts'
import { generousLimits } from '#server/test/generous-settings.ts'
import { memberInOffice } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember } from '#server/test/staff.ts'

let site: Site
let cookie = ''
let system: OtherSystem
beforeAll(async () => {
  site = await testSite(generousLimits)
  system = await otherSystem(site)
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
/** A page of a list starts after a key, which a caller can forge. */
const listKey = (text: string) => Buffer.from(text).toString('base64url')
const NO_ID = '-'.repeat(36)
const ID = '00000000-0000-4000-8000-000000000000'
const oddKeys = [
  '2026-02-30T00:00:00.000Z',
  '0000-01-01T00:00:00.000Z',
  '2026-01-01T24:00:00.000Z',
  '2026-01-01',
].flatMap((at) => [ID, NO_ID].flatMap((id) => [`${at} ${id}`, JSON.stringify([at, id]), JSON.stringify([at, at, id])]))
const oddDays = ['9999-99-99', '2026-02-30', '0000-01-01', '0001-01-01', '9999-12-31', '2026-00-10']
const simpleShapes: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...brokenObjects),
  fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], deep(40), deep(900)),
  fc.constantFrom<unknown>(0, -0, -1, 1.5, 1e308, -1e308, 2 ** 53, 5e-324, 999_999_999_999),
  fc.constantFrom('1', 'US', '', ' ', '\u0000', '9'.repeat(400), '1e400', '__proto__'),
  fc.array(fc.constantFrom<unknown>(...brokenObjects, 'US', '1', 34), { maxLength: 4 }),
  fc.constantFrom(...oddDays, ...oddKeys.flatMap((key) => [listKey(key), `7.${listKey(key)}`, key])),
  fc.jsonValue({ maxDepth: 4 }),
)
/** These include passkey responses with parts that no browser sends. */
const shapes: fc.Arbitrary<unknown> = fc.oneof(
  { arbitrary: simpleShapes, weight: 4 },
  { arbitrary: fc.dictionary(fc.constantFrom('id', 'rawId', 'type', 'response'), simpleShapes), weight: 1 },
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
  member_id: ID,
  id: ID,
  sponsor_id: ID,
  reference: 'x.1',
  kind: 'x',
  reason: 'a reason',
  role: 'viewer',
  sort: 'name',
  document_id: '1',
  version: '1',
  product_id: '34',
  direction: 'down',
}
/** Calls have the same names in the office and in the console. */
const allCalls = [calls, messageCalls, officeCalls, consoleCalls].flatMap((some) =>
  Object.values<Call>(some).map((call): [string, Tried] => [call.path, call]),
)

type Tried = Omit<Call, 'method'> & Pick<ApiCall, 'method'>

/** Those of other systems, with everything that they take. */
const callsOfV1 = Object.values<ApiCall>(apiCalls).map(({ params, query, body, ...call }): [string, Tried] => [
  `${call.method} ${call.path}`,
  { ...call, path: V1 + call.path, input: z.object({ ...params?.shape, ...query?.shape, ...body?.shape }) },
])

/** Replaces some of a call's fields with shapes that no form sends. */
const inputOf = ({ input }: Tried) => {
  const names = Object.keys(input.shape)
  const changes = fc.dictionary(fc.constantFrom(...names, 'x', 'toString', 'constructor'), shapes, {
    noNullPrototype: true,
  })
  return fc.tuple(changes, fc.subarray(names)).map(([changes, kept]) => ({
    ...Object.fromEntries(kept.map((name) => [name, answers[name]])),
    ...changes,
  }))
}

/** A lone surrogate cannot be encoded in a URL. */
const inUrl = (value: unknown) => (typeof value === 'string' ? value.toWellFormed() : (JSON.stringify(value) ?? ''))

const query = (body: Record<string, unknown>) =>
  Object.entries(body)
    .flatMap(([name, value]) =>
      [value].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(inUrl(one))}`),
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

const oddTexts = ['\u0000', 'a\u0000', ...oddDays]
const oddListKeys = oddKeys.flatMap((key) => [listKey(key), `7.${listKey(key)}`])
const oddPasskeys = ['\u0000', ...brokenObjects].flatMap((odd) => [{ id: odd }, { id: 'x', response: odd }])
const oddValuesOf = (name: string): unknown[] => {
  if (name === 'response') return oddPasskeys
  return name === 'after' || name === 'before' ? [...oddTexts, ...oddListKeys] : oddTexts
}

/** Every other field is valid, so that the odd one gets as far as it can. */
function* oneOddFieldAtATime({ input }: Tried): Generator<Record<string, unknown>> {
  const names = Object.keys(input.shape)
  const needed = names.filter((name) => !z.safeParse(input.shape[name] ?? z.unknown(), undefined).success)
  const rest = Object.fromEntries(needed.map((name) => [name, answers[name]]))
  for (const name of names)
    for (const odd of oddValuesOf(name)) {
      yield { ...rest, [name]: odd }
      if (names.includes('sort')) yield { ...rest, sort: 'name', [name]: odd }
    }
}

const withKey = () => ({ authorization: `Bearer ${system.key}`, 'idempotency-key': randomUUID() })

/** These calls refuse what they don't know. */
const withoutPath = ({ path }: Tried, body: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !path.includes(`:${name}`)))

/** Each call has a person of its own, because some calls end a session or remove a person. */
async function signedInFor({ path }: Tried): Promise<string> {
  if (path.startsWith('/office')) return (await memberInOffice(site)).cookie
  return path.startsWith('/console') ? (await staffMember(site, 'owner')).cookie : ''
}

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

  it.each([...allCalls, ...callsOfV1])('6.3 %s never answers with a 5xx', async (_path, call) => {
    const signedIn = await signedInFor(call)
    const check = async (body: Record<string, unknown>, odd: Record<string, string | undefined> = {}) => {
      const url = API + call.path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(inUrl(body[name]).slice(0, 300)))
      const request = { 'content-type': 'application/json', ...odd, cookie: [signedIn, cookie, odd.cookie].join('; ') }
      const isOfV1 = call.path.startsWith(V1)
      const headers = isOfV1 ? { ...request, ...withKey() } : request
      const sent = isOfV1 ? withoutPath(call, body) : body
      const reply =
        call.method === 'GET'
          ? await site.get(`${url}?${query(sent)}`, headers)
          : await site.ask({ method: call.method, url, headers, payload: JSON.stringify(sent) })
      expect(reply.statusCode, `${JSON.stringify(body)} ${reply.body}`).toBeLessThan(500)
    }
    for (const body of oneOddFieldAtATime(call)) await check(body)
    await fc.assert(fc.asyncProperty(inputOf(call), headers, check), { numRuns: 30 })
  })
})
