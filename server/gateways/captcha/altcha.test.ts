import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '#server/db/open.ts'
import { testDatabase } from '#server/test/database.ts'
import { solve } from '#server/test/site.ts'
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

  it.each([
    '',
    'x',
    'e30=',
    Buffer.from('null').toString('base64'),
    Buffer.from('{"challenge":{"parameters":1},"solution":1}').toString('base64'),
  ])('refuses %o without falling over', async (made) => {
    expect(await open().verify(made, 'x')).toBe(false)
  })
})
