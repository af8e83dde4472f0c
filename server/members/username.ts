import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { longDay } from '#contract/days.ts'
import { DAYS_BETWEEN_USERNAMES, nextUsernameChange } from '#contract/office/address.ts'
import { reservedWords } from '#contract/site.ts'
import { countAgainstLimit } from '#server/abuse/limits.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { addEvent } from '#server/events/events.ts'
import { addJob } from '#server/jobs/queue.ts'
import type { MemberBrowser } from '#server/members/browser.ts'
import { Refusal, refuseFields } from '#server/refusal.ts'
import { dayOf, todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { availability, claimName } from './claims.ts'
import { requirePassword } from './details.ts'

type UsernameChange = { username: string; current_password: string }

/**
 * Gives a member a new username and link. They keep the old ones: the old link leads to the new one for ever, both names
 * sign in, and nobody else can take either.
 */
export async function changeUsername(
  world: World,
  { username, current_password }: UsernameChange,
  visitor: MemberBrowser,
) {
  const { id, enrollment_id } = await requirePassword(world, current_password, visitor)
  await countAgainstLimit(world, 'LIMIT_LOOKUPS', id)
  const now = world.now()
  await inTransaction(world.db, async (db) => {
    const member = await db
      .selectFrom('member')
      .select(['username', 'joined_username', 'username_changed_at'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirstOrThrow()
    if (member.username === username) throw refuseFields({ username: 'This is already your username.' })
    rejectEarlyChange(world, member.username_changed_at)
    await claimUsername(db, username, enrollment_id)
    const moved = await moveSite(db, id, username, now)
    const joined_username = member.joined_username ?? member.username
    await db
      .updateTable('member')
      .set({ username, joined_username, username_changed_at: now })
      .where('id', '=', id)
      .execute()
    await addEvent(db, now, { type: 'member.changed', member_id: id, payload: { fields: ['username'] } })
    await addEvent(db, now, { type: 'sponsor.renamed', member_id: id, payload: moved })
    await addJob(
      db,
      'username_changed',
      { member_id: id, old_username: member.username, who: 'office', at: now.toISOString() },
      now,
    )
  })
  return id
}

function rejectEarlyChange(world: World, changed_at: Date | null) {
  const day = changed_at && nextUsernameChange(dayOf(world, changed_at))
  if (day && todayOf(world) < day)
    throw refuseFields({
      username: `You can change your username once in ${DAYS_BETWEEN_USERNAMES} days. The next time is ${longDay(day)}.`,
    })
}

/** Of several who claim a name at once, one succeeds. A name that this member has had before is still theirs. */
async function claimUsername(db: Db, username: string, enrollment_id: string) {
  const isFree =
    !reservedWords.has(username) && (await claimName(db, { kind: 'username', value: username, enrollment_id }))
  if (isFree) return
  const result = await availability(db, 'username', username, enrollment_id)
  if (result !== 'Available') throw refuseFields({ username: result })
}

/** The new site takes over everything of the current one, and all earlier sites of the member lead straight to it. */
async function moveSite(db: Db, member_id: string, site: string, created_at: Date) {
  const found = await db
    .selectFrom('sponsor')
    .select(['id', 'name', 'active', 'active_until', 'picture_url'])
    .where('member_id', '=', member_id)
    .where('renamed_to', 'is', null)
    .orderBy('created_at', 'desc')
    .executeTakeFirst()
  if (!found) throw new Refusal(409, 'Your page has been moved. Please contact us to change your username.')
  const { id: former_sponsor_id, ...current } = found
  const { id: sponsor_id } = await db
    .insertInto('sponsor')
    .values({ id: randomUUID(), site, member_id, created_at, ...current })
    .onConflict((conflict) =>
      conflict
        .column('site')
        .doUpdateSet({
          ...current,
          created_at,
          earlier_from: sql`sponsor.earlier_from || sponsor.created_at`,
          renamed_to: null,
        })
        .where('sponsor.member_id', '=', member_id),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .updateTable('sponsor')
    .set({ renamed_to: site })
    .where('member_id', '=', member_id)
    .where('site', '<>', site)
    .execute()
  return { sponsor_id, former_sponsor_id }
}
