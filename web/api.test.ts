import { afterEach, expect, test, vi } from 'vitest'
import { api } from './api.ts'
import { RejectedCall } from './call.ts'
import { Unreachable } from './network.ts'

afterEach(() => vi.unstubAllGlobals())

function replyWith(status: number, body: string) {
  const fetch = vi.fn(async (_url: string, _request: RequestInit) => new Response(body, { status }))
  vi.stubGlobal('fetch', fetch)
  return fetch
}

test('a GET carries its input in the query', async () => {
  const fetch = replyWith(200, '{"site":"ana","active":"Yes","name":"Ana"}')
  expect(await api.getSponsor({ sponsor_site: 'ana' })).toEqual({ site: 'ana', active: 'Yes', name: 'Ana' })
  expect(fetch.mock.calls[0]?.[0]).toBe('/api/enrollment/get_enrollment_sponsor?sponsor_site=ana')
})

test('a field that the path names is sent only in the path', async () => {
  const fetch = replyWith(200, '{}')
  await api.hitPage({ sponsor_site: 'a/b' })
  expect(fetch.mock.calls[0]?.[0]).toBe('/api/replicated-sites/page-hits/a%2Fb')
})

test('a POST carries its input as JSON', async () => {
  const fetch = replyWith(200, '{"email":"Available"}')
  await api.validateEmail({ email: 'zoe@example.com' })
  expect(fetch.mock.calls[0]?.[1]).toMatchObject({ method: 'POST', body: '{"email":"zoe@example.com"}' })
})

test('only calls that take an idempotency key send one', async () => {
  const fetch = replyWith(200, '{"state":"none","attempt":0}')
  await api.getStatus({}, { key: 'k.1' })
  await api.validateEmail({ email: 'zoe@example.com' }, { key: 'k.1' })
  const keys = fetch.mock.calls.map(([, request]) => new Headers(request.headers).get('idempotency-key'))
  expect(keys).toEqual(['k.1', null])
})

test('a browser without AbortSignal.any can call too', async () => {
  replyWith(200, '{"email":"Available"}')
  vi.spyOn(AbortSignal, 'any').mockImplementation(() => {
    throw new TypeError('AbortSignal.any is not a function')
  })
  expect(await api.validateEmail({ email: 'zoe@example.com' })).toEqual({ email: 'Available' })
  vi.restoreAllMocks()
})

test('a rejection has the server’s message and its messages by field', async () => {
  replyWith(422, '{"message":"Please check.","fields":{"email":["Invalid email format."]}}')
  const rejection = await api.validateEmail({ email: 'x' }).catch((error: unknown) => error)
  expect(rejection).toBeInstanceOf(RejectedCall)
  expect(rejection).toMatchObject({
    status: 422,
    message: 'Please check.',
    fields: { email: ['Invalid email format.'] },
  })
})

test('a rejection says how many seconds to wait', async () => {
  const headers = { 'retry-after': '12' }
  vi.stubGlobal('fetch', async () => Response.json({ message: 'Please wait.' }, { status: 429, headers }))
  await expect(api.getLegalDocuments({})).rejects.toMatchObject({ status: 429, retryAfterSeconds: 12 })
})

test.each([
  [502, '<h1>Bad gateway</h1>'],
  [500, ''],
  [200, '<h1>Hotel Wi-Fi</h1>'],
])('a %s reply that is not ours is a rejection with our own message', async (status, body) => {
  replyWith(status, body)
  await expect(api.getLegalDocuments({})).rejects.toThrow('Something went wrong on our side. Please try again.')
})

test('no network is Unreachable, not a rejection', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  await expect(api.getLegalDocuments({})).rejects.toBeInstanceOf(Unreachable)
})

test('no answer in time is Unreachable too', async () => {
  vi.stubGlobal('fetch', (_: string, { signal }: RequestInit) => {
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  })
  await expect(api.getLegalDocuments({}, { timeoutMs: 5 })).rejects.toBeInstanceOf(Unreachable)
})
