import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NewKey } from '#contract/connect/keys.ts'
import { commandLine } from '#server/audit/audit.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { authenticate, requireScope } from './keys.ts'
import { createKey, revokeKey } from './manage-keys.ts'

let site: Site
beforeAll(async () => {
  site = await testSite({ LIMIT_API: '3/60', TIME_ZONE: 'America/New_York' })
})
afterAll(() => site.close())

let count = 0
const newKey = (changes: Partial<NewKey> = {}) =>
  createKey(site.world, { name: `Key ${++count}`, scopes: ['members:read'], ...changes }, commandLine)
const ask = (key: string, scheme = 'Bearer') => authenticate(site.world, `${scheme} ${key}`)

describe('a key', () => {
  it('29.1 is known by its hash alone, and the row keeps its last four characters', async () => {
    const { id, key } = await newKey()
    expect(key).toMatch(/^foyer_live_[0-9A-Za-z]{36}$/)
    expect(await ask(key)).toEqual({ id, name: `Key ${count}`, scopes: ['members:read'] })
    const row = await site.db.selectFrom('api_key').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    expect(JSON.stringify(row)).not.toContain(key.slice(11, 30))
    expect(row.ending).toBe(key.slice(-4))
  })

  it('29.2 is refused once it is revoked, with the next request', async () => {
    const { id, key } = await newKey()
    await ask(key)
    await revokeKey(site.world, { id, reason: 'It was in a log.' }, commandLine)
    await expect(ask(key)).rejects.toMatchObject({ status: 401, message: 'This API key was revoked.' })
  })

  it('29.4 may do what its scopes say', async () => {
    const { key } = await newKey({ scopes: ['members:read', 'events:read'] })
    const apiKey = await ask(key)
    requireScope(apiKey, 'events:read')
    expect(() => requireScope(apiKey, 'payments:refund')).toThrow('doesn’t have the scope payments:refund')
  })
})
