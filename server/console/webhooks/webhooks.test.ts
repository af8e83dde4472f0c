import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { commandLine } from '#server/audit/audit.ts'
import { turnOnEndpoint } from '#server/connect/webhooks/endpoints.ts'
import { deliverWebhooks } from '#server/connect/webhooks/webhooks.ts'
import { addEvent } from '#server/events/events.ts'
import { joinedMember } from '#server/test/member.ts'
import { startReceiver } from '#server/test/receiver.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'
import { runJobs } from '#server/worker/jobs.ts'
import { listProblems } from '../overview/problems.ts'

let site: Site
let manager: TestStaff
let viewer: TestStaff
let support: TestStaff
let receiver: Awaited<ReturnType<typeof startReceiver>>
beforeAll(async () => {
  site = await testSite({ WEBHOOKS_TO_LOOPBACK: 'on' })
  receiver = await startReceiver()
  manager = await staffMember(site, 'manager')
  viewer = await staffMember(site, 'viewer')
  support = await staffMember(site, 'support')
})
afterAll(async () => {
  await receiver.close()
  await site.close()
})
beforeEach(async () => {
  await site.db.deleteFrom('webhook_endpoint').execute()
})

const add = async (changes: object = {}) => {
  const input = { url: receiver.url, description: 'Engine', types: '', scheme: 'hmac', ...changes }
  return manager.post('webhooks/add', input)
}
const deliverAll = async () => {
  while (await deliverWebhooks(site.world));
}
const ended = (member_id: string) =>
  addEvent(site.db, site.world.now(), {
    type: 'membership.ended',
    member_id,
    payload: { why: 'canceled', state: 'ended' },
  })

it('28.14 the secret is shown once, to the person who adds the webhook; a public key is always shown', async () => {
  const { page, key } = (await add()).json()
  expect(key).toMatch(/^whsec_/)
  const shown =
    (await manager.get(`webhooks/endpoint?endpoint_id=${page.id}`)).body + (await manager.get('webhooks')).body
  expect(shown).not.toMatch(/whs|sealed/)
  const other = (await add({ scheme: 'ed25519' })).json()
  expect((await viewer.get(`webhooks/endpoint?endpoint_id=${other.page.id}`)).json().public_key).toBe(other.key)
  expect(other.key).toMatch(/^whpk_/)
})

it('28.14 owners and managers change webhooks, viewers see them, others don’t', async () => {
  const { page } = (await add()).json()
  expect((await viewer.get(`webhooks/endpoint?endpoint_id=${page.id}`)).statusCode).toBe(200)
  expect((await viewer.post('webhooks/test', { endpoint_id: page.id })).statusCode).toBe(403)
  expect((await support.get('webhooks')).statusCode).toBe(403)
})

it('28.14 an address, a type or a twenty-first endpoint that doesn’t fit is refused at its field', async () => {
  const refusal = async (changes: object) => (await add(changes)).json()
  expect((await refusal({ url: 'https://10.0.0.1/' })).fields.url).toEqual([expect.stringContaining('public internet')])
  expect((await refusal({ types: 'member.eaten' })).fields.types).toEqual(['Please choose events from the list.'])
  for (let n = 0; n < 20; n++) expect((await add()).statusCode).toBe(200)
  expect((await refusal({})).message).toBe('You already have 20 webhooks. Remove one first.')
})

it('28.14 two colleagues who edit one webhook at the same time: the second is told, and nothing is lost', async () => {
  const { page } = (await add()).json()
  const edit = (description: string, version: string) =>
    manager.post('webhooks/edit', { endpoint_id: page.id, url: page.url, description, types: '', version })
  const replies = await Promise.all([edit('One', page.version), edit('Two', page.version)])
  expect(replies.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 412])
  const saved = replies.find(({ statusCode }) => statusCode === 200)?.json()
  expect((await manager.get(`webhooks/endpoint?endpoint_id=${page.id}`)).json().description).toBe(saved.description)
  expect((await edit('Three', saved.version)).statusCode).toBe(200)
})

