import { expect, it } from 'vitest'
import { cards } from '#server/gateways/payment/cards.ts'
import { leaseMs } from '#server/gateways/payment/deadlines.ts'
import { filledForm, testSite } from '#server/test/site.ts'
import { advanceClock, DAY_MS } from './advance-clock.ts'

it('17.30 an advance of the clock that is killed leaves no lease that ends months later', async () => {
  const site = await testSite({ DATABASE_URL: '' }) // as embedded, which has a clock that can be advanced
  const { world, db } = site
  await site.post('enrollment/add-enrollment', await filledForm(site, { cc_number: cards.review }))
  const running = { state: 'authorizing' as const, leased_until: new Date(world.now().getTime() + leaseMs(world)) }
  await db.updateTable('payment').set(running).execute()
  const { testClock } = world
  if (!testClock) throw new Error('This site has no test clock.')
  let moves = 0
  const dying = {
    ...testClock,
    moveTo: (time: Date) => {
      if (++moves > 3) throw new Error('killed')
      testClock.moveTo(time)
    },
  }
  const target = new Date(world.now().getTime() + 200 * DAY_MS)
  await expect(advanceClock(world, dying, target)).rejects.toThrow('killed')
  const { leased_until } = await db.selectFrom('payment').select('leased_until').executeTakeFirstOrThrow()
  expect(Number(leased_until) - world.now().getTime()).toBe(leaseMs(world))
  await site.close()
})
