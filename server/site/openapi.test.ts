import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { calls } from '#contract/api.ts'
import { officeCalls } from '#contract/office/office.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { listCalls } from './reference.ts'

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())

it('8.5 describes every call of the contract', async () => {
  const document = (await site.get('/api/openapi.json')).json()
  expect(document.openapi).toBe('3.1.0')
  const described = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const expected = Object.values({ ...calls, ...officeCalls }).map(
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
