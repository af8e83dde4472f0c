import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { commandLine } from '#server/audit/audit.ts'
import { addEvent } from '#server/events/events.ts'
import { emailsTo } from '#server/test/member.ts'
import { newMember } from '#server/test/membership.ts'
import { type Received, startReceiver } from '#server/test/receiver.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'
import { type Twin, twinOf } from '#server/test/twin.ts'
import { replayRange, resendDelivery, sendTest } from './again.ts'
import { deleteOldDeliveries, deliveryQueue } from './deliveries.ts'
import {
  addEndpoint,
  findEndpoint,
  removeEndpoint,
  rotateSecret,
  turnOffEndpoint,
  turnOnEndpoint,
} from './endpoints.ts'
import { RETRY_MS } from './schedule.ts'
import { deliverWebhooks } from './webhooks.ts'

type Verifier = { verify: (body: string, headers: object) => unknown }
const { Webhook }: { Webhook: new (secret: string) => Verifier } = createRequire(import.meta.url)('standardwebhooks')

const HOUR = 3600
const DAY = 24 * HOUR

let site: Site
let twin: Twin
let manager: TestStaff
let support: TestStaff
let receiver: Awaited<ReturnType<typeof startReceiver>>
beforeAll(async () => {
  site = await testSite({ WEBHOOKS_TO_LOOPBACK: 'on' })
  twin = await twinOf(site)
  manager = await staffMember(site, 'manager')
  support = await staffMember(site, 'support')
})
afterAll(async () => {
  await twin.close()
  await site.close()
})
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(async () => {
  await site.db.deleteFrom('webhook_endpoint').execute()
  await receiver.close()
})

const add = async (changes: object = {}) => {
  const input = { url: receiver.url, description: '', types: '', scheme: 'hmac' as const, ...changes }
  return addEndpoint(site.world, input, commandLine)
}
const ended = (member_id: string | null) =>
  addEvent(site.db, site.world.now(), {
    type: 'membership.ended',
    member_id,
    payload: { why: 'canceled', state: 'ended' },
  })
const erased = (member_id: string) =>
  addEvent(site.db, site.world.now(), { type: 'member.erased', member_id, payload: {} })

/** Everything that is due now, over and over. */
async function deliverAll() {
  while (await deliverWebhooks(site.world));
}

const deliveries = () =>
  site.db.selectFrom('webhook_delivery').selectAll().orderBy('position').orderBy('happened_at').execute()
const states = async () => (await deliveries()).map(({ state, tries }) => `${state} ${tries}`)
const memberOf = ({ event }: Received) => event.data.member_id
const answerWith =
  (status: number, headers: Record<string, string> = {}, body = 'no') =>
  (_request: Received, response: ServerResponse) =>
    void response.writeHead(status, headers).end(body)

describe('a webhook', () => {
  it('28.1 is the event as the feed has it, with its id, in a form that the public verifier accepts', async () => {
    const { key, endpoint } = await add()
    const member_id = randomUUID()
    await ended(member_id)
    await deliverAll()
    const [one] = receiver.received
    if (!one) throw new Error('nothing arrived')
    const event = await site.db.selectFrom('event').selectAll().orderBy('position', 'desc').executeTakeFirstOrThrow()
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
    Date.now = () => site.world.now().getTime() // the verifier asks this machine
    try {
      expect(new Webhook(key).verify(one.body, headers)).toEqual(one.event)
      expect(() => new Webhook(key).verify(`${one.body} `, headers)).toThrow()
    } finally {
      Date.now = clock
    }
    expect(await deliveries()).toMatchObject([
      { state: 'delivered', tries: 1, status: 200, answer: 'ok', next_at: null },
    ])
    expect((await findEndpoint(site.world, endpoint.id)).lease).toBe(null)
  })

  it('28.1 an endpoint gets what happens after it was added, and only the types it wants', async () => {
    await ended(randomUUID())
    await add({ types: 'member.erased' })
    await ended(randomUUID())
    await erased(randomUUID())
    await deliverAll()
    expect(receiver.received.map(({ event }) => event.type)).toEqual(['member.erased'])
  })

  it('28.1 every endpoint gets it, and one that is down delays no other', async () => {
    const other = await startReceiver()
    await add()
    await add({ url: other.url })
    receiver.answer = () => undefined // it never answers
    await ended(randomUUID())
    const all = deliverAll()
    await expect.poll(() => other.received.length).toBe(1)
    await receiver.close()
    await all
    await other.close()
    expect((await states()).sort()).toEqual(['delivered 1', 'pending 1'])
  })

  it('28.4 at most one kilobyte of an answer is kept, and none of it in the log', async () => {
    await add()
    receiver.answer = answerWith(500, {}, `private ${'x'.repeat(5000)}`)
    await ended(randomUUID())
    await deliverAll()
    const [{ answer, status } = { answer: '', status: 0 }] = await deliveries()
    expect(status).toBe(500)
    expect(answer).toMatch(/^private x+$/)
    expect(Buffer.byteLength(answer ?? '')).toBe(1024)
    expect(site.log()).not.toContain('private x')
  })
})

