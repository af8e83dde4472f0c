import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { type Call, calls } from '#contract/api.ts'
import { officeCalls } from '#contract/office/office.ts'
import { curlOf, exampleInput, exampleOf } from './examples.ts'

const everyCall = Object.entries<Call>({ ...calls, ...officeCalls })

test.each(everyCall)('8.5 the example of %s passes its rules', (_name, { input }) => {
  const schema = z.toJSONSchema(input, { io: 'input' })
  expect(z.safeParse(input, exampleInput({ input: schema })).error).toBeUndefined()
})

test('8.5 the example answer of a name is only the name’s', () => {
  expect(exampleOf(z.toJSONSchema(calls.validateUsername.output))).toEqual({ username: 'Available' })
})

test('8.5 an example fills in the path, and a GET has its fields in the query', () => {
  const call = { name: '', group: '', summary: '', messages: {}, output: {}, method: 'GET' }
  const properties = { sponsor_site: { type: 'string' } }
  const input = { properties, required: ['sponsor_site'] }
  expect(curlOf({ ...call, path: '/api/hits/{sponsor_site}', input }, 'https://a.example')).toBe(
    `curl 'https://a.example/api/hits/ana'`,
  )
  expect(curlOf({ ...call, path: '/api/sponsor', input }, 'https://a.example')).toBe(
    `curl 'https://a.example/api/sponsor?sponsor_site=ana'`,
  )
})
