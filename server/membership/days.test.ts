import { expect, it } from 'vitest'
import { addDays, periodStart } from '#contract/renewal.ts'
import { viewOffice } from '#server/office/view.ts'
import { emailsTo, joinedMember } from '#server/test/member.ts'
import { testSite } from '#server/test/site.ts'
import { cancel } from './cancellation.ts'
import { renewMemberships } from './membership.ts'

const HOUR = 3_600

/** 'November 15, 2026' → '2026-11-15' */
const daysIn = (text: string) =>
  [...text.matchAll(/\b[A-Z][a-z]+ \d{1,2}, \d{4}/g)].map(([day]) => new Date(`${day} UTC`).toISOString().slice(0, 10))

it.each([
  ['America/New_York', 13, '2026-11-15'], // 8 p.m., and the 16th in UTC
  ['Asia/Tokyo', 8, '2026-11-16'], // 5 a.m., and the 15th in UTC
])('17.2 in %s, screens, emails and charges agree on the day', async (TIME_ZONE, hours, today) => {
  const site = await testSite({ TIME_ZONE })
  site.advance(hours * HOUR)
  const renewal = periodStart(today, 1)
  const next = periodStart(today, 2)
  const { username, email } = await joinedMember(site)
  const { id } = await site.db
    .selectFrom('member')
    .select('id')
    .where('username', '=', username)
    .executeTakeFirstOrThrow()

  const [welcome] = await emailsTo(site, email, 'Welcome to Foyer')
  expect(new Set(daysIn(welcome?.body ?? ''))).toEqual(new Set([today, renewal]))
  const joined = await viewOffice(site.world, id)
  expect([joined.joined_on, joined.receipt?.paid_on, joined.membership.renews_on]).toEqual([today, today, renewal])
  const page = (await site.get('/ana')).body
  expect(page).toContain(`"today":"${today}"`)
  expect(page).toContain(`"time_zone":"${TIME_ZONE}"`)

  for (let hour = 0; hour < 31 * 24; hour++) {
    site.advance(HOUR)
    if (await renewMemberships(site.world)) break
  }
  const [receipt] = (await emailsTo(site, email)).filter(({ subject }) => subject.startsWith('Your receipt'))
  expect(new Set(daysIn(receipt?.body ?? ''))).toEqual(new Set([renewal, next]))
  expect((await viewOffice(site.world, id)).renewals).toMatchObject([{ paid_on: renewal, starts_on: renewal }])

  await cancel(site.world, id)
  const [canceled] = (await emailsTo(site, email)).filter(({ subject }) => subject.startsWith('Your membership ends'))
  expect(new Set(daysIn(canceled?.body ?? ''))).toEqual(new Set([renewal, next]))
  expect((await viewOffice(site.world, id)).membership).toMatchObject({ cancelled_on: renewal, renews_on: next })
  const { ends_at } = await site.db
    .selectFrom('member')
    .select('ends_at')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  site.advance((Number(ends_at) - site.world.now().getTime()) / 1000)
  const { membership } = await viewOffice(site.world, id)
  expect(membership).toMatchObject({ is_over: true, ended_on: next })
  expect(membership.ended_on).not.toBe(addDays(next, 1))
  await site.close()
})
