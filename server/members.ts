import { statement } from './db/statement.ts'
import type { World } from './world.ts'

/** A member, and the sponsor they joined with, as letters and what they accepted name them. */
export async function findMember({ db }: Pick<World, 'db'>, member_id: string) {
  const [member] = (await readMember(db, { member_id })).rows
  if (!member) throw new Error('a member who is not there')
  return member
}
export type NamedMember = Awaited<ReturnType<typeof findMember>>

const readMember = statement((db, { member_id }: { member_id: string }) =>
  db
    .selectFrom('member')
    .innerJoin('sponsor', 'sponsor.id', 'member.sponsor_id')
    .select(['first_name', 'last_name', 'email', 'username', 'joined_at', 'cancelled_at', 'touch_seal'])
    .select(['sponsor.name as sponsor_name', 'sponsor.site as sponsor_site'])
    .where('member.id', '=', member_id),
)
