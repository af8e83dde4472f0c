import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { commandLine } from '#server/audit/audit.ts'
import { addEvent } from '#server/events/events.ts'
import { emailsTo } from '#server/test/member.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'
import { answerWith, DAY, HOUR, memberOf, webhookTests } from '#server/test/webhooks.ts'
import { deleteOldDeliveries, deliveryQueue } from './deliveries.ts'
import { editEndpoint, findEndpoint, turnOffEndpoint, turnOnEndpoint } from './endpoints.ts'
import { RETRY_MS } from './schedule.ts'

const hooks = webhookTests()
const { add, ended, erased, deliverAll, deliveries, states } = hooks

let manager: TestStaff
let support: TestStaff
beforeAll(async () => {
  manager = await staffMember(hooks.site, 'manager')
  support = await staffMember(hooks.site, 'support')
})

describe('after a failure', () => {
  it('28.5 it’s tried ten times by the schedule, with the same id and a new signature, then given up', async () => {
    await add()
    hooks.receiver.answer = answerWith(500)
    await ended()
    for (const wait of RETRY_MS) {
      const before = hooks.receiver.received.length
      if (wait) {
        hooks.site.advance(wait / 1000 - 1)
        await deliverAll()
        expect(hooks.receiver.received.length).toBe(before)
        hooks.site.advance(1)
      }
      await deliverAll()
      expect(hooks.receiver.received.length).toBe(before + 1)
    }
    expect(await states()).toEqual(['failed 10'])
    hooks.site.advance(10 * DAY)
    await deliverAll()
    expect(new Set(hooks.receiver.ids()).size).toBe(1)
    expect(hooks.receiver.received.length).toBe(10)
    expect(new Set(hooks.receiver.received.map(({ headers }) => headers['webhook-signature'])).size).toBe(10)
  })

  it.each([199, 300, 302, 304, 400, 404, 500])('28.5 %d isn’t a success', async (status) => {
    await add()
    hooks.receiver.answer = (_request, response) => {
      if (status >= 200) return void response.writeHead(status).end()
      response.writeProcessing()
      response.destroy()
    }
    await ended()
    await deliverAll()
    expect(await states()).toEqual(['pending 1'])
  })

  it('28.6 Retry-After is honored: with 429 and 503 nothing at all is sent until then', async () => {
    await add()
    hooks.receiver.answer = answerWith(503, { 'retry-after': '600' })
    await ended()
    await deliverAll()
    hooks.receiver.answer = undefined
    await ended()
    hooks.site.advance(599)
    await deliverAll()
    expect(hooks.receiver.received.length).toBe(1)
    hooks.site.advance(1)
    await deliverAll()
    expect(await states()).toEqual(['delivered 2', 'delivered 1'])
  })

  it('28.6 a shorter Retry-After that arrives later doesn’t shorten the pause', async () => {
    await add()
    const [ana, bo] = [randomUUID(), randomUUID()]
    let answerBo = () => {}
    hooks.receiver.answer = (request, response) => {
      const pause = (seconds: string) => void response.writeHead(429, { 'retry-after': seconds }).end()
      if (memberOf(request) === ana) pause('600')
      else answerBo = () => pause('10')
    }
    await ended(ana)
    await ended(bo)
    const all = deliverAll()
    await expect.poll(states).toEqual(['pending 1', 'pending 0'])
    await expect.poll(() => hooks.receiver.received.length).toBe(2)
    answerBo()
    await all
    hooks.receiver.answer = undefined
    hooks.site.advance(599)
    await deliverAll()
    expect(hooks.receiver.received.length).toBe(2)
    hooks.site.advance(1)
    await deliverAll()
    expect(await states()).toEqual(['delivered 2', 'delivered 2'])
  })

  it('28.6 a new address gets what waits immediately, whatever the former one asked for', async () => {
    const { endpoint } = await add({ url: `${hooks.receiver.url}/former` })
    const edit = (url: string) =>
      editEndpoint(
        hooks.site.world,
        { endpoint_id: endpoint.id, url, description: 'Engine', types: '' },
        commandLine,
        () => undefined,
      )
    hooks.receiver.answer = answerWith(503, { 'retry-after': '3600' })
    await ended()
    await deliverAll()
    hooks.receiver.answer = undefined
    await edit(endpoint.url)
    await deliverAll()
    expect(await states()).toEqual(['pending 1'])
    await edit(hooks.receiver.url)
    expect(await findEndpoint(hooks.site.world, endpoint.id)).toMatchObject({ failing_since: null, resume_at: null })
    await deliverAll()
    expect(await states()).toEqual(['delivered 1'])
  })
})

