import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { type ApiCall, apiCalls } from '#contract/connect/api.ts'
import { scopeNames } from '#contract/connect/keys.ts'
import { addEvent } from '#server/events/events.ts'
import { type OtherSystem, otherSystem } from '#server/test/api.ts'
import { generousLimits } from '#server/test/generous-settings.ts'
import { memberInOffice } from '#server/test/member.ts'
import { providerSite } from '#server/test/provider.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember } from '#server/test/staff.ts'
import { addApiV1 } from './api.ts'

let site: Site
let api: OtherSystem
beforeAll(async () => {
  site = await testSite(generousLimits)
  api = await otherSystem(site)
})
afterAll(() => site.close())

const none = '00000000-0000-4000-8000-000000000000'
const calls = Object.values<ApiCall>(apiCalls)
const urlOf = ({ path }: ApiCall) => path.replace(':member_id', none).replace(':reference', 'x')
const send = (system: OtherSystem, call: ApiCall) =>
  call.body ? system.ask(call.method, urlOf(call), { 'idempotency-key': 'tried-a-call' }, {}) : system.get(urlOf(call))

describe('who may call', () => {
  it('32.14 no call answers without a key, with a cookie, or with a key that lacks the scope', async () => {
    const { cookie } = await memberInOffice(site)
    const owner = await staffMember(site, 'owner')
    const system = Object.fromEntries(
      await Promise.all(
        scopeNames.map(
          async (scope) =>
            [
              scope,
              await otherSystem(
                site,
                scopeNames.filter((one) => one !== scope),
              ),
            ] as const,
        ),
      ),
    )
    for (const call of calls) {
      const url = `/api/v1${urlOf(call)}`
      const bare = await site.ask({ method: call.method, url, headers: { cookie: `${cookie}; ${owner.cookie}` } })
      expect([bare.statusCode, bare.headers['set-cookie']], url).toEqual([401, undefined])
      const reply = await send(system[call.scope] as OtherSystem, call)
      expect([reply.statusCode, reply.json().message], url).toEqual([
        403,
        `This API key doesn’t have the scope ${call.scope}.`,
      ])
      expect((await send(api, call)).statusCode, url).not.toBe(403)
    }
  })

  it('32.14 a page of another site gets nothing: no header lets it read an answer', async () => {
    const reply = await api.get('/packages', { origin: 'https://elsewhere.example' })
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  it('32.15 OPTIONS and a wrong method name the right ones; HEAD answers like GET, without the body', async () => {
    const options = await site.ask({ method: 'OPTIONS', url: `/api/v1/members/${none}` })
    expect([options.statusCode, options.headers.allow]).toEqual([204, 'GET, HEAD, PATCH'])
    const wrong = await site.ask({ method: 'DELETE', url: `/api/v1/members/${none}` })
    expect([wrong.statusCode, wrong.headers.allow, wrong.json().message]).toEqual([
      405,
      'GET, HEAD, PATCH',
      'This address doesn’t support this method. It supports GET, HEAD, PATCH.',
    ])
    const get = await api.get('/packages')
    const head = await api.ask('HEAD', '/packages')
    expect([head.statusCode, head.body, head.headers.etag]).toEqual([200, '', get.headers.etag])
    expect((await api.get('/nothing')).statusCode).toBe(404)
  })

  it('32.14 in front of an operator’s API host there are no such calls', async () => {
    const front = await providerSite()
    const replies = await Promise.all(
      calls.map((call) => front.ask({ method: call.method, url: `/api/v1${urlOf(call)}` })),
    )
    expect(new Set(replies.map(({ statusCode }) => statusCode))).toEqual(new Set([404]))
    expect(
      Object.keys((await front.get('/api/openapi.json')).json().paths).filter((path) => path.includes('/v1/')),
    ).toEqual([])
    await front.close()
  })
})

describe('events', () => {
  const happen = (city: string) =>
    site.db.transaction().execute((db) =>
      addEvent(db, site.world.now(), {
        type: 'member.changed',
        member_id: none,
        payload: { fields: [city] },
      } as never),
    )

  it('32.16 are followed by cursor, without a position, and by type', async () => {
    const { cursor } = (await api.get('/events?after=now')).json()
    await happen('one')
    const page = (await api.get(`/events?after=${cursor}`)).json()
    expect(page).toEqual({
      events: [
        {
          id: expect.any(String),
          type: 'member.changed',
          version: 1,
          at: site.world.now().toISOString(),
          member_id: none,
          payload: { fields: ['one'] },
        },
      ],
      cursor: expect.any(String),
      has_more: false,
    })
    expect((await api.get(`/events?after=${cursor}&types=payment.captured`)).json().events).toEqual([])
    const wrong = await api.get('/events?types=payment.captured,payment.lost')
    expect([wrong.statusCode, wrong.json().message]).toEqual([
      422,
      expect.stringContaining('There is no event type payment.lost.'),
    ])
  })

  it('32.16 of a different history: 409 with the cursor to continue from', async () => {
    const other = Buffer.from('11111111-1111-4111-8111-111111111111.0.7').toString('base64url')
    const reply = await api.get(`/events?after=${other}`)
    expect([reply.statusCode, Object.keys(reply.json())]).toEqual([409, ['last_common_cursor', 'message']])
    expect((await api.get(`/events?after=${reply.json().last_common_cursor}`)).statusCode).toBe(200)
    expect((await api.get('/events?after=mangled')).statusCode).toBe(400)
  })

  it('32.17 a waiting reader hears immediately, and only so many may wait', async () => {
    const { cursor } = (await api.get('/events?after=now')).json()
    const wait = () => api.get(`/events?after=${cursor}&wait=20`)
    const crowd = Array.from({ length: 101 }, wait)
    const refused = await Promise.race(crowd)
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '5'])
    await happen('two')
    const replies = await Promise.all(crowd)
    expect(replies.filter(({ statusCode }) => statusCode === 200).length).toBe(100)
    expect((await wait()).json().events.length).toBe(1)
  })

  it('32.17 a reader that waits gets an answer when the server closes', async () => {
    const other = await testSite(generousLimits)
    const reader = await otherSystem(other)
    const { cursor } = (await reader.get('/events?after=now')).json()
    await other.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = other.app.server.address() as AddressInfo
    const ask = (path: string) =>
      fetch(`http://127.0.0.1:${port}/api/v1${path}`, { headers: { authorization: `Bearer ${reader.key}` } })
    vi.useFakeTimers({ toFake: ['setTimeout'] }) // so that the twenty seconds never end
    const answer = ask(`/events?after=${cursor}&wait=20`)
    await ask('/packages')
    await other.app.close()
    expect(await (await answer).json()).toMatchObject({ events: [], cursor })
    vi.useRealTimers()
    await other.close()
  })
})

describe('a deprecated call', () => {
  it('32.18 says since when, until when and what to use instead', async () => {
    const deprecated = { since: '2026-12-01', sunset: '2027-06-01', guide: 'https://example.com/v2' }
    const old: ApiCall = {
      ...apiCalls.listPackages,
      deprecated,
      output: z.object({ packages: z.array(z.string()) }),
    }
    const app = Fastify().setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
    addApiV1(app, site.world, {
      calls: { old },
      handlers: async () => ({ old: async () => ({ packages: [] }) }),
      actions: async () => undefined as never,
    })
    const reply = await app.inject({ url: '/v1/packages', headers: { authorization: `Bearer ${api.key}` } })
    expect(reply.headers).toMatchObject({
      deprecation: `@${Date.UTC(2026, 11, 1) / 1000}`,
      sunset: 'Tue, 01 Jun 2027 00:00:00 GMT',
      link: '<https://example.com/v2>; rel="deprecation"; type="text/html"',
    })
    await app.close()
    expect((await api.get('/packages')).headers.deprecation).toBeUndefined()
  })
})