it('28.14 what staff do is in the audit log, without a secret', async () => {
  const { page, key } = (await add()).json()
  const endpoint_id = page.id
  const rotated = (await manager.post('webhooks/rotate', { endpoint_id })).json()
  await manager.post('webhooks/off', { endpoint_id })
  await manager.post('webhooks/on', { endpoint_id })
  await manager.post('webhooks/replay', { endpoint_id, from: '2026-11-01', to: '2026-11-30' })
  await manager.post('webhooks/remove', { endpoint_id })
  const rows = await site.db
    .selectFrom('audit')
    .selectAll()
    .where('subject', '=', endpoint_id)
    .orderBy('position')
    .execute()
  expect(rows.map(({ act }) => act)).toEqual([
    ...['add_webhook', 'rotate_webhook_secret', 'turn_off_webhook', 'turn_on_webhook', 'replay_webhooks'],
    'remove_webhook',
  ])
  expect(rows.every(({ staff_id }) => staff_id === manager.id)).toBe(true)
  for (const secret of [key, rotated.key]) expect(JSON.stringify(rows)).not.toContain(secret)
})

it('28.14 deliveries are listed in pages, newest first, all, open or failed ones', async () => {
  const { page } = (await add()).json()
  const member_id = crypto.randomUUID()
  receiver.answer = (_request, response) => void response.writeHead(500).end('no')
  for (let n = 0; n < 60; n++) {
    site.advance(1)
    await addEvent(site.db, site.world.now(), { type: 'member.erased', member_id, payload: {} })
  }
  await deliverAll()
  receiver.answer = undefined
  const read = async (query: string) => (await manager.get(`webhooks/endpoint?endpoint_id=${page.id}&${query}`)).json()
  const first = await read('')
  const second = await read(`after=${first.next}`)
  const all = [...first.deliveries, ...second.deliveries]
  expect([first.deliveries.length, second.deliveries.length, second.next]).toEqual([50, 10, undefined])
  expect(new Set(all.map(({ id }) => id)).size).toBe(60)
  expect(all.at(-1)).toMatchObject({ state: 'pending', tries: 1, status: 500, answer: 'no' })
  expect((await read('show=failed')).deliveries).toEqual([])
  expect((await read('show=open')).deliveries.length).toBe(50)
  const { curl } = (await manager.get(`webhooks/deliveries/${all.at(-1).id}`)).json()
  expect(curl).toMatch(/^curl -i 'http.*\n.*-H 'webhook-signature: v1,/s)
})

it('28.16 after a person was erased, nothing is left of what receivers answered about them', async () => {
  await add()
  receiver.answer = (_request, response) => void response.end('Zoë Example, 1 Way')
  const { username } = await joinedMember(site)
  await deliverAll()
  receiver.answer = undefined
  const { id: member_id } = await site.db
    .selectFrom('member')
    .select('id')
    .where('username', '=', username)
    .executeTakeFirstOrThrow()
  const answers = async () =>
    (await site.db.selectFrom('webhook_delivery').select('answer').where('member_id', '=', member_id).execute()).map(
      ({ answer }) => answer,
    )
  await deliverAll()
  expect(await answers()).toContain('Zoë Example, 1 Way')
  const owner = await staffMember(site, 'owner')
  while (await runJobs(site.world));
  const reply = await owner.post('members/erase', { member_id, username, reason: 'asked by email' })
  expect(reply.statusCode, reply.body).toBe(200)
  expect((await answers()).filter(Boolean)).toEqual([])
})

it('28.14 a webhook that was turned off, or fails for an hour, is in the to-do list', async () => {
  const { page } = (await add()).json()
  const todos = async () => (await listProblems(site.world)).problems.filter(({ kind }) => kind === 'webhook')
  receiver.answer = (_request, response) => void response.writeHead(500).end()
  await ended(crypto.randomUUID())
  await deliverAll()
  expect(await todos()).toEqual([])
  site.advance(3600)
  expect(await todos()).toMatchObject([{ title: 'A webhook is failing', detail: page.url, endpoint_id: page.id }])
  receiver.answer = (_request, response) => void response.writeHead(410).end()
  await deliverAll()
  receiver.answer = undefined
  expect(await todos()).toMatchObject([{ title: 'A webhook was turned off' }])
  await turnOnEndpoint(site.world, page.id, commandLine)
  expect(await todos()).toEqual([])
})
