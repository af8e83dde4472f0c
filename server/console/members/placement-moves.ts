import { randomUUID } from 'node:crypto'
import type { PlacementSide } from '#contract/commission.ts'
import type { MemberPage } from '#contract/console/member-page.ts'
import type { Db } from '#server/db/db.ts'
import { addEvent } from '#server/events/events.ts'
import { refuseFields } from '#server/refusal.ts'
import { findPlacements } from '#server/sponsors/placement.ts'
import { followRenames } from '#server/sponsors/sponsors.ts'
import { lockTrees, moveTime, placedAbove } from '#server/sponsors/tree.ts'
import type { World } from '#server/world/world.ts'
import type { StaffSession } from '../access/session.ts'
import { actOnMember } from './member-actions.ts'

type Placement = { member_id: string; side: PlacementSide; parent_site: string; reason: string }

/** Where the commission plan should put a member: on which side, and under which member. The sponsor stays. */
export const changePlacement = (
  world: World,
  { member_id, side, parent_site, reason }: Placement,
  session: StaffSession,
) =>
  actOnMember(world, session, { act: 'change_placement', member_id, reason }, async (world) => {
    const { db, now } = world
    const parent = parent_site ? await findParent(db, parent_site) : undefined
    await lockTrees(db, [member_id, ...(parent ? [parent.id] : [])])
    const last = (await findPlacements(db, member_id)).at(-1)
    const parent_id = parent?.id ?? null
    if (side === (last?.side ?? 'automatic') && parent_id === (last?.parent_id ?? null))
      throw refuseFields({ side: 'Nothing to change: this is already the placement.' })
    if (parent_id === member_id) throw refuseFields({ parent_site: 'Members can’t be placed under themselves.' })
    const above = parent_id ?? (await sponsorOf(db, member_id))
    if (above && (await placedAbove(db, above)).includes(member_id))
      throw refuseFields({
        parent_site: `${parent ? 'That member' : 'The sponsor'} is placed below this one, which would make a circle.`,
      })
    await db
      .insertInto('placement_move')
      .values({
        id: randomUUID(),
        member_id,
        parent_id,
        side,
        reason,
        moved_by: session.staff.id,
        moved_at: moveTime(now(), last?.moved_at),
      })
      .execute()
    await addEvent(db, now(), { type: 'placement.changed', member_id, payload: { placement: side, parent_id } })
    return {
      before: { side: last?.side ?? 'automatic', parent_id: last?.parent_id ?? null },
      after: { side, parent_id },
    }
  })

/** The parent must be a member. */
async function findParent(db: Db, site: string) {
  const id = (await followRenames(db, site))?.member_id
  const member =
    id && (await db.selectFrom('member').select(['id', 'erased_at']).where('id', '=', id).executeTakeFirst())
  if (!member || member.erased_at) throw refuseFields({ parent_site: 'There is no member with this link.' })
  return member
}

/** The placement parent until staff choose one. */
async function sponsorOf(db: Db, member_id: string): Promise<string | null> {
  const sponsor = await db
    .selectFrom('member')
    .innerJoin('sponsor', 'sponsor.id', 'member.sponsor_id')
    .select('sponsor.member_id')
    .where('member.id', '=', member_id)
    .executeTakeFirstOrThrow()
  return sponsor.member_id
}

export async function placementOf(db: Db, member_id: string): Promise<MemberPage['placement']> {
  const moves = (await findPlacements(db, member_id)).map(
    ({ side, username, first_name, last_name, reason, moved_by_name, moved_at }) => ({
      side,
      ...(username ? { parent: { site: username, name: `${first_name} ${last_name}` } } : {}),
      who: moved_by_name ?? 'a former colleague',
      at: moved_at.toISOString(),
      ...(reason ? { reason } : {}),
    }),
  )
  const { side = 'automatic', parent } = moves.at(-1) ?? {}
  return { side, ...(parent ? { parent } : {}), moves }
}
