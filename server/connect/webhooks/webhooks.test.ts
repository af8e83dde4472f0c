import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { commandLine } from '#server/audit/audit.ts'
import { newMember } from '#server/test/membership.ts'
import { startReceiver } from '#server/test/receiver.ts'
import { answerWith, DAY, webhookTests } from '#server/test/webhooks.ts'
import { findEndpoint, removeEndpoint, rotateSecret } from './endpoints.ts'
import { replayRange, resendDelivery, sendTest } from './resend.ts'

type Verifier = { verify: (body: string, headers: object) => unknown }
const { Webhook }: { Webhook: new (secret: string) => Verifier } = createRequire(import.meta.url)('standardwebhooks')

const hooks = webhookTests()
const { add, ended, erased, deliverAll, deliveries, states } = hooks

describe('a webhook', () => {
  it('28.1 is the event as the feed has it, with its id, in a form that the public verifier accepts', async () => {
    const { key, endpoint } = await add()
    const member_id = randomUUID()
    await ended(member_id)
    await deliverAll()
    const [one] = hooks.receiver.received
    if (!one) throw new Error('nothing arrived')
    const event = await hooks.site.db
      .selectFrom('event')
      .selectAll()
      .orderBy('position', 'desc')
      .executeTakeFirstOrThrow()
    expect(one.id).toBe(event.id)
    expect(one.event).toEqual({
      type: 'membership.ended',
      timestamp: event.at.toISOString(),
      data: {
        ...{ id: event.id, type: 'membership.ended', version: 1, at: event.at.toISOString(), member_id },
        payload: { why: 'canceled', state: 'ended' },
      },
    })
    const headers = { ...one.headers, 'webhook-timestamp': one.headers['webhook-timestamp'] }
    const clock = Date.now
    Date.now = () => hooks.site.world.now().getTime() // the verifier asks this machine
    try {
      expect(new Webhook(key).verify(one.body, headers)).toEqual(one.event)
      expect(() => new Webhook(key).verify(`${one.body} `, headers)).toThrow()
    } finally {
      Date.now = clock
    }
    expect(await deliveries()).toMatchObject([
      { state: 'delivered', tries: 1, status: 200, answer: 'ok', next_at: null },
    ])
    expect((await findEndpoint(hooks.site.world, endpoint.id)).lease).toBe(null)
  })

  it('28.1 an endpoint gets what happens after it was added, and only the types it wants', async () => {
    await ended()
    await add({ types: 'member.erased' })
    await ended()
    await erased(randomUUID())
    await deliverAll()
    expect(hooks.receiver.received.map(({ event }) => event.type)).toEqual(['member.erased'])
  })

  it('28.1 every endpoint gets it, and one that is down delays no other', async () => {
    const other = await startReceiver()
    await add()
    await add({ url: other.url })
    hooks.receiver.answer = () => undefined // it never answers
    await ended()
    const all = deliverAll()
    await expect.poll(() => other.received.length).toBe(1)
    await hooks.receiver.close()
    await all
    await other.close()
    expect((await states()).sort()).toEqual(['delivered 1', 'pending 1'])
  })

  it('28.4 at most one kilobyte of an answer is kept, and none of it in the log', async () => {
    await add()
    hooks.receiver.answer = answerWith(500, {}, `private ${'x'.repeat(5000)}`)
    await ended()
    await deliverAll()
    const [{ answer, status } = { answer: '', status: 0 }] = await deliveries()
    expect(status).toBe(500)
    expect(answer).toMatch(/^private x+$/)
    expect(Buffer.byteLength(answer ?? '')).toBe(1024)
    expect(hooks.site.log()).not.toContain('private x')
  })
})

