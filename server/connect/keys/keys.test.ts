import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEY_PATTERN, KEYS_AT_MOST, type NewKey } from '#contract/connect/keys.ts'
import { commandLine, recordAction, verifyAudit } from '#server/audit/audit.ts'
import { inTransaction } from '#server/db/db.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { isWellFormed, newKey } from './key-format.ts'
import { actorOf, authenticate, requireScope } from './keys.ts'
import { createKey, revokeKey } from './manage-keys.ts'
import { viewKeys } from './view-keys.ts'

let site: Site
beforeAll(async () => {
  site = await testSite({ LIMIT_API: '3/60', TIME_ZONE: 'America/New_York' })
})
afterAll(() => site.close())

let count = 0
const create = (changes: Partial<NewKey> = {}) =>
  createKey(site.world, { name: `Key ${++count}`, scopes: ['members:read'], ...changes }, commandLine)
const ask = (key: string, scheme = 'Bearer ') => authenticate(site.world, scheme + key)
const refusals = async () => {
  const events = site.db.selectFrom('security_event').where('kind', '=', 'api_key_refused')
  const { count } = await events.select(({ fn }) => fn.sum<number>('count').as('count')).executeTakeFirstOrThrow()
  return Number(count)
}
const viewOf = async (id: string) => (await viewKeys(site.world)).keys.find((key) => key.id === id)

