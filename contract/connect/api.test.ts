import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { type ApiCall, apiCalls } from './api.ts'
import { apiExamples } from './examples.ts'

const calls = Object.entries<ApiCall>(apiCalls)

it.each(calls)('32.13 the example of %s fits its rules', (name, call) => {
  const example: Record<string, unknown> = apiExamples[name as keyof typeof apiExamples]
  const { output, ...parts } = call
  for (const part of ['params', 'query', 'body'] as const) {
    const schema = parts[part]
    if (!schema) expect(example[part]).toBeUndefined()
    else if (example[part] || part !== 'query') expect(() => z.parse(schema, example[part])).not.toThrow()
    expect(Object.keys(schema?.shape ?? {})).toEqual(expect.arrayContaining(Object.keys(example[part] ?? {})))
  }
  expect(z.parse(output, example.output)).toEqual(example.output)
})

it.each(calls)('32.1 %s reveals no totals or positions', (_name, { output }) => {
  expect(JSON.stringify(z.toJSONSchema(output))).not.toMatch(/"(total|count|number|position)"/)
})

it.each(calls)('32.8 %s has a body if and only if it changes something', (_name, { method, body }) => {
  expect(body !== undefined).toBe(method !== 'GET')
})
