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
  altcha({ db: database.db, now, key: Buffer.from(key), cost: 1, counter: 4 })

const solved = async (gateway = open()) => solve((await gateway.challenge()) as never)

describe('the captcha altcha', () => {
  it('takes a solution from one, whichever process sees it, also when many bring it at once', async () => {
    const solution = await solved()
    const answers = await Promise.all(Array.from({ length: 20 }, (_, who) => open().verify(solution, `${who}`)))
    expect(answers.filter(Boolean)).toHaveLength(1)
  })

  it('takes it again from the same one: a request that was sent twice is not a second use', async () => {
    const solution = await solved()
    const answers = await Promise.all(Array.from({ length: 20 }, () => open().verify(solution, 'the same')))
    expect(answers.filter(Boolean)).toHaveLength(20)
  })

  it('refuses what another key has signed, what was changed, and what is too old', async () => {
    expect(await open('another key').verify(await solved(), 'x')).toBe(false)
    const changed = JSON.parse(Buffer.from(await solved(), 'base64').toString())
    changed.challenge.parameters.cost = 0
    expect(await open().verify(Buffer.from(JSON.stringify(changed)).toString('base64'), 'x')).toBe(false)
    const old = open('one key', () => new Date(Date.now() - 3_600_000))
    expect(await open().verify(await solved(old), 'x')).toBe(false)
  })

  /** What may be changed on the way, and a change that means nothing. */
  const changes: Record<string, (payload: Payload) => unknown> = {
    nothing: () => undefined,
    'the order of names': ({ challenge }) => {
      challenge.parameters = Object.fromEntries(Object.entries(challenge.parameters).reverse()) as never
    },
    'the cost': ({ challenge }) => (challenge.parameters.cost = 0),
    'how long it is good': ({ challenge }) => (challenge.parameters.data = { good_until: 9e15 }),
    'something added': ({ challenge }) => Object.assign(challenge.parameters, { added: true }),
    'no seal': ({ challenge }) => delete challenge.signature,
    'another seal': ({ challenge }) => (challenge.signature = 'ab'.repeat(32)),
    'a seal in capitals': ({ challenge }) => (challenge.signature = challenge.signature?.toUpperCase()),
    'no seal of the key': ({ challenge }) => delete challenge.parameters.keySignature,
    'another key': ({ solution }) => (solution.derivedKey = 'ab'.repeat(32)),
    'a key in capitals': ({ solution }) => (solution.derivedKey = solution.derivedKey.toUpperCase()),
    'more behind the key': ({ solution }) => (solution.derivedKey += 'zz'),
    'no key': ({ solution }) => (solution.derivedKey = ''),
    'no text for a key': ({ solution }) => (solution.derivedKey = [solution.derivedKey] as never),
  }
  it.each(Object.entries(changes))('says what altcha-lib says, with %s changed', async (_what, change) => {
    const payload: Payload = JSON.parse(Buffer.from(await solved(), 'base64').toString())
    change(payload)
    const base64 = Buffer.from('one key').toString('base64')
    const secrets = { hmacSignatureSecret: `${base64}-challenge`, hmacKeySignatureSecret: `${base64}-key` }
    const { verified } = await verifySolution({ ...payload, deriveKey, ...secrets })
    expect(await open().verify(Buffer.from(JSON.stringify(payload)).toString('base64'), 'x')).toBe(verified)
  })

  const madeUp = {
    nothing: '',
    'no JSON': 'x',
    'an empty object': '{}',
    null: 'null',
    numbers: '{"challenge":{"parameters":1},"solution":1}',
    'a very deep one': `{"challenge":{"signature":"ab","parameters":{"keySignature":"ab","data":${'['.repeat(20_000)}${']'.repeat(20_000)}}},"solution":{"derivedKey":"ab"}}`,
  }
  it.each(Object.entries(madeUp))('refuses %s without falling over', async (_what, made) => {
    expect(await open().verify(Buffer.from(made).toString('base64'), 'x')).toBe(false)
    expect(await open().verify(made, 'x')).toBe(false)
  })
})