describe('after a failure', () => {
  it('28.5 it’s tried ten times by the schedule, with the same id and a new signature, then given up', async () => {
    await add()
    receiver.answer = answerWith(500)
    await ended(randomUUID())
    for (const wait of RETRY_MS) {
      const before = receiver.received.length
      if (wait) {
        site.advance(wait / 1000 - 1)
        await deliverAll()
        expect(receiver.received.length).toBe(before)
        site.advance(1)
      }
      await deliverAll()
      expect(receiver.received.length).toBe(before + 1)
    }
    expect(await states()).toEqual(['failed 10'])
    site.advance(10 * DAY)
    await deliverAll()
    expect(new Set(receiver.ids()).size).toBe(1)
    expect(receiver.received.length).toBe(10)
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-signature'])).size).toBe(10)
  })

  it.each([199, 300, 302, 304, 400, 404, 500])('28.5 %d is no success', async (status) => {
    await add()
    receiver.answer = (_request, response) => {
      if (status >= 200) return void response.writeHead(status).end()
      response.writeProcessing()
      response.destroy()
    }
    await ended(randomUUID())
    await deliverAll()
    expect(await states()).toEqual(['pending 1'])
  })

  it('28.6 Retry-After is honored: with 429 and 503 nothing at all is sent until then', async () => {
    await add()
    receiver.answer = answerWith(503, { 'retry-after': '600' })
    await ended(randomUUID())
    await deliverAll()
    receiver.answer = undefined
    await ended(randomUUID())
    site.advance(599)
    await deliverAll()
    expect(receiver.received.length).toBe(1)
    site.advance(1)
    await deliverAll()
    expect(await states()).toEqual(['delivered 2', 'delivered 1'])
  })
})

describe('the order', () => {
  it('28.7 of a member’s events is kept: the next one waits for the one before, and other members don’t', async () => {
    await add()
    const [ana, bo] = [randomUUID(), randomUUID()]
    receiver.answer = (request, response) => void response.writeHead(memberOf(request) === ana ? 500 : 200).end()
    await ended(ana)
    await erased(ana)
    await ended(bo)
    await erased(bo)
    await deliverAll()
    expect(receiver.received.filter((one) => memberOf(one) === bo).map(({ event }) => event.type)).toEqual([
      'membership.ended',
      'member.erased',
    ])
    expect(await states()).toEqual(['pending 1', 'waiting 0', 'delivered 1', 'delivered 1'])
    receiver.answer = undefined
    site.advance(5)
    await deliverAll()
    expect(receiver.received.filter((one) => memberOf(one) === ana).map(({ event }) => event.type)).toEqual([
      'membership.ended',
      'membership.ended',
      'member.erased',
    ])
  })

  it('28.7 waiting for an earlier event has no clock: the next one goes out the moment its turn comes', async () => {
    await add()
    receiver.answer = answerWith(500)
    const ana = randomUUID()
    await ended(ana)
    await erased(ana)
    for (const wait of RETRY_MS.slice(0, 6)) {
      site.advance(wait / 1000)
      await deliverAll()
    }
    receiver.answer = undefined
    site.advance(10 * HOUR)
    await deliverAll()
    expect(await states()).toEqual(['delivered 7', 'delivered 1'])
  })

  it('28.7 after ten tries the member’s next event goes out', async () => {
    await add()
    const ana = randomUUID()
    receiver.answer = ({ event }, response) =>
      void response.writeHead(event.type === 'membership.ended' ? 500 : 200).end()
    await ended(ana)
    await erased(ana)
    for (const wait of RETRY_MS) {
      site.advance(wait / 1000)
      await deliverAll()
    }
    expect(await states()).toEqual(['failed 10', 'delivered 1'])
  })

  it('28.8 a receiver that is down for three days loses nothing, and gets each member’s events in order', async () => {
    await add()
    const members = Array.from({ length: 4 }, () => randomUUID())
    const written: string[] = []
    receiver.answer = answerWith(500)
    for (let hour = 0; hour < 3 * 24; hour += 6) {
      const member_id = members[(hour / 6) % members.length] ?? null
      await (hour % 3
        ? ended(member_id)
        : addEvent(site.db, site.world.now(), {
            type: 'membership.on_hold',
            member_id,
            payload: { why: 'staff', state: 'on_hold' },
          }))
      await deliverAll()
      site.advance(6 * HOUR)
    }
    expect(await states()).not.toContainEqual(expect.stringContaining('delivered'))
    for (const { event_id } of await deliveries()) written.push(event_id)
    expect(written.length).toBe(12)
    receiver.answer = undefined
    receiver.received.length = 0
    for (let day = 0; day < 4; day++) {
      site.advance(DAY)
      await deliverAll()
    }
    expect(receiver.ids().toSorted()).toEqual(written.toSorted())
    const rows = await deliveries()
    for (const member_id of members) {
      const inOrder = rows.filter((row) => row.member_id === member_id).map(({ event_id }) => event_id)
      expect(receiver.received.filter((one) => memberOf(one) === member_id).map(({ id }) => id)).toEqual(inOrder)
    }
  })
})

