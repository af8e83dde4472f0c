import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Site } from '#server/test/site.ts'
import { type Twin, twinOf } from '#server/test/twin.ts'
import { webhookTests } from '#server/test/webhooks.ts'
import { findEndpoint } from './endpoints.ts'
import { deliverWebhooks } from './webhooks.ts'

const hooks = webhookTests()
const { add, ended, erased, deliverAll, states } = hooks

let twin: Twin
beforeAll(async () => {
  twin = await twinOf(hooks.site)
})
afterAll(() => twin.close())

describe('several processes', () => {
  it('28.9 never send the same delivery at the same time', async () => {
    await add()
    let open = 0
    let most = 0
    hooks.receiver.answer = (_request, response) => {
      most = Math.max(most, ++open)
      setTimeout(() => {
        open--
        response.end()
      }, 20)
    }
    const ana = randomUUID()
    for (let n = 0; n < 6; n++) await ended(ana)
    await Promise.all([
      deliverWebhooks(hooks.site.world),
      deliverWebhooks(twin.world),
      deliverWebhooks(hooks.site.world),
    ])
    await deliverAll()
    expect(most).toBe(1)
    expect([hooks.receiver.received.length, new Set(hooks.receiver.ids()).size]).toEqual([6, 6])
  })

  it('28.9 if the database fails for one delivery, the lease lasts until the others have ended', async () => {
    await add()
    let finish = () => {}
    hooks.receiver.answer = ({ event }, response) => {
      if (event.type === 'member.erased') finish = () => void response.writeHead(500).end()
      else response.end()
    }
    await ended()
    await erased(randomUUID())
    await sql`alter table webhook_delivery add constraint broken check (state <> 'delivered')`.execute(hooks.site.db)
    try {
      const failing = deliverWebhooks(hooks.site.world)
      const failed = expect(failing).rejects.toThrow('broken')
      await expect.poll(() => hooks.receiver.received.length).toBe(2)
      expect(await deliverWebhooks(twin.world)).toBe(0)
      finish()
      await failed
    } finally {
      await sql`alter table webhook_delivery drop constraint broken`.execute(hooks.site.db)
    }
    expect(await states()).toEqual(['pending 0', 'pending 1'])
    hooks.receiver.answer = undefined
    await deliverAll()
    expect(await states()).toEqual(['delivered 1', 'pending 1'])
  })

  it('28.9 if one is killed after sending, before it writes that down, another sends it again with the same id', async () => {
    await add()
    await ended()
    hooks.receiver.answer = (_request, response) => {
      response.end('ok')
    }
    const killed = deliverWebhooks({ ...hooks.site.world, db: dyingAt(hooks.site.world.db, 'webhook_delivery') })
    await expect(killed).rejects.toThrow('killed')
    expect(hooks.receiver.received.length).toBe(1)
    expect(await deliverWebhooks(twin.world)).toBe(0) // the lease of the dead one
    hooks.site.advance(60)
    await deliverAll()
    expect(hooks.receiver.received.length).toBe(2)
    expect(new Set(hooks.receiver.ids()).size).toBe(1)
    expect(await states()).toEqual(['delivered 1'])
  })
})

it('28.18 a process that ends doesn’t wait for a receiver, and sends nothing twice that was answered', async () => {
  const { endpoint } = await add()
  hooks.receiver.answer = () => undefined // it never answers
  await ended()
  const stopping = new AbortController()
  const all = deliverWebhooks(hooks.site.world, stopping.signal)
  await expect.poll(() => hooks.receiver.received.length).toBe(1)
  stopping.abort()
  await all
  expect(await states()).toEqual(['pending 0'])
  expect((await findEndpoint(hooks.site.world, endpoint.id)).lease).toBe(null)
  hooks.receiver.answer = undefined
  await deliverAll()
  expect([await states(), hooks.receiver.received.length]).toEqual([['delivered 1'], 2])
})

/** From the moment it would record how a delivery went, this process writes nothing more, not even that it gives up its lease. */
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