describe('the order', () => {
  it('28.7 of a member’s events is kept: the next one waits for the one before, and other members don’t', async () => {
    await add()
    const [ana, bo] = [randomUUID(), randomUUID()]
    hooks.receiver.answer = (request, response) => void response.writeHead(memberOf(request) === ana ? 500 : 200).end()
    await ended(ana)
    await erased(ana)
    await ended(bo)
    await erased(bo)
    await deliverAll()
    expect(hooks.receiver.received.filter((one) => memberOf(one) === bo).map(({ event }) => event.type)).toEqual([
      'membership.ended',
      'member.erased',
    ])
    expect(await states()).toEqual(['pending 1', 'waiting 0', 'delivered 1', 'delivered 1'])
    hooks.receiver.answer = undefined
    hooks.site.advance(5)
    await deliverAll()
    expect(hooks.receiver.received.filter((one) => memberOf(one) === ana).map(({ event }) => event.type)).toEqual([
      'membership.ended',
      'membership.ended',
      'member.erased',
    ])
  })

  it('28.7 waiting for an earlier event has no clock: the next one goes out the moment its turn comes', async () => {
    await add()
    hooks.receiver.answer = answerWith(500)
    const ana = randomUUID()
    await ended(ana)
    await erased(ana)
    for (const wait of RETRY_MS.slice(0, 6)) {
      hooks.site.advance(wait / 1000)
      await deliverAll()
    }
    hooks.receiver.answer = undefined
    hooks.site.advance(10 * HOUR)
    await deliverAll()
    expect(await states()).toEqual(['delivered 7', 'delivered 1'])
  })

  it('28.7 after ten tries the member’s next event goes out', async () => {
    await add()
    const ana = randomUUID()
    hooks.receiver.answer = ({ event }, response) =>
      void response.writeHead(event.type === 'membership.ended' ? 500 : 200).end()
    await ended(ana)
    await erased(ana)
    for (const wait of RETRY_MS) {
      hooks.site.advance(wait / 1000)
      await deliverAll()
    }
    expect(await states()).toEqual(['failed 10', 'delivered 1'])
  })

  it('28.8 a receiver that is down for three days loses nothing, and gets each member’s events in order', async () => {
    await add()
    const members = Array.from({ length: 4 }, () => randomUUID())
    const written: string[] = []
    hooks.receiver.answer = answerWith(500)
    for (let hour = 0; hour < 3 * 24; hour += 6) {
      const member_id = members[(hour / 6) % members.length] ?? null
      await (hour % 3
        ? ended(member_id)
        : addEvent(hooks.site.db, hooks.site.world.now(), {
            type: 'membership.on_hold',
            member_id,
            payload: { why: 'staff', state: 'on_hold' },
          }))
      await deliverAll()
      hooks.site.advance(6 * HOUR)
    }
    expect(await states()).not.toContainEqual(expect.stringContaining('delivered'))
    for (const { event_id } of await deliveries()) written.push(event_id)
    expect(written.length).toBe(12)
    hooks.receiver.answer = undefined
    hooks.receiver.received.length = 0
    for (let day = 0; day < 4; day++) {
      hooks.site.advance(DAY)
      await deliverAll()
    }
    expect(hooks.receiver.ids().toSorted()).toEqual(written.toSorted())
    const rows = await deliveries()
    for (const member_id of members) {
      const inOrder = rows.filter((row) => row.member_id === member_id).map(({ event_id }) => event_id)
      expect(hooks.receiver.received.filter((one) => memberOf(one) === member_id).map(({ id }) => id)).toEqual(inOrder)
    }
  })
})

