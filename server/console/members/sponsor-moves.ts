import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { MemberPage } from '#contract/console/member-page.ts'
import type { Db } from '#server/db/db.ts'
import { refuseFields } from '#server/refusal.ts'
import { creditProblem, findMoves } from '#server/sponsors/moves.ts'
import { resolveSite } from '#server/sponsors/sponsors.ts'
import type { TouchRow } from '#server/sponsors/touches.ts'
import type { World } from '#server/world/world.ts'
import type { StaffSession } from '../access/session.ts'
import { actOnMember } from './member-actions.ts'
import type { FoundMember } from './member-rows.ts'

type Move = { member_id: string; sponsor_site: string; reason: string }

/** From now on the member counts for another sponsor. How they joined stays on record, sealed as it was. */
export const moveSponsor = (world: World, { member_id, sponsor_site, reason }: Move, session: StaffSession) =>
  actOnMember(world, session, { act: 'move_sponsor', member_id, reason }, async (world) => {
    const { db } = world
    await sql`lock table sponsor_move in share row exclusive mode`.execute(db) // two moves at once could make a circle
    const current = await findCurrent(db, member_id)
    const sponsor = await resolveSite(world, sponsor_site)
    if (!sponsor) throw refuseFields({ sponsor_site: 'There is no sponsor with this link.' })
    if (!sponsor.active) throw refuseFields({ sponsor_site: `The sponsor /${sponsor.site} is not active.` })
    const above = await membersAbove(db, sponsor.id)
    if (sponsor.id === current.sponsor_id || (above[0] && above[0] === current.sponsor_member_id))
      throw refuseFields({ sponsor_site: 'This is the sponsor already.' })
    if (above[0] === member_id) throw refuseFields({ sponsor_site: 'Members can’t be their own sponsor.' })
    if (above.includes(member_id))
      throw refuseFields({ sponsor_site: 'This sponsor joined below this member: that would be a circle.' })
    await db
      .insertInto('sponsor_move')
      .values({
        id: randomUUID(),
        member_id,
        from_id: current.sponsor_id,
        to_id: sponsor.id,
        reason,
        moved_by: session.staff.id,
        moved_at: world.now(),
      })
      .execute()
    const joined_sponsor_id = current.joined_sponsor_id ?? current.sponsor_id
    await db
      .updateTable('member')
      .set({ sponsor_id: sponsor.id, joined_sponsor_id })
      .where('id', '=', member_id)
      .execute()
    return { before: { sponsor: current.site }, after: { sponsor: sponsor.site } }
  })

const findCurrent = (db: Db, member_id: string) =>
  db
    .selectFrom('member')
    .innerJoin('sponsor', 'sponsor.id', 'member.sponsor_id')
    .select(['sponsor_id', 'joined_sponsor_id', 'site', 'sponsor.member_id as sponsor_member_id'])
    .where('member.id', '=', member_id)
    .forUpdate('member')
    .executeTakeFirstOrThrow()

/** The member whose site this is, their sponsor, and so on to the top. */
async function membersAbove(db: Db, sponsor_id: string): Promise<string[]> {
  const { rows } = await sql<{ member_id: string }>`
    with recursive above as (
      select member_id, 1 as height from sponsor where id = ${sponsor_id}
      union
      select sponsor.member_id, height + 1 from above join member on member.id = above.member_id
        join sponsor on sponsor.id = member.sponsor_id
      where height < ${sql.lit(MAX_HEIGHT)})
    select member_id from above where member_id is not null order by height`.execute(db)
  return rows.map(({ member_id }) => member_id)
}

/** Deeper than any real tree, so that a circle made by hand ends too. */
const MAX_HEIGHT = 10_000

/** Both credits of a member: how they joined, and where they were moved since. */
export async function creditOf(db: Db, member: FoundMember, touches: TouchRow[]): Promise<MemberPage['credit']> {
  const moves = await findMoves(db, member.id)
  const joined = { site: member.joined_site ?? member.site, name: member.joined_name ?? member.sponsor_name }
  const problem = await creditProblem(db, { ...member, joined_site: joined.site }, touches, moves)
  return {
    joined,
    ...(problem ? { problem } : {}),
    moves: moves.map(({ from_site, from_name, to_site, to_name, reason, moved_by_name, moved_at }) => ({
      from: { site: from_site, name: from_name },
      to: { site: to_site, name: to_name },
      who: moved_by_name ?? 'a former colleague',
      at: moved_at.toISOString(),
      ...(reason ? { reason } : {}),
    })),
  }
}
