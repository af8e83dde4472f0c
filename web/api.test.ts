import { afterEach, expect, test, vi } from 'vitest'
import { api } from './api.ts'
import { RejectedCall } from './call.ts'
import { Unreachable } from './network.ts'

afterEach(() => vi.unstubAllGlobals())

function answer(status: number, body: string) {
  const asked = vi.fn(async (_url: string, _request: RequestInit) => new Response(body, { status }))
  vi.stubGlobal('fetch', asked)
  return asked
}

test('a GET carries its input in the address', async () => {
  const asked = answer(200, '{"site":"ana","active":"Yes","name":"Ana"}')
  expect(await api.getSponsor({ sponsor_site: 'ana' })).toEqual({ site: 'ana', active: 'Yes', name: 'Ana' })
  expect(asked.mock.calls[0]?.[0]).toBe('/api/enrollment/get_enrollment_sponsor?sponsor_site=ana')
})

test('a field that the path names goes there and nowhere else', async () => {
  const asked = answer(200, '{}')
  await api.hitPage({ sponsor_site: 'a/b' })
  expect(asked.mock.calls[0]?.[0]).toBe('/api/replicated-sites/page-hits/a%2Fb')
})

test('a POST carries its input as JSON', async () => {
  const asked = answer(200, '{"email":"Available"}')
  await api.validateEmail({ email: 'zoe@example.com' })
  expect(asked.mock.calls[0]?.[1]).toMatchObject({ method: 'POST', body: '{"email":"zoe@example.com"}' })
})

test('the key of an attempt travels only with calls that are keyed', async () => {
  const asked = answer(200, '{"state":"none","attempt":0}')
  await api.getStatus({}, { key: 'k.1' })
  await api.validateEmail({ email: 'zoe@example.com' }, { key: 'k.1' })
  const keys = asked.mock.calls.map(([, request]) => new Headers(request.headers).get('idempotency-key'))
  expect(keys).toEqual(['k.1', null])
})

test('a browser that cannot put two signals together can call all the same', async () => {
  answer(200, '{"email":"Available"}')
  vi.spyOn(AbortSignal, 'any').mockImplementation(() => {
    throw new TypeError('AbortSignal.any is not a function')
  })
  expect(await api.validateEmail({ email: 'zoe@example.com' })).toEqual({ email: 'Available' })
  vi.restoreAllMocks()
})

test('a refusal brings its sentence and its messages by field', async () => {
  answer(422, '{"message":"Please check.","fields":{"email":["Invalid email format."]}}')
  const refused = await api.validateEmail({ email: 'x' }).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(RejectedCall)
  expect(refused).toMatchObject({ status: 422, message: 'Please check.', fields: { email: ['Invalid email format.'] } })
})

test.each([
  [502, '<h1>Bad gateway</h1>'],
  [500, ''],
  [200, '<h1>Hotel Wi-Fi</h1>'],
])('an answer %s that is not ours is a refusal with a sentence of our own', async (status, body) => {
  answer(status, body)
  await expect(api.getLegalDocuments({})).rejects.toThrow('Something went wrong on our side. Please try again.')
})

test('no network is Unreachable, not a refusal', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  await expect(api.getLegalDocuments({})).rejects.toBeInstanceOf(Unreachable)
})

test('no answer in time is Unreachable too', async () => {
  vi.stubGlobal('fetch', (_: string, { signal }: RequestInit) => {
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  })
  await expect(api.getLegalDocuments({}, { timeoutMs: 5 })).rejects.toBeInstanceOf(Unreachable)
})
