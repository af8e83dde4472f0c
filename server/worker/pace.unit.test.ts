import { Server } from 'node:http'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createPace } from './pace.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const request = (url: string) => ({ url })

/** How long the pause takes, up to a minute. `whileWaiting` runs after 300 ms. */
async function measurePause(pause: Promise<void> | undefined, whileWaiting?: () => void): Promise<number> {
  const start = performance.now()
  let end: number | undefined
  void Promise.resolve(pause).then(() => {
    end ??= performance.now()
  })
  await vi.advanceTimersByTimeAsync(0)
  for (let ms = 0; ms < 60_000 && end === undefined; ms += 100) {
    if (ms === 300) whileWaiting?.()
    await vi.advanceTimersByTimeAsync(100)
  }
  return (end ?? Number.POSITIVE_INFINITY) - start
}

it('8.11 a worker pauses less the more there is to do', async () => {
  const pace = createPace()
  expect(await measurePause(pace.pauseAfter(12, 12))).toBe(0)
  expect(await measurePause(pace.pauseAfter(3, 12))).toBe(100)
  expect(await measurePause(pace.pauseAfter(0, 12))).toBe(500)
})

it('8.11 a worker of an idle site looks less often, until the API is called', async () => {
  const server = new Server()
  const pace = createPace(server)
  expect(await measurePause(pace.pauseAfter(0, 12))).toBe(500)
  await vi.advanceTimersByTimeAsync(31_000)
  expect(await measurePause(pace.pauseAfter(0, 12))).toBe(5000)
  expect(await measurePause(pace.pauseAfter(3, 12))).toBe(100)
  const probe = () => void server.emit('request', request('/readyz'))
  expect(await measurePause(pace.pauseAfter(0, 12), probe)).toBe(5000)
  const ask = () => void server.emit('request', request('/api/enrollment/status'))
  expect(await measurePause(pace.pauseAfter(0, 12), ask)).toBeLessThan(500)
  expect(await measurePause(pace.pauseAfter(0, 12))).toBe(500)
})

it('8.11 a worker that is stopped does not pause, and stops listening', async () => {
  const server = new Server()
  const pace = createPace(server)
  const pause = pace.pauseAfter(0, 12)
  expect(await measurePause(pause, pace.end)).toBeLessThan(500)
  expect(pace.pauseAfter(0, 12)).toBeUndefined()
  expect(server.listenerCount('request')).toBe(0)
})