describe('several processes', () => {
  it('28.9 never send the same delivery at the same time', async () => {
    await add()
    let open = 0
    let most = 0
    receiver.answer = (_request, response) => {
      most = Math.max(most, ++open)
      setTimeout(() => {
        open--
        response.end()
      }, 20)
    }
    const ana = randomUUID()
    for (let n = 0; n < 6; n++) await ended(ana)
    await Promise.all([deliverWebhooks(site.world), deliverWebhooks(twin.world), deliverWebhooks(site.world)])
    await deliverAll()
    expect(most).toBe(1)
    expect([receiver.received.length, new Set(receiver.ids()).size]).toEqual([6, 6])
  })

  it('28.9 one that was killed after sending and before writing it down is followed by another, with the same id', async () => {
    await add()
    await ended(randomUUID())
    receiver.answer = (_request, response) => {
      response.end('ok')
    }
    const killed = deliverWebhooks({ ...site.world, db: dyingAt(site.world.db, 'webhook_delivery') })
    await expect(killed).rejects.toThrow('killed')
    expect(receiver.received.length).toBe(1)
    expect(await deliverWebhooks(twin.world)).toBe(0) // the lease of the dead one
    site.advance(60)
    await deliverAll()
    expect(receiver.received.length).toBe(2)
    expect(new Set(receiver.ids()).size).toBe(1)
    expect(await states()).toEqual(['delivered 1'])
  })
})

/** From the moment it would write down how a delivery went, this process writes nothing more: also not that it lets go. */
function dyingAt(db: Site['db'], table: string): Site['db'] {
  let isDead = false
  const guarded = (target: Site['db']): Site['db'] =>
    new Proxy(target, {
      get(inner, name) {
        const value = Reflect.get(inner, name)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          if (name === 'updateTable' && args[0] === table) isDead = true
          if (isDead && name !== 'destroy') throw new Error('killed')
          if (name !== 'transaction') return value.apply(inner, args)
          const builder = value.apply(inner, args)
          return {
            execute: (work: (db: Site['db']) => unknown) =>
              builder.execute((inside: Site['db']) => work(guarded(inside))),
          }
        }
      },
    })
  return guarded(db)
}

