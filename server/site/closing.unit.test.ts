import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
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

test('8.3 idle clients are disconnected while a request is still running', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] }) // so that the five seconds never end
  const app = fastify()
  closeGracefully(app)
  const [requested, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
  app.get('/', () => {
    requested.resolve()
    return finish.promise
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const silent = connect(port, '127.0.0.1')
  await once(silent, 'connect')
  const agent = new Agent({ keepAlive: true })
  const running = once(get(`http://127.0.0.1:${port}/`, { agent }), 'response')
  await requested.promise
  const disconnected = once(silent, 'close')
  const closing = app.close()
  await disconnected
  finish.resolve('done')
  const [reply] = await running
  expect(await text(reply)).toBe('done')
  await closing
  agent.destroy()
})
