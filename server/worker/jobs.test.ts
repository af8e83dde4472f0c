import { afterEach, expect, it, vi } from 'vitest'
import { addJob, type JobKind, jobGroups } from '#server/jobs/queue.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { runJobs } from './jobs.ts'

afterEach(() => vi.useRealTimers())

/** Two of the three seconds of a lease pass, in which it is renewed, and then two more. */
async function passLease(site: Site) {
  const leases = async () => {
    const rows = await site.db.selectFrom('job').select('leased_until').where('leased_until', 'is not', null).execute()
    return rows.map(({ leased_until }) => leased_until?.getTime() ?? 0)
  }
  const before = Math.max(...(await leases()))
  site.advance(2)
  vi.advanceTimersByTime(1000)
  await expect.poll(async () => Math.max(...(await leases()))).toBeGreaterThan(before)
  site.advance(2)
}

const join = async (site: Site) => site.post('enrollment/add-enrollment', await filledForm(site))

it('15.12 an email that takes longer than its lease is sent once', async () => {
  const site = await testSite({ PAYMENT_DEADLINE_SECONDS: '1' }) // a lease of 3 s, renewed every second
  await join(site)
  let sent = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  site.world.mail.send = async () => {
    sent += 1
    await promise
  }
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const slow = runJobs(site.world, jobGroups.emails)
  await expect.poll(() => sent).toBe(2)
  await passLease(site)
  expect(await runJobs(site.world, jobGroups.emails)).toBe(0)
  resolve()
  expect([await slow, sent]).toEqual([3, 2]) // the third writes to a sponsor, who is no member here
  await site.close()
})

it('15.12 an email is sent once, even if the failure of another email cannot be recorded', async () => {
  const site = await testSite({ PAYMENT_DEADLINE_SECONDS: '1' })
  await join(site)
  const { db } = site.world
  const brokenDb = db.withPlugin({
    transformQuery: () => {
      site.world.db = db
      throw new Error('the database is down')
    },
    transformResult: async ({ result }) => result,
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  let sent = 0
  site.world.mail.send = async () => {
    sent += 1
    if (sent === 2) await promise
    else {
      site.world.db = brokenDb
      throw new Error('the mail server is down')
    }
  }
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const run = runJobs(site.world, jobGroups.emails)
  const failing = expect(run).rejects.toThrow('the database is down')
  await expect.poll(() => sent).toBe(2)
  await passLease(site)
  site.world.mail.send = async () => {
    sent += 1
  }
  expect([await runJobs(site.world, jobGroups.emails), sent], 'only the email that failed').toEqual([1, 3])
  resolve()
  await failing
  await site.close()
})

it('19.23 the timeline has only the emails that were sent, not those that no longer applied', async () => {
  const site = await testSite()
  await join(site)
  while (await runJobs(site.world));
  const { id: member_id } = await site.db.selectFrom('member').select('id').executeTakeFirstOrThrow()
  const now = site.world.now()
  await addJob(site.db, 'hold_began', { member_id, why: 'team', since: now.toISOString() }, now) // the hold is over by now
  expect(await runJobs(site.world)).toBe(1)
  expect(await runJobs(site.world)).toBe(0)
  const sent = await site.db.selectFrom('member_event').select('what').where('kind', '=', 'email').execute()
  expect(sent.map(({ what }) => what).sort()).toEqual(['consent', 'welcome'])
  await site.close()
})

/** Runs these jobs each time one is due, up to `maxRuns` times. Returns how often, and over how many days. */
async function keepTrying(site: Site, kinds: JobKind[], maxRuns: number) {
  const start = site.world.now().getTime()
  const nextAt = async () => {
    const open = site.db.selectFrom('job').select('run_at').where('kind', 'in', kinds).where('done_at', 'is', null)
    return (await open.orderBy('run_at').limit(1).executeTakeFirst())?.run_at.getTime()
  }
  for (let runs = 0, days = 0; ; runs++) {
    const at = await nextAt()
    if (at === undefined || runs === maxRuns) return { runs, days }
    site.advance((at - site.world.now().getTime()) / 1000)
    days = (at - start) / 86_400_000
    await runJobs(site.world, kinds)
  }
}

it('15.12 8.2 an email that no server accepts is retried for about four days and then abandoned; /metrics counts both', async () => {
  const site = await testSite()
  const payload = { email: 'zoe@mail.example', first_name: 'Zoe', new_email: 'new@mail.example' }
  await addJob(site.db, 'email_changed', payload, site.world.now())
  site.world.mail.send = async () => {
    throw new Error('the mail server is down')
  }
  const metric = async (name: string) =>
    Number(new RegExp(`^${name}{kind="email_changed"} (\\d+)$`, 'm').exec((await site.get('/metrics')).body)?.[1])
  const before = await metric('foyer_jobs_given_up_total')
  expect(await metric('foyer_jobs_waiting')).toBe(1)
  const { runs, days } = await keepTrying(site, jobGroups.emails, 200)
  expect(runs).toBe(100)
  expect(days).toBeGreaterThan(3.5)
  expect(days).toBeLessThan(4)
  expect(site.log()).toContain('job abandoned')
  expect(await metric('foyer_jobs_waiting')).toBe(0)
  expect(await metric('foyer_jobs_given_up_total')).toBe(before + 1)
  await site.close()
})

it('4.13 a capture that the gateway does not confirm is never abandoned', async () => {
  const site = await testSite()
  await join(site)
  site.world.payment.capture = async () => 'unknown'
  expect(await keepTrying(site, jobGroups.payments, 110)).toMatchObject({ runs: 110 })
  expect(await site.db.selectFrom('job').select('kind').where('done_at', 'is', null).execute()).toContainEqual({
    kind: 'capture',
  })
  await site.close()
})
