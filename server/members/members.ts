import type { Db } from '#server/db/db.ts'
import { statement } from '#server/db/statement.ts'
import type { World } from '#server/world/world.ts'

/** The member that an enrollment led to, if any. */
export const memberOfEnrollment = (db: Db, enrollment_id: string) =>
  db
    .selectFrom('member')
    .select(['id', 'username', 'welcome_until', 'access_version'])
    .where('enrollment_id', '=', enrollment_id)
    .executeTakeFirst()

/** A member and the sponsor they joined with, as emails and consent records name them. */
export async function findMember({ db }: Pick<World, 'db'>, member_id: string) {
  const [member] = (await selectMember(db, { member_id })).rows
  if (!member) throw new Error('member not found')
  return member
}
export type MemberWithSponsor = Awaited<ReturnType<typeof findMember>>

const selectMember = statement((db, { member_id }: { member_id: string }) =>
  db
    .selectFrom('member')
    .innerJoin('sponsor', (join) =>
      join.on('sponsor.id', '=', ({ fn }) => fn.coalesce('member.joined_sponsor_id', 'member.sponsor_id')),
    )
    .select(['member.id', 'first_name', 'last_name', 'email', 'email_confirmed_at', 'username', 'joined_at'])
    .select(['cancelled_at', 'touch_seal', 'renewal_emails'])
    .select(['joined_username', 'joined_first_name', 'joined_last_name', 'joined_sponsor_name'])
    .select(['sponsor.name as sponsor_name', 'sponsor.site as sponsor_site'])
    .where('member.id', '=', member_id),
)
