import { expect, it } from 'vitest'
import { cards } from '#server/gateways/payment/cards.ts'
import { leaseMs } from '#server/gateways/payment/deadlines.ts'
import { filledForm, testSite } from '#server/test/site.ts'
import { advanceClock, DAY_MS } from './advance-clock.ts'

it('17.13 the clock stops for the email before a charge', async () => {
  const site = await testSite({ DATABASE_URL: '' })
  const { world, db } = site
  await site.post('enrollment/add-enrollment', await filledForm(site))
  await db.updateTable('member').set({ renewal_emails: true }).execute()
  const { due_at } = await db.selectFrom('membership').select('due_at').executeTakeFirstOrThrow()
  site.advance((26 * DAY_MS) / 1000) // nothing is due in these days
  if (!world.testClock) throw new Error('This site has no test clock.')
  await advanceClock(world, world.testClock, new Date(world.now().getTime() + 2 * DAY_MS))
  const sent = await db.selectFrom('job').select('run_at').where('kind', '=', 'renewal_ahead').execute()
  expect(sent).toEqual([{ run_at: new Date(Number(due_at) - 71 * 3_600_000) }])
  await site.close()
})

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