describe('an endpoint is turned off', () => {
  it('28.10 at once by 410, and goes on where it stopped when staff turn it on', async () => {
    const { endpoint } = await add()
    receiver.answer = answerWith(410)
    const ana = randomUUID()
    await ended(ana)
    await deliverAll()
    expect((await findEndpoint(site.world, endpoint.id)).state).toBe('gone')
    await erased(ana)
    site.advance(40 * DAY)
    await deliverAll()
    expect(receiver.received.length).toBe(1)
    receiver.answer = undefined
    await turnOnEndpoint(site.world, endpoint.id, commandLine)
    await deliverAll()
    expect(receiver.received.slice(1).map(({ event }) => event.type)).toEqual(['membership.ended', 'member.erased'])
  })

  it('28.10 after five days of failures, and owners and managers are told by email', async () => {
    const { endpoint } = await add()
    receiver.answer = answerWith(500)
    const stateNow = async () => (await findEndpoint(site.world, endpoint.id)).state
    for (let hour = 0; hour < 5 * 24; hour += 24) {
      await ended(randomUUID())
      await deliverAll()
      expect(await stateNow()).toBe('on')
      site.advance(DAY)
    }
    await ended(randomUUID())
    await deliverAll()
    expect(await stateNow()).toBe('failing')
    const subject = 'The webhook to 127.0.0.1'
    const mails = async ({ email }: TestStaff) =>
      (await emailsTo(site, email)).filter((mail) => mail.subject.startsWith(subject))
    const [mail] = await mails(manager)
    expect(mail?.body).toContain('has failed for five days')
    expect(mail?.body).toContain(`/console/webhooks/${endpoint.id}`)
    expect(await mails(support)).toEqual([])
    const { rows } = await sql<{
      act: string
    }>`select act from audit where subject = ${endpoint.id} order by position`.execute(site.db)
    expect(rows.map(({ act }) => act)).toEqual(['add_webhook', 'stop_webhook'])
    expect((await deliveryQueue(site.world)).stopped).toBe(1)
  })

  it('28.10 not by the next failure of one that failed once and then had nothing to do for five days', async () => {
    const { endpoint } = await add()
    receiver.answer = answerWith(500)
    await ended(randomUUID())
    await deliverAll()
    await site.db.updateTable('webhook_delivery').set({ state: 'failed', next_at: null }).execute()
    site.advance(5 * DAY)
    await ended(randomUUID())
    await deliverAll()
    expect((await findEndpoint(site.world, endpoint.id)).state).toBe('on')
  })

  it('28.10 not while some deliveries succeed', async () => {
    const { endpoint } = await add()
    const bad = randomUUID()
    receiver.answer = (request, response) => void response.writeHead(memberOf(request) === bad ? 500 : 200).end()
    for (let day = 0; day < 8; day++) {
      await ended(bad)
      await ended(randomUUID())
      await deliverAll()
      site.advance(DAY)
    }
    expect((await findEndpoint(site.world, endpoint.id)).state).toBe('on')
  })

  it('28.10 by staff, and nothing is sent meanwhile', async () => {
    const { endpoint } = await add()
    await turnOffEndpoint(site.world, endpoint.id, commandLine)
    await ended(randomUUID())
    await deliverAll()
    expect(receiver.received.length).toBe(0)
    await turnOnEndpoint(site.world, endpoint.id, commandLine)
    await deliverAll()
    expect(receiver.received.length).toBe(1)
  })
})

describe('a secret', () => {
  it('28.11 is rotated: for a day there are two signatures, then only the new one', async () => {
    const { endpoint } = await add()
    await rotateSecret(site.world, endpoint.id, commandLine)
    const signatures = () => String(receiver.received.at(-1)?.headers['webhook-signature']).split(' ').length
    await ended(randomUUID())
    await deliverAll()
    expect(signatures()).toBe(2)
    site.advance(DAY)
    await ended(randomUUID())
    await deliverAll()
    expect(signatures()).toBe(1)
  })

  it('28.11 is encrypted in the database', async () => {
    const { key } = await add()
    await add({ scheme: 'ed25519' })
    const rows = JSON.stringify(await site.db.selectFrom('webhook_endpoint').selectAll().execute())
    expect(rows).not.toContain(key.slice(6, 30))
    expect(rows).not.toMatch(/whs[ek]/)
    expect(site.log()).not.toContain(key)
  })
})

