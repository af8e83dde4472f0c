import { type Payload, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '#server/db/db.ts'
import { testDatabase } from '#server/test/database.ts'
import { solve } from '#server/test/solve-captcha.ts'
import { altcha } from './altcha.ts'

let database: Database
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

const open = (key = 'one key', now = () => new Date()) =>
  altcha({ db: database.db, now, secrets: () => [Buffer.from(key)], cost: 1, counter: 4 })

const newSolution = async (gateway = open()) => solve((await gateway.challenge()) as never)

describe('the captcha altcha', () => {
  it('accepts a solution from one user, across processes, even if many send it at the same time', async () => {
    const solution = await newSolution()
    const answers = await Promise.all(Array.from({ length: 20 }, (_, user) => open().verify(solution, `${user}`)))
    expect(answers.filter(Boolean)).toHaveLength(1)
  })

  it('accepts it again from the same user: a repeated request is not a second use', async () => {
    const solution = await newSolution()
    const answers = await Promise.all(Array.from({ length: 20 }, () => open().verify(solution, 'the same')))
    expect(answers.filter(Boolean)).toHaveLength(20)
  })

  it('rejects a solution that was signed by another key, changed or expired', async () => {
    expect(await open('another key').verify(await newSolution(), 'x')).toBe(false)
    const changed = JSON.parse(Buffer.from(await newSolution(), 'base64').toString())
    changed.challenge.parameters.cost = 0
    expect(await open().verify(Buffer.from(JSON.stringify(changed)).toString('base64'), 'x')).toBe(false)
    const old = open('one key', () => new Date(Date.now() - 3_600_000))
    expect(await open().verify(await newSolution(old), 'x')).toBe(false)
  })

  /** Changes to a solution; some of them have no effect. */
  const changes: Record<string, (payload: Payload) => unknown> = {
    nothing: () => undefined,
    'the order of keys': ({ challenge }) => {
      challenge.parameters = Object.fromEntries(Object.entries(challenge.parameters).reverse()) as never
    },
    'the cost': ({ challenge }) => (challenge.parameters.cost = 0),
    'the expiry time': ({ challenge }) => (challenge.parameters.data = { good_until: 9e15 }),
    'an added parameter': ({ challenge }) => Object.assign(challenge.parameters, { added: true }),
    'no signature': ({ challenge }) => delete challenge.signature,
    'another signature': ({ challenge }) => (challenge.signature = 'ab'.repeat(32)),
    'a signature in capitals': ({ challenge }) => (challenge.signature = challenge.signature?.toUpperCase()),
    'no key signature': ({ challenge }) => delete challenge.parameters.keySignature,
    'another key': ({ solution }) => (solution.derivedKey = 'ab'.repeat(32)),
    'a key in capitals': ({ solution }) => (solution.derivedKey = solution.derivedKey.toUpperCase()),
    'extra text after the key': ({ solution }) => (solution.derivedKey += 'zz'),
    'no key': ({ solution }) => (solution.derivedKey = ''),
    'a key that is not text': ({ solution }) => (solution.derivedKey = [solution.derivedKey] as never),
  }
  it.each(Object.entries(changes))('gives the same result as altcha-lib: %s', async (_what, change) => {
    const payload: Payload = JSON.parse(Buffer.from(await newSolution(), 'base64').toString())
    change(payload)
    const base64 = Buffer.from('one key').toString('base64')
    const secrets = { hmacSignatureSecret: `${base64}-challenge`, hmacKeySignatureSecret: `${base64}-key` }
    const { verified } = await verifySolution({ ...payload, deriveKey, ...secrets })
    expect(await open().verify(Buffer.from(JSON.stringify(payload)).toString('base64'), 'x')).toBe(verified)
  })

  const invalidSolutions = {
    nothing: '',
    'no JSON': 'x',
    'an empty object': '{}',
    null: 'null',
    numbers: '{"challenge":{"parameters":1},"solution":1}',
    'deeply nested JSON': `{"challenge":{"signature":"ab","parameters":{"keySignature":"ab","data":${'['.repeat(20_000)}${']'.repeat(20_000)}}},"solution":{"derivedKey":"ab"}}`,
  }
  it.each(Object.entries(invalidSolutions))('rejects %s without throwing', async (_what, text) => {
    expect(await open().verify(Buffer.from(text).toString('base64'), 'x')).toBe(false)
    expect(await open().verify(text, 'x')).toBe(false)
  })
})
