import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { apiCalls } from '#contract/connect/api.ts'
import * as shapes from '#contract/connect/shapes.ts'
import { clientOf } from './client.mjs'
import { brokenPromises, promiseOf } from './promise.mjs'

const read = (name) => readFileSync(new URL(`../../contract/connect/${name}`, import.meta.url), 'utf8')
const promised = read('v1.txt').trim().split('\n')
const today = promiseOf(apiCalls)

test('32.19 /api/v1 keeps what contract/connect/v1.txt promises, and what is new is in it (node scripts/api.mjs)', () => {
  expect(brokenPromises(promised, today)).toEqual([])
  expect(promised).toEqual(today)
})

const { listPackages, listSponsors, refundPayment, getMember } = apiCalls
const shape = listPackages.query.shape
const changes = {
  'a call is gone': { listPackages: undefined },
  'a call has moved': { getMember: { ...getMember, path: '/people/:member_id' } },
  'a scope has changed': { getMember: { ...getMember, scope: 'payments:read' } },
  'an output field is gone': { refundPayment: { ...refundPayment, output: z.object({ refund_id: z.uuid() }) } },
  'an output may be absent': {
    refundPayment: {
      ...refundPayment,
      output: z.object({ ...refundPayment.output.shape, amount: z.optional(refundPayment.output.shape.amount) }),
    },
  },
  'an output has a different type': {
    refundPayment: { ...refundPayment, output: z.object({ ...refundPayment.output.shape, refund_id: z.int() }) },
  },
  'an output may be null': {
    refundPayment: {
      ...refundPayment,
      output: z.object({ ...refundPayment.output.shape, amount: z.nullable(refundPayment.output.shape.amount) }),
    },
  },
  'an object may be null': {
    getMember: {
      ...getMember,
      output: z.object({ ...getMember.output.shape, sponsor: z.nullable(getMember.output.shape.sponsor) }),
    },
  },
  'an output has a second type': {
    refundPayment: {
      ...refundPayment,
      output: z.object({ ...refundPayment.output.shape, refund_id: z.union([z.uuid(), z.int()]) }),
    },
  },
  'an input field is gone': { listPackages: { ...listPackages, query: z.object({ limit: shape.limit }) } },
  'an input is required': { listPackages: { ...listPackages, query: z.object({ ...shape, after: z.string() }) } },
  'a new input is required': { listPackages: { ...listPackages, query: z.object({ ...shape, kind: z.string() }) } },
  'a range is narrower': {
    listPackages: {
      ...listPackages,
      query: z.object({ ...shape, limit: z.optional(z.int().check(z.minimum(1), z.maximum(100))) }),
    },
  },
  'a text has one more rule': {
    refundPayment: {
      ...refundPayment,
      body: z.object({ ...refundPayment.body.shape, reason: z.string().check(z.maxLength(300), z.minLength(20)) }),
    },
  },
  'a value is no longer accepted': {
    listMembers: {
      ...apiCalls.listMembers,
      query: z.object({ ...apiCalls.listMembers.query.shape, order: z.optional(z.enum(['oldest'])) }),
    },
  },
}

const changed = (change) => Object.fromEntries(Object.entries({ ...apiCalls, ...change }).filter(([, call]) => call))

test.each(Object.entries(changes))('32.19 it is noticed that %s', (_what, change) => {
  expect(brokenPromises(today, promiseOf(changed(change)))).not.toEqual([])
})

test('32.19 it is noticed that a text takes certain values only', () => {
  const kind = (rule) => ({ listPackages: { ...listPackages, query: z.object({ kind: z.optional(rule) }) } })
  const before = promiseOf(kind(z.string()))
  expect(brokenPromises(before, promiseOf(kind(z.enum(['special', 'plain']))))).not.toEqual([])
})

test('32.19 it may grow: calls, optional inputs, wider ranges, outputs', () => {
  const grown = changed({
    listSecrets: { ...getMember, path: '/secrets' },
    listPackages: {
      ...listPackages,
      query: z.object({
        ...shape,
        limit: z.optional(z.int().check(z.minimum(0), z.maximum(500))),
        kind: z.optional(z.string()),
      }),
      output: z.object({ ...listPackages.output.shape, more: z.nullable(z.string()) }),
    },
    listSponsors: {
      ...listSponsors,
      query: z.object({ ...listSponsors.query.shape, kind: z.optional(z.enum(['operator', 'member', 'partner'])) }),
    },
  })
  expect(brokenPromises(today, promiseOf(grown))).toEqual([])
})

test('32.20 the client is the one that the calls make, and imports nothing (node scripts/api.mjs)', () => {
  const client = read('client.ts')
  expect(client).toBe(clientOf(apiCalls, shapes))
  expect(client).not.toMatch(/^import |require\(/m)
})
