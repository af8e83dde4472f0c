import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { cards } from './gateways/payment/cards.ts'
import { bringBack, settleAttempts } from './janitor.ts'
import { lanes, runJobs } from './jobs.ts'
import { addJob } from './queue.ts'
import { filledForm, type Site, testSite } from './test/site.ts'
import { startWorker } from './worker.ts'

const DAY = 86_400

let site: Site
beforeEach(async () => {
  site = await testSite()
})
afterEach(() => site.close())

const enroll = async (cc_number: string) =>
  site.post('enrollment/add-enrollment', await filledForm(site, { cc_number }), {
    'idempotency-key': `${randomUUID()}.1`,
  })
const payments = () => site.db.selectFrom('payment').select(['state', 'leased_until', 'created_at']).execute()
const jobs = () => site.db.selectFrom('job').select(['kind', 'run_at', 'leased_until', 'done_at']).execute()

/** While the clock is a day ahead. */
const ahead = async (happens: () => Promise<unknown>) => {
  site.pass(DAY)
  await happens()
  site.pass(-DAY)
}

it('8.4 a payment whose answer was lost while the clock was a day ahead is settled as soon as it is right', async () => {
  await ahead(() => enroll(cards.answerLost))
  site.pass(60)
  expect(await settleAttempts(site.world), 'its lease ends tomorrow').toBe(0)
  const worker = startWorker(site.world)
  const settled = async () => {
    site.pass(1)
    expect(await payments()).toMatchObject([{ state: 'captured' }])
  }
  await vi.waitFor(settled, { timeout: 20_000, interval: 100 })
  await worker.stop()
})

it('8.4 4.14 one that the gateway never heard of is final half an hour after the clock was set right', async () => {
  await ahead(() => enroll(cards.neverHeard))
  const stateAfter = async (seconds: number) => {
    site.pass(seconds)
    await settleAttempts(site.world)
    return (await payments())[0]?.state
  }
  await bringBack(site.world)
  expect([await stateAfter(1), await stateAfter(1700), await stateAfter(110)]).toEqual([
    'unknown',
    'unknown',
    'abandoned',
  ])
})

it('8.4 captures and letters that were taken or put off while the clock was a day ahead are done', async () => {
  await ahead(() => enroll(cards.good))
  expect(await runJobs(site.world), 'they are due tomorrow').toBe(0)
  await bringBack(site.world)
  await site.db
    .updateTable('job')
    .set({ leased_until: new Date(site.world.now().getTime() + DAY * 1000) })
    .execute()
  expect(await runJobs(site.world), 'somebody has them until tomorrow').toBe(0)
  await bringBack(site.world)
  expect(await runJobs(site.world)).toBe(3)
  expect(await payments()).toMatchObject([{ state: 'captured' }])
})

it('8.4 what waits by the right clock, or one that is a minute ahead, goes on waiting', async () => {
  site.world.mail.send = async () => {
    throw new Error('nobody takes it')
  }
  const letter = { email: 'zoe@mail.example', first_name: 'Zoe', new_email: 'new@mail.example' }
  await addJob(site.db, 'email_changed', letter, site.world.now())
  await site.db.updateTable('job').set({ tries: 50 }).execute()
  site.pass(60)
  await runJobs(site.world, lanes.letters)
  await enroll(cards.review)
  await site.db
    .updateTable('payment')
    .set({ created_at: new Date(site.world.now().getTime() - DAY * 1000) })
    .execute()
  site.pass(10)
  await settleAttempts(site.world)
  await addJob(site.db, 'forgotten', { name: 'zoe', asked_at: site.world.now().toISOString() }, site.world.now())
  const before = { payments: await payments(), jobs: await jobs() }
  site.pass(-60)
  await bringBack(site.world)
  expect({ payments: await payments(), jobs: await jobs() }).toEqual(before)
})