describe('a key', () => {
  it('29.1 is known by its hash alone, and the row keeps its last four characters', async () => {
    const { id, key } = await create()
    expect(key).toMatch(new RegExp(`^${KEY_PATTERN.source}$`))
    expect(await ask(key)).toEqual({ id, name: `Key ${count}`, scopes: ['members:read'] })
    const row = await site.db.selectFrom('api_key').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    expect(JSON.stringify(row)).not.toContain(key.slice(11, 30))
    expect(row.ending).toBe(key.slice(-4))
    expect(site.log()).not.toContain(key.slice(11, 30))
  })

  it('29.2 is refused once it is revoked, with the next request', async () => {
    const { id, key } = await create()
    await ask(key)
    await revokeKey(site.world, { id, reason: 'It was in a log.' }, commandLine)
    await expect(ask(key)).rejects.toMatchObject({ status: 401, message: 'This API key was revoked.' })
    await expect(revokeKey(site.world, { id, reason: 'again' }, commandLine)).rejects.toMatchObject({ status: 409 })
    const event = await site.db
      .selectFrom('security_event')
      .selectAll()
      .where('kind', '=', 'api_key_refused')
      .executeTakeFirstOrThrow()
    expect(JSON.parse(event.details)).toEqual({ key: id })
  })

  it('29.2 that was never made is refused, however well formed', async () => {
    const before = await refusals()
    await expect(ask(newKey())).rejects.toMatchObject({ status: 401, message: 'This API key doesn’t exist.' })
    expect((await refusals()) - before).toBe(1)
  })

  it('29.3 that was mistyped or cut is refused without asking the database', async () => {
    const { key } = await create()
    const other = key.endsWith('x') ? 'y' : 'x'
    const swapped = key.slice(0, 12) + key[13] + key[12] + key.slice(14)
    const wrong = [key.slice(0, -1), key.slice(0, -1) + other, `${key}0`, key.replace('live', 'test'), swapped]
    const withoutDatabase = { ...site.world, db: undefined as never }
    for (const text of wrong.filter((text) => text !== key)) {
      expect(isWellFormed(text)).toBe(false)
      await expect(authenticate(withoutDatabase, `Bearer ${text}`)).rejects.toMatchObject({ status: 401 })
    }
  })

  it('29.3 comes in the header Authorization, as Bearer', async () => {
    const { key } = await create()
    for (const header of [undefined, '', key, `Basic ${key}`, `Bearer${key}`, `Bearer ${key} ${key}`])
      await expect(authenticate(site.world, header)).rejects.toMatchObject({
        status: 401,
        message: expect.stringMatching(/^Send your API key/),
      })
    expect(await ask(key, 'bearer  ')).toMatchObject({ name: `Key ${count}` })
  })

  it('29.4 may do what its scopes say', async () => {
    const { key } = await create({ scopes: ['members:read', 'events:read'] })
    const apiKey = await ask(key)
    requireScope(apiKey, 'events:read')
    expect(() => requireScope(apiKey, 'payments:refund')).toThrow('doesn’t have the scope payments:refund')
  })

  it('29.5 works until its last day has ended in the operator’s time zone', async () => {
    const own = await testSite({ TIME_ZONE: 'America/New_York' })
    const input: NewKey = { name: 'Short', scopes: ['members:read'], ends_on: '2026-11-15' }
    const { key } = await createKey(own.world, input, commandLine)
    own.advance(16 * 3600) // 11 PM in New York
    await authenticate(own.world, `Bearer ${key}`)
    own.advance(3600)
    await expect(authenticate(own.world, `Bearer ${key}`)).rejects.toMatchObject({
      status: 401,
      message: 'This API key expired after November 15, 2026.',
    })
    expect((await viewKeys(own.world)).keys).toMatchObject([{ state: 'ended', ends_on: '2026-11-15' }])
    const late = createKey(own.world, { ...input, name: 'Late' }, commandLine)
    await expect(late).rejects.toMatchObject({
      details: { fields: { ends_on: ['Please choose today or a later day.'] } },
    })
    await own.close()
  })

  it('29.6 has a limit of its own, and hears how long to wait', async () => {
    const { key } = await create()
    for (let use = 0; use < 3; use++) await ask(key)
    const refused = await ask(key).catch((error: unknown) => error)
    expect(refused).toMatchObject({ status: 429 })
    expect(refused).toHaveProperty('details.retryAfter', expect.any(Number))
    await ask((await create()).key)
    site.advance(61)
    await ask(key)
  })

  it('29.7 shows the day of its last use', async () => {
    const { id, key } = await create()
    expect(await viewOf(id)).not.toHaveProperty('used_on')
    await ask(key)
    expect(await viewOf(id)).toMatchObject({ used_on: '2026-11-15' })
    const written = () => sql`select xmin from api_key where id = ${id}`.execute(site.db)
    const { rows } = await written()
    await ask(key)
    expect((await written()).rows, 'once a day').toEqual(rows)
    site.advance(86_400)
    await ask(key)
    expect(await viewOf(id)).toMatchObject({ used_on: '2026-11-16' })
  })

  it('29.7 has a name of its own, which is free again once it is revoked', async () => {
    const { id } = await create({ name: 'Accounting' })
    await expect(create({ name: 'ACCOUNTING' })).rejects.toMatchObject({ status: 422 })
    await revokeKey(site.world, { id, reason: 'Replaced.' }, commandLine)
    const twins = await Promise.allSettled([create({ name: 'accounting' }), create({ name: 'Accounting' })])
    expect(twins.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(twins.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { status: 422 } })
  })

  it('29.7 can be made until there are as many in use as there may be', async () => {
    const own = await testSite()
    const row = (n: number) => ({
      ...{
        id: randomUUID(),
        name: `Key ${n}`,
        key_hash: `${n}`,
        ending: 'abcd',
        scopes: [],
        created_at: own.world.now(),
      },
      ...{ created_by: null, used_on: null, ends_at: null, revoked_at: null },
    })
    await own.db
      .insertInto('api_key')
      .values(Array.from({ length: KEYS_AT_MOST - 1 }, (_, n) => row(n)))
      .execute()
    const make = (name: string) => createKey(own.world, { name, scopes: ['members:read'] }, commandLine)
    const { id } = await make('The last')
    await expect(make('One more')).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('Revoke one'),
    })
    await revokeKey(own.world, { id, reason: 'Not needed.' }, commandLine)
    await make('One more')
    await own.close()
  })
})

it('29.10 making and revoking a key are rows of the audit log, and so is what a key does', async () => {
  const { id, key } = await create({ scopes: ['members:write'], ends_on: '2027-01-31' })
  const actor = actorOf(await ask(key))
  await inTransaction(site.db, (db) =>
    recordAction({ ...site.world, db }, { act: 'cancel_membership', actor, subject_kind: 'member', subject: id }),
  )
  await revokeKey(site.world, { id, reason: 'Not needed.' }, commandLine)
  const rows = await site.db.selectFrom('audit').selectAll().orderBy('position', 'desc').limit(3).execute()
  expect(rows.map(({ act, role, subject, details }) => ({ act, role, subject, ...JSON.parse(details ?? '') }))).toEqual(
    [
      { act: 'revoke_api_key', role: 'command line', subject: id, reason: 'Not needed.' },
      { act: 'cancel_membership', role: `api key ${id}`, subject: id },
      {
        act: 'create_api_key',
        role: 'command line',
        subject: id,
        after: { scopes: 'members:write', ends_on: '2027-01-31' },
      },
    ],
  )
  expect(await verifyAudit(site.world)).not.toHaveProperty('problem')
})
