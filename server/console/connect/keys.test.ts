import { afterAll, beforeAll, expect, it } from 'vitest'
import type { KeyList } from '#contract/console/keys.ts'
import { recordAction } from '#server/audit/audit.ts'
import { actorOf, authenticate } from '#server/connect/keys/keys.ts'
import { inTransaction } from '#server/db/db.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'

const DAY = 86_400

let site: Site
let owner: TestStaff
beforeAll(async () => {
  site = await testSite()
  owner = await staffMember(site, 'owner')
})
afterAll(() => site.close())

const create = async (name: string, ends_on = '') => {
  const reply = await owner.post('keys/create', { name, scopes: ['members:read'], ends_on })
  expect(reply.statusCode, reply.body).toBe(200)
  const { key, keys }: KeyList & { key: string } = reply.json()
  return { key, id: keys.find((row) => row.name === name)?.id ?? '' }
}
const list = async (): Promise<KeyList['keys']> => (await owner.get('keys')).json().keys
const keyProblems = async () =>
  (await owner.get('problems')).json().problems.filter(({ kind }: { kind: string }) => kind === 'key')

it('29.1 29.10 an owner creates a key, sees it once, and revokes it with a reason', async () => {
  const { key, id } = await create('Accounting')
  expect((await owner.get('keys')).body).not.toContain(key)
  expect(await list()).toMatchObject([{ name: 'Accounting', ending: key.slice(-4), state: 'active' }])
  expect((await owner.post('keys/revoke', { id, reason: ' ' })).statusCode).toBe(422)
  const revoked = await owner.post('keys/revoke', { id, reason: 'Replaced.' })
  expect(revoked.json().keys).toMatchObject([{ state: 'revoked', revoked_on: '2026-11-15' }])
  await expect(authenticate(site.world, `Bearer ${key}`)).rejects.toMatchObject({ status: 401 })
})

it('29.10 a key needs a name and at least one scope', async () => {
  const reply = await owner.post('keys/create', { name: ' ', scopes: [] })
  expect(reply.json().fields).toMatchObject({
    name: ['Please enter a name, such as the system that will use it.'],
    scopes: ['Please choose what this key may do.'],
  })
})

it('29.10 the audit log shows what a key did with the name of the key', async () => {
  const { key } = await create('Support desk')
  const actor = actorOf(await authenticate(site.world, `Bearer ${key}`))
  await inTransaction(site.db, (db) =>
    recordAction({ ...site.world, db }, { act: 'change_details', actor, subject_kind: 'site', subject: 'x' }),
  )
  const { rows } = (await owner.get('audit')).json()
  expect(rows[0]).toMatchObject({ act: 'change_details', who: 'Support desk', role: 'API key' })
  expect(rows[1]).toMatchObject({ act: 'create_api_key', subject_name: 'Support desk' })
})

it('29.5 a week before a key in use ends, the to-do list says so', async () => {
  const { key } = await create('Engine', '2026-12-31')
  await create('Unused', '2026-12-31')
  site.advance(38 * DAY) // December 23
  await authenticate(site.world, `Bearer ${key}`)
  owner = await staffMember(site, 'owner')
  expect(await keyProblems()).toEqual([])
  site.advance(DAY)
  owner = await staffMember(site, 'owner')
  expect(await keyProblems()).toEqual([
    expect.objectContaining({
      title: 'An API key expires soon',
      detail: '“Engine” expires after December 31, 2026.',
      since: '2026-12-24T00:00:00.000Z',
    }),
  ])
  expect((await list()).find(({ name }) => name === 'Engine')).toMatchObject({ state: 'ending' })
  site.advance(8 * DAY)
  owner = await staffMember(site, 'owner')
  expect(await keyProblems()).toEqual([])
})
