import type { Db } from '#server/db/db.ts'
import { statement } from '#server/db/statement.ts'
import type { World } from '#server/world.ts'

/** Whom an enrollment has led to. */
export const memberOfEnrollment = (db: Db, enrollment_id: string) =>
  db.selectFrom('member').select(['id', 'welcome_until']).where('enrollment_id', '=', enrollment_id).executeTakeFirst()

/** A member, and the sponsor they joined with, as letters and what they accepted name them. */
export async function findMember({ db }: Pick<World, 'db'>, member_id: string) {
  const [member] = (await readMember(db, { member_id })).rows
  if (!member) throw new Error('a member who is not there')
  return member
}
export type MemberWithSponsor = Awaited<ReturnType<typeof findMember>>

const readMember = statement((db, { member_id }: { member_id: string }) =>
  db
    .selectFrom('member')
    .innerJoin('sponsor', 'sponsor.id', 'member.sponsor_id')
    .select(['first_name', 'last_name', 'email', 'username', 'joined_at', 'cancelled_at', 'touch_seal'])
    .select(['sponsor.name as sponsor_name', 'sponsor.site as sponsor_site'])
    .where('member.id', '=', member_id),
)
