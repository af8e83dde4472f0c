import { randomUUID } from 'node:crypto'
import type { MemberPage } from '#contract/console/member-page.ts'
import type { Db } from '#server/db/db.ts'
import { addEvent } from '#server/events/events.ts'
import { refuseFields } from '#server/refusal.ts'
import { creditProblem, findMoves } from '#server/sponsors/moves.ts'
import { findPlacements } from '#server/sponsors/placement.ts'
import { resolveSite } from '#server/sponsors/sponsors.ts'
import type { TouchRow } from '#server/sponsors/touches.ts'
import { lockTrees, membersAbove, moveTime, placedAbove } from '#server/sponsors/tree.ts'
import type { World } from '#server/world/world.ts'
import type { StaffSession } from '../access/session.ts'
import { actOnMember } from './member-actions.ts'
import type { FoundMember } from './member-rows.ts'

type Move = { member_id: string; sponsor_site: string; reason: string }

/** From now on the member counts for another sponsor. How they joined stays on record, sealed as it was. */
export const moveSponsor = (world: World, { member_id, sponsor_site, reason }: Move, session: StaffSession) =>
  actOnMember(world, session, { act: 'move_sponsor', member_id, reason }, async (world) => {
    const { db } = world
    await lockTrees(db, [member_id])
    const current = await findCurrent(db, member_id)
    const sponsor = await resolveSite(world, sponsor_site)
    if (!sponsor) throw refuseFields({ sponsor_site: 'There is no sponsor with this link.' })
    if (!sponsor.active) throw refuseFields({ sponsor_site: `The sponsor /${sponsor.site} is not active.` })
    const above = await membersAbove(db, sponsor.id)
    if (sponsor.id === current.sponsor_id || (above[0] && above[0] === current.sponsor_member_id))
      throw refuseFields({ sponsor_site: 'This is the sponsor already.' })
    if (above[0] === member_id) throw refuseFields({ sponsor_site: 'Members can’t be their own sponsor.' })
    if (above.includes(member_id))
      throw refuseFields({ sponsor_site: 'This sponsor joined below this member, which would make a circle.' })
    const isPlacedUnderSponsor = !(await findPlacements(db, member_id)).at(-1)?.parent_id
    if (isPlacedUnderSponsor && above[0] && (await placedAbove(db, above[0])).includes(member_id))
      throw refuseFields({ sponsor_site: 'This sponsor is placed below this member, which would make a circle.' })
    const last = (await findMoves(db, member_id)).at(-1)
    await db
      .insertInto('sponsor_move')
      .values({
        id: randomUUID(),
        member_id,
        from_id: current.sponsor_id,
        to_id: sponsor.id,
        reason,
        moved_by: session.staff.id,
        moved_at: moveTime(world.now(), last?.moved_at),
      })
      .execute()
    const joined_sponsor_id = current.joined_sponsor_id ?? current.sponsor_id
    await db
      .updateTable('member')
      .set({ sponsor_id: sponsor.id, joined_sponsor_id })
      .where('id', '=', member_id)
      .execute()
    const payload = { sponsor_id: sponsor.id, former_sponsor_id: current.sponsor_id }
    await addEvent(db, world.now(), { type: 'sponsor.moved', member_id, payload })
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
