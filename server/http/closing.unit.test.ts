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
  const [asked, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  app.get('/', () => {
    asked.resolve()
    return new Promise(() => undefined)
  })
  app.addHook('preClose', async () => told.resolve())
  await app.listen({ port: 0, host: '127.0.0.1' })
  const asking = get(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`)
  const hungUp = once(asking, 'error')
  await asked.promise
  const cut = vi.spyOn(app.server, 'closeAllConnections')
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const closing = app.close()
  await told.promise
  vi.advanceTimersByTime(4_999)
  expect(cut).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(cut).toHaveBeenCalled()
  await Promise.all([hungUp, closing])
})