describe('staff can', () => {
  it('28.12 send an event again, with the same id', async () => {
    await add()
    await ended(randomUUID())
    await deliverAll()
    const [one] = await deliveries()
    await resendDelivery(site.world, one?.id ?? '', commandLine)
    await expect(resendDelivery(site.world, one?.id ?? '', commandLine)).rejects.toThrow('on its way')
    await deliverAll()
    expect(receiver.received.length).toBe(2)
    expect(new Set(receiver.ids()).size).toBe(1)
    expect(await states()).toEqual(['delivered 1'])
  })

  it('28.12 send again what happened in a time, in order, also from before the endpoint was added', async () => {
    site.advance(DAY)
    const from = site.world.now()
    const ana = randomUUID()
    await ended(ana)
    await erased(ana)
    site.advance(60)
    const to = site.world.now()
    const { endpoint } = await add({ types: 'member.erased membership.ended' })
    await ended(ana)
    await deliverAll()
    const again = () => replayRange(site.world, { endpoint_id: endpoint.id, from, to }, commandLine)
    expect(await again()).toBe(2)
    await deliverAll()
    expect(receiver.received.map(({ event }) => event.type)).toEqual([
      ...['membership.ended', 'membership.ended', 'member.erased'],
    ])
    expect(await again()).toBe(2)
    expect(await again()).toBe(0) // they are on their way
    await deliverAll()
    expect(receiver.received.length).toBe(5)
    await expect(
      replayRange(site.world, { endpoint_id: endpoint.id, from: to, to: from }, commandLine),
    ).rejects.toThrow()
  })

  it('28.12 send a test, and see the answer right away', async () => {
    const { endpoint } = await add({ types: 'member.erased' })
    expect(await sendTest(site.world, endpoint.id)).toMatchObject({ state: 'delivered', status: 200, answer: 'ok' })
    receiver.answer = answerWith(401, {}, 'who are you?')
    expect(await sendTest(site.world, endpoint.id)).toMatchObject({
      state: 'failed',
      status: 401,
      answer: 'who are you?',
    })
    expect(receiver.received.map(({ event }) => event.type)).toEqual(['webhook.test', 'webhook.test'])
  })

  it('28.12 remove an endpoint with its deliveries, even while one is on its way', async () => {
    const { endpoint } = await add()
    let finish = () => {}
    receiver.answer = (_request, response) => {
      finish = () => response.end()
    }
    await ended(randomUUID())
    const all = deliverAll()
    await expect.poll(() => receiver.received.length).toBe(1)
    await removeEndpoint(site.world, endpoint.id, commandLine)
    finish()
    await all
    expect(await deliveries()).toEqual([])
  })
})

it('28.13 deliveries are kept as long as their events', async () => {
  await add()
  await ended(randomUUID())
  await deliverAll()
  site.advance(89 * DAY)
  await deleteOldDeliveries(site.world)
  expect((await deliveries()).length).toBe(1)
  site.advance(2 * DAY)
  await deleteOldDeliveries(site.world)
  expect((await deliveries()).length).toBe(0)
})

it('28.13 one that is deleted before it got through gives way to the member’s next event', async () => {
  const { endpoint } = await add()
  const member_id = randomUUID()
  receiver.answer = answerWith(500)
  await ended(member_id)
  await deliverAll()
  await turnOffEndpoint(site.world, endpoint.id, commandLine)
  site.advance(60 * DAY)
  await turnOnEndpoint(site.world, endpoint.id, commandLine)
  await erased(member_id)
  await deliverAll()
  await turnOffEndpoint(site.world, endpoint.id, commandLine)
  expect(await states()).toEqual(['pending 1', 'waiting 0'])
  site.advance(31 * DAY)
  await deleteOldDeliveries(site.world)
  await turnOnEndpoint(site.world, endpoint.id, commandLine)
  receiver.answer = undefined
  await deliverAll()
  expect(receiver.received.at(-1)?.event.type).toBe('member.erased')
  expect(await states()).toEqual(['delivered 1'])
})

it('28.18 a process that ends doesn’t wait for a receiver, and sends nothing twice that was answered', async () => {
  const { endpoint } = await add()
  receiver.answer = () => undefined // it never answers
  await ended(randomUUID())
  const stopping = new AbortController()
  const all = deliverWebhooks(site.world, stopping.signal)
  await expect.poll(() => receiver.received.length).toBe(1)
  stopping.abort()
  await all
  expect(await states()).toEqual(['pending 0'])
  expect((await findEndpoint(site.world, endpoint.id)).lease).toBe(null)
  receiver.answer = undefined
  await deliverAll()
  expect([await states(), receiver.received.length]).toEqual([['delivered 1'], 2])
})

it('28.16 what a receiver answers about an erased person isn’t kept', async () => {
  const { id } = await newMember(site)
  await site.db.updateTable('member').set({ erased_at: site.world.now() }).where('id', '=', id).execute()
  await add({ types: 'member.erased' })
  receiver.answer = answerWith(200, {}, 'Goodbye, Zoë!')
  await erased(id)
  await deliverAll()
  expect(await deliveries()).toMatchObject([{ state: 'delivered', status: 200, answer: null }])
})
