import { expect, test } from 'vitest'
import { Unreachable } from '#web/network.ts'
import { type MomentOptions, untilAnswered } from './moment.ts'

/** A database that is away until `backAt`, a clock that only moves while a call is paused, and what the screen says. */
function serverAway({ backAt = Infinity, retryAfter = '2', status = 503, tryMs = 0 } = {}) {
  let time = 0
  const sentAt: number[] = []
  const said: string[] = []
  const send = async () => {
    sentAt.push(time)
    if (sentAt.length > 100) throw new Error('This would never end.')
    time += tryMs
    if (time >= backAt) return Response.json({ payment: 'Approved' })
    return new Response('{"message":"One moment."}', {
      status,
      headers: retryAfter ? { 'retry-after': retryAfter } : {},
    })
  }
  const clock = {
    now: () => time,
    random: () => 0.5,
    pause: async (milliseconds: number, signal: AbortSignal | undefined) => {
      if (signal?.aborted) throw new Unreachable('The call was aborted.')
      time += milliseconds
    },
    notice: {
      begin(afterMs: number) {
        said.push(`after ${afterMs} ms`)
        return () => void said.push('over')
      },
    },
  }
  return { sentAt, said, sendAll: (options?: MomentOptions) => untilAnswered(send, options, clock) }
}

test('33.6 while the database moves, a call is sent again until it is answered', async () => {
  const server = serverAway({ backAt: 6_000 })
  expect(await (await server.sendAll()).json()).toEqual({ payment: 'Approved' })
  expect(server.sentAt, 'a little later each than Retry-After says').toEqual([0, 2_250, 4_500, 6_750])
  expect(server.said).toEqual(['after 1000 ms', 'over'])
})

test('a first try that took long says so immediately', async () => {
  const server = serverAway({ backAt: 6_000, tryMs: 3_000 })
  await server.sendAll()
  expect(server.said).toEqual(['after 0 ms', 'over'])
})

test('33.6 after a minute the 503 is the answer, and can still be read', async () => {
  const server = serverAway()
  const reply = await server.sendAll()
  expect([reply.status, await reply.json()]).toEqual([503, { message: 'One moment.' }])
  expect(server.sentAt.at(-1)).toBeGreaterThan(55_000)
  expect(server.sentAt.at(-1)).toBeLessThanOrEqual(60_000)
  expect(server.said).toEqual(['after 1000 ms', 'over'])
})

test.each([
  ['a 503 without Retry-After', { retryAfter: '' }],
  ['a 503 that asks for longer than a minute', { retryAfter: '3600' }],
  ['a 503 that names a date', { retryAfter: 'Wed, 21 Oct 2026 07:28:00 GMT' }],
  ['a 429', { status: 429 }],
  ['a 500', { status: 500 }],
])('%s is the answer', async (_, kind) => {
  const server = serverAway({ backAt: 2_000, ...kind })
  expect((await server.sendAll()).ok).toBe(false)
  expect([server.sentAt, server.said]).toEqual([[0], []])
})

test('a poll does not wait, because it comes again anyway', async () => {
  const server = serverAway({ backAt: 2_000 })
  expect((await server.sendAll({ waitMs: 0 })).status).toBe(503)
  expect([server.sentAt, server.said]).toEqual([[0], []])
})

test('a call is not sent again for a visitor who has moved on', async () => {
  const server = serverAway({ backAt: 10_000 })
  const reply = await server.sendAll({ isWanted: () => server.sentAt.length < 2 })
  expect([reply.status, await reply.json()]).toEqual([503, { message: 'One moment.' }])
  expect(server.sentAt).toEqual([0, 2_250])
  expect(server.said).toEqual(['after 1000 ms', 'over'])
})

test('aborting ends the wait', async () => {
  const server = serverAway({ backAt: 10_000 })
  await expect(server.sendAll({ signal: AbortSignal.abort() })).rejects.toBeInstanceOf(Unreachable)
  expect(server.sentAt).toEqual([0])
  expect(server.said).toEqual(['after 1000 ms', 'over'])
})

test('a network that is lost while waiting is Unreachable, and nothing is said any longer', async () => {
  const said: string[] = []
  const replies = [async () => new Response('', { status: 503, headers: { 'retry-after': '2' } })]
  const send = () => replies.shift()?.() ?? Promise.reject(new Unreachable('The server did not answer.'))
  const clock = { now: () => 0, random: () => 0, pause: async () => undefined }
  const notice = { begin: () => () => void said.push('over') }
  await expect(untilAnswered(send, {}, { ...clock, notice })).rejects.toBeInstanceOf(Unreachable)
  expect(said).toEqual(['over'])
})
