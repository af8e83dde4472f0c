import { expect, it } from 'vitest'
import type { Refusal } from '#server/refusal.ts'
import { fairQueue } from './fair-queue.ts'

type Lane = 'known' | 'sign_in'

/** Starts everything at once, one at a time, and returns the order in which it ran. */
async function orderOf(applicants: [name: string, lane: Lane, key: string][], waiting = 100) {
  const run = fairQueue<Lane>(['known', 'sign_in'])
  const order: string[] = []
  const results = await Promise.allSettled(
    applicants.map(([name, lane, key]) =>
      run({ lane, key }, { atOnce: 1, waiting }, async () => {
        order.push(name)
        await new Promise((resolve) => setImmediate(resolve))
      }),
    ),
  )
  const refused = results.flatMap((result, index) => (result.status === 'rejected' ? [applicants[index]?.[0]] : []))
  for (const result of results)
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ status: 503 } satisfies Partial<Refusal>)
  return { order, refused }
}

it('21.22 lanes take turns: a crowd of strangers does not delay known browsers', async () => {
  const crowd = Array.from({ length: 50 }, (_, n): [string, Lane, string] => [`s${n}`, 'sign_in', `network ${n}`])
  const { order } = await orderOf([...crowd, ['ada', 'known', 'ada'], ['bo', 'known', 'bo']])
  expect(Math.max(order.indexOf('ada'), order.indexOf('bo'))).toBeLessThan(6)
})

it('21.22 within a lane networks take turns', async () => {
  const crowd = Array.from({ length: 50 }, (_, n): [string, Lane, string] => [`s${n}`, 'sign_in', 'one network'])
  const { order } = await orderOf([...crowd, ['honest', 'sign_in', 'another']])
  expect(order.indexOf('honest')).toBeLessThan(4)
})

it('21.22 when a lane is full, the network with the most waiting has to go, not who comes last', async () => {
  const crowd = Array.from({ length: 11 }, (_, n): [string, Lane, string] => [`s${n}`, 'sign_in', 'one network'])
  const { order, refused } = await orderOf(
    [...crowd, ['s11', 'sign_in', 'one network'], ['honest', 'sign_in', 'another']],
    10,
  )
  expect(refused).toEqual(['s10', 's11'])
  expect(order).toContain('honest')
})

it('21.22 when every network has one waiting, the next one is refused', async () => {
  const crowd = Array.from({ length: 12 }, (_, n): [string, Lane, string] => [`s${n}`, 'sign_in', `network ${n}`])
  expect((await orderOf(crowd, 10)).refused).toEqual(['s11'])
})

it('21.22 work that fails gives its place to the next', async () => {
  const run = fairQueue<Lane>(['known', 'sign_in'])
  const capacity = { atOnce: 1, waiting: 5 }
  const failing = run({ lane: 'sign_in', key: 'a' }, capacity, async () => {
    throw new Error('no memory')
  })
  const next = run({ lane: 'sign_in', key: 'a' }, capacity, async () => 'done')
  await expect(failing).rejects.toThrow('no memory')
  expect(await next).toBe('done')
  expect(await run({ lane: 'known', key: 'a' }, capacity, async () => 'again')).toBe('again')
})
