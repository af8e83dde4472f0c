import { renewMemberships } from '#server/membership/membership.ts'
import { writeNotices } from '#server/membership/notify.ts'
import { settleAttempts } from '#server/worker/janitor.ts'
import { runJobs } from '#server/worker/jobs.ts'
import { todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { emailsTo, joinedMember } from './member.ts'
import type { Site } from './site.ts'

/** For tests of memberships over weeks and months. */

export const DAY = 86_400

let count = 0

/** Enrolls a member with a card that is valid for years, and sends the emails that follow. */
export async function newMember(site: Site, changes: Record<string, string> = {}) {
  const username = `member${++count}`
  const member = await joinedMember(site, { username, email: `${username}@example.com`, cc_year: '2035', ...changes })
  await emailsTo(site, member.email)
  const { id } = await site.db
    .selectFrom('member')
    .select('id')
    .where('username', '=', member.username)
    .executeTakeFirstOrThrow()
  return { ...member, id, joined_on: todayOf(site.world) }
}

export const daysUntil = (site: Site, day: string) => (Date.parse(day) - Date.parse(todayOf(site.world))) / (DAY * 1000)

/** Everything that is due now. */
export async function work(world: World) {
  await writeNotices(world)
  while (await renewMemberships(world));
  await settleAttempts(world)
  while (await runJobs(world));
}

/** Does each day's work at the same time of the day. */
export async function pass(site: Site, days: number, world: World = site.world) {
  for (let day = 0; day < days; day++) {
    site.advance(DAY)
    await work(world)
  }
}