describe('an endpoint is turned off', () => {
  it('28.10 immediately by 410, and picks up where it left off when staff turn it on', async () => {
    const { endpoint } = await add()
    hooks.receiver.answer = answerWith(410)
    const ana = randomUUID()
    await ended(ana)
    await deliverAll()
    expect((await findEndpoint(hooks.site.world, endpoint.id)).state).toBe('gone')
    await erased(ana)
    hooks.site.advance(40 * DAY)
    await deliverAll()
    expect(hooks.receiver.received.length).toBe(1)
    hooks.receiver.answer = undefined
    await turnOnEndpoint(hooks.site.world, endpoint.id, commandLine)
    await deliverAll()
    expect(hooks.receiver.received.slice(1).map(({ event }) => event.type)).toEqual([
      'membership.ended',
      'member.erased',
    ])
  })

  it('28.10 after five days of failures, and owners and managers are told by email', async () => {
    const { endpoint } = await add()
    hooks.receiver.answer = answerWith(500)
    const stateNow = async () => (await findEndpoint(hooks.site.world, endpoint.id)).state
    for (let hour = 0; hour < 5 * 24; hour += 24) {
      await ended()
      await deliverAll()
      expect(await stateNow()).toBe('on')
      hooks.site.advance(DAY)
    }
    await ended()
    await deliverAll()
    expect(await stateNow()).toBe('failing')
    const subject = 'We turned off the webhook to 127.0.0.1'
    const mails = async ({ email }: TestStaff) =>
      (await emailsTo(hooks.site, email)).filter((mail) => mail.subject.startsWith(subject))
    const [mail] = await mails(manager)
    expect(mail?.body).toContain('has failed for five days')
    expect(mail?.body).toContain(`/console/webhooks/${endpoint.id}`)
    expect(await mails(support)).toEqual([])
    const { rows } = await sql<{
      act: string
    }>`select act from audit where subject = ${endpoint.id} order by position`.execute(hooks.site.db)
    expect(rows.map(({ act }) => act)).toEqual(['add_webhook', 'stop_webhook'])
    expect((await deliveryQueue(hooks.site.world)).stopped).toBe(1)
  })

  it('28.10 not by the next failure of one that failed once and then had nothing to do for five days', async () => {
    const { endpoint } = await add()
    hooks.receiver.answer = answerWith(500)
    await ended()
    await deliverAll()
    await hooks.site.db.updateTable('webhook_delivery').set({ state: 'failed', next_at: null }).execute()
    hooks.site.advance(5 * DAY)
    await ended()
    await deliverAll()
    expect((await findEndpoint(hooks.site.world, endpoint.id)).state).toBe('on')
  })

  it('28.10 not while some deliveries succeed', async () => {
    const { endpoint } = await add()
    const bad = randomUUID()
    hooks.receiver.answer = (request, response) => void response.writeHead(memberOf(request) === bad ? 500 : 200).end()
    for (let day = 0; day < 8; day++) {
      await ended(bad)
      await ended()
      await deliverAll()
      hooks.site.advance(DAY)
    }
    expect((await findEndpoint(hooks.site.world, endpoint.id)).state).toBe('on')
  })

  it('28.10 by staff during its last try, and starts afresh when they turn it on', async () => {
    const { endpoint } = await add()
    hooks.receiver.answer = answerWith(500)
    await ended()
    for (const wait of RETRY_MS.slice(0, -1)) {
      hooks.site.advance(wait / 1000)
      await deliverAll()
    }
    expect(await states()).toEqual(['pending 9'])
    let refuse = () => {}
    hooks.receiver.answer = (_request, response) => {
      refuse = () => void response.writeHead(500).end()
    }
    hooks.site.advance(DAY)
    const all = deliverAll()
    await expect.poll(() => hooks.receiver.received.length).toBe(10)
    await turnOffEndpoint(hooks.site.world, endpoint.id, commandLine)
    await turnOnEndpoint(hooks.site.world, endpoint.id, commandLine)
    hooks.receiver.answer = answerWith(500)
    refuse()
    await all
    expect(await states()).toEqual(['pending 1'])
    hooks.receiver.answer = undefined
    hooks.site.advance(5)
    await deliverAll()
    expect(await states()).toEqual(['delivered 2'])
  })

  it('28.10 by staff, and nothing is sent meanwhile', async () => {
    const { endpoint } = await add()
    await turnOffEndpoint(hooks.site.world, endpoint.id, commandLine)
    await ended()
    await deliverAll()
    expect(hooks.receiver.received.length).toBe(0)
    await turnOnEndpoint(hooks.site.world, endpoint.id, commandLine)
    await deliverAll()
    expect(hooks.receiver.received.length).toBe(1)
  })
})

it('28.13 deliveries are kept as long as their events', async () => {
  await add()
  await ended()
  await deliverAll()
  hooks.site.advance(89 * DAY)
  await deleteOldDeliveries(hooks.site.world)
  expect((await deliveries()).length).toBe(1)
  hooks.site.advance(2 * DAY)
  await deleteOldDeliveries(hooks.site.world)
  expect((await deliveries()).length).toBe(0)
})

it('28.13 one that is deleted before it got through gives way to the member’s next event', async () => {
  const { endpoint } = await add()
  const member_id = randomUUID()
  hooks.receiver.answer = answerWith(500)
  await ended(member_id)
  await deliverAll()
  await turnOffEndpoint(hooks.site.world, endpoint.id, commandLine)
  hooks.site.advance(60 * DAY)
  await turnOnEndpoint(hooks.site.world, endpoint.id, commandLine)
  await erased(member_id)
  await deliverAll()
  await turnOffEndpoint(hooks.site.world, endpoint.id, commandLine)
  expect(await states()).toEqual(['pending 1', 'waiting 0'])
  hooks.site.advance(31 * DAY)
  await deleteOldDeliveries(hooks.site.world)
  await turnOnEndpoint(hooks.site.world, endpoint.id, commandLine)
  hooks.receiver.answer = undefined
  await deliverAll()
  expect(hooks.receiver.received.at(-1)?.event.type).toBe('member.erased')
  expect(await states()).toEqual(['delivered 1'])
})