describe('a secret', () => {
  it('28.11 is rotated: for a day there are two signatures, then only the new one', async () => {
    const { endpoint } = await add()
    await rotateSecret(hooks.site.world, endpoint.id, commandLine)
    const signatures = () => String(hooks.receiver.received.at(-1)?.headers['webhook-signature']).split(' ').length
    await ended()
    await deliverAll()
    expect(signatures()).toBe(2)
    hooks.site.advance(DAY)
    await ended()
    await deliverAll()
    expect(signatures()).toBe(1)
  })

  it('28.11 is encrypted in the database', async () => {
    const { key } = await add()
    await add({ scheme: 'ed25519' })
    const rows = JSON.stringify(await hooks.site.db.selectFrom('webhook_endpoint').selectAll().execute())
    expect(rows).not.toContain(key.slice(6, 30))
    expect(rows).not.toMatch(/whs[ek]/)
    expect(hooks.site.log()).not.toContain(key)
  })
})

describe('staff can', () => {
  it('28.12 send an event again, with the same id', async () => {
    await add()
    await ended()
    await deliverAll()
    const [one] = await deliveries()
    await resendDelivery(hooks.site.world, one?.id ?? '', commandLine)
    await expect(resendDelivery(hooks.site.world, one?.id ?? '', commandLine)).rejects.toThrow('already being sent')
    await deliverAll()
    expect(hooks.receiver.received.length).toBe(2)
    expect(new Set(hooks.receiver.ids()).size).toBe(1)
    expect(await states()).toEqual(['delivered 1'])
  })

  it('28.12 send a range of events again, in order, even from before the endpoint was added', async () => {
    hooks.site.advance(DAY)
    const from = hooks.site.world.now()
    const ana = randomUUID()
    await ended(ana)
    await erased(ana)
    hooks.site.advance(60)
    const to = hooks.site.world.now()
    const { endpoint } = await add({ types: 'member.erased membership.ended' })
    await ended(ana)
    await deliverAll()
    const again = () => replayRange(hooks.site.world, { endpoint_id: endpoint.id, from, to }, commandLine)
    expect(await again()).toBe(2)
    await deliverAll()
    expect(hooks.receiver.received.map(({ event }) => event.type)).toEqual([
      ...['membership.ended', 'membership.ended', 'member.erased'],
    ])
    expect(await again()).toBe(2)
    expect(await again()).toBe(0) // they are on their way
    await deliverAll()
    expect(hooks.receiver.received.length).toBe(5)
    await expect(
      replayRange(hooks.site.world, { endpoint_id: endpoint.id, from: to, to: from }, commandLine),
    ).rejects.toThrow()
  })

  it('28.12 send a test, and see the answer right away', async () => {
    const { endpoint } = await add({ types: 'member.erased' })
    expect(await sendTest(hooks.site.world, endpoint.id)).toMatchObject({
      state: 'delivered',
      status: 200,
      answer: 'ok',
    })
    hooks.receiver.answer = answerWith(401, {}, 'who are you?')
    expect(await sendTest(hooks.site.world, endpoint.id)).toMatchObject({
      state: 'failed',
      status: 401,
      answer: 'who are you?',
    })
    expect(hooks.receiver.received.map(({ event }) => event.type)).toEqual(['webhook.test', 'webhook.test'])
  })

  it('28.12 remove an endpoint with its deliveries, even while one is on its way', async () => {
    const { endpoint } = await add()
    let finish = () => {}
    hooks.receiver.answer = (_request, response) => {
      finish = () => response.end()
    }
    await ended()
    const all = deliverAll()
    await expect.poll(() => hooks.receiver.received.length).toBe(1)
    await removeEndpoint(hooks.site.world, endpoint.id, commandLine)
    finish()
    await all
    expect(await deliveries()).toEqual([])
  })
})

it('28.16 what a receiver answers about an erased person isn’t kept', async () => {
  const { id } = await newMember(hooks.site)
  await hooks.site.db.updateTable('member').set({ erased_at: hooks.site.world.now() }).where('id', '=', id).execute()
  await add({ types: 'member.erased' })
  hooks.receiver.answer = answerWith(200, {}, 'Goodbye, Zoë!')
  await erased(id)
  await deliverAll()
  expect(await deliveries()).toMatchObject([{ state: 'delivered', status: 200, answer: null }])
})
