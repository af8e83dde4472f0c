import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { calls } from '#contract/api.ts'
import { type ApiCall, apiCalls, V1 } from '#contract/connect/api.ts'
import { apiExamples } from '#contract/connect/examples.ts'
import { officeCalls } from '#contract/office/office.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { listCalls } from './reference.ts'

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())

const ofV1 = ({ method, path }: ApiCall) => ({ method, path: `${V1}${path}` })

it('8.5 describes every call of the contract', async () => {
  const document = (await site.get('/api/openapi.json')).json()
  expect(document.openapi).toBe('3.1.0')
  const described = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const expected = [...Object.values({ ...calls, ...officeCalls }), ...Object.values(apiCalls).map(ofV1)].map(
    ({ method, path }) => `${method} /api${path.replace(/:(\w+)/, '{$1}')}`,
  )
  expect(described.sort()).toEqual(expected.sort())
})

it('8.5 passes a linter for OpenAPI 3.1', async () => {
  const config = await createConfig({
    extends: ['recommended'],
    rules: { 'security-defined': 'off', 'no-server-example.com': 'off' },
  })
  const source = (await site.get('/api/openapi.json')).body
  const problems = await lintFromString({ source, config })
  expect(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)).toEqual([])
})

it('8.5 has a page to read', async () => {
  const reply = await site.get('/api/docs')
  expect([reply.statusCode, reply.body.includes(`Calls ${Object.keys({ ...calls, ...officeCalls }).length}`)]).toEqual([
    200,
    true,
  ])
})

it('8.5 lists the idempotency key for every call that takes it', () => {
  const taking = listCalls(site.world.config).filter(({ input }) => JSON.stringify(input).includes('idempotency'))
  expect(taking.map(({ path }) => path)).toEqual([
    '/api/enrollment/add-enrollment',
    '/api/twilio/send-verification-code',
    '/api/twilio/verify-code',
    '/api/twilio/verify-call',
    '/api/enrollment/status',
  ])
})

it('6.13 8.5 lists forms beside JSON, and no preflights', async () => {
  const { paths } = (await site.get('/api/openapi.json')).json()
  const types = (path: string) => Object.keys(paths[path].post.requestBody.content)
  expect(types('/api/enrollment/orders')).toEqual(['application/json', 'application/x-www-form-urlencoded'])
  expect(types('/api/office/sign-in')).toEqual(['application/json'])
})

it('32.13 has an example of every call of the API, and how to send a key', async () => {
  const { paths, components } = (await site.get('/api/openapi.json')).json()
  expect(components.securitySchemes.api_key).toMatchObject({ type: 'http', scheme: 'bearer' })
  for (const [name, call] of Object.entries<ApiCall>(apiCalls)) {
    const operation = paths[`/api/v1${call.path.replace(/:(\w+)/, '{$1}')}`][call.method.toLowerCase()]
    const { output } = apiExamples[name as keyof typeof apiExamples]
    expect([operation.security, operation.responses[200].content['application/json'].example]).toEqual([
      [{ api_key: [] }],
      output,
    ])
    if (call.body) expect(operation.requestBody.content['application/json'].example, name).toBeTruthy()
  }
})
