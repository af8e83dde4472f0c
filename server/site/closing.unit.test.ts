import { once } from 'node:events'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fastify } from 'fastify'
import { afterEach, expect, test, vi } from 'vitest'
import { closeGracefully } from './closing.ts'

afterEach(() => vi.useRealTimers())

test('8.3 running requests may take five seconds, and no longer', async () => {
  const app = fastify()
  closeGracefully(app)
  const [requested, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  app.get('/', () => {
    requested.resolve()
    return new Promise(() => undefined)
  })
  app.addHook('preClose', async () => closed.resolve())
  await app.listen({ port: 0, host: '127.0.0.1' })
  const request = get(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`)
  const disconnected = once(request, 'error')
  await requested.promise
  const closeAll = vi.spyOn(app.server, 'closeAllConnections')
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const closing = app.close()
  await closed.promise
  vi.advanceTimersByTime(4_999)
  expect(closeAll).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(closeAll).toHaveBeenCalled()
  await Promise.all([disconnected, closing])
})
