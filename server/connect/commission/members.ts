import { sql } from 'kysely'
import type { PlacementSide } from '#contract/commission.ts'
import type { World } from '#server/world/world.ts'
import type { Month } from './month.ts'

/** A member at the end of a month. Ids only: nothing here changes when someone is renamed or erased. */
export type MonthMember = {
  member_id: string
  joined_at: Date
  /** A member's id, or that of a sponsor who isn't a member. */
  sponsor_id: string
  is_sponsor_member: boolean
  side: PlacementSide
  placement_parent_id: string | null
}

const PAGE_SIZE = 2_000
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/**
 * Everyone known at the end of a month, by id, with sponsor and placement replayed from the moves: where the last move before
 * the end led or, without one, where the first move after it came from. Members imported later weren't known yet.
 */
export async function* membersAt({ db }: Pick<World, 'db'>, { ends_at }: Month): AsyncGenerator<MonthMember> {
  for (let after = BEFORE_ALL; ; ) {
    const { rows } = await sql<MonthMember>`
      select member.id as member_id, member.joined_at, coalesce(sponsor.member_id, sponsor.id) as sponsor_id,
        sponsor.member_id is not null as is_sponsor_member,
        coalesce(placed.side, 'automatic') as side, placed.parent_id as placement_parent_id
      from member
        left join lateral (select to_id from sponsor_move
          where sponsor_move.member_id = member.id and moved_at < ${ends_at}
          order by moved_at desc, sponsor_move.id desc limit 1) earlier on true
        left join lateral (select from_id from sponsor_move
          where sponsor_move.member_id = member.id and moved_at >= ${ends_at}
          order by moved_at, sponsor_move.id limit 1) later on true
        join sponsor on sponsor.id = coalesce(earlier.to_id, later.from_id, member.sponsor_id)
        left join lateral (select side, parent_id from placement_move
          where placement_move.member_id = member.id and moved_at < ${ends_at}
          order by moved_at desc limit 1) placed on true
      where member.id > ${after} and member.joined_at < ${ends_at}
        and not exists (select from imported_member where imported_member.member_id = member.id and imported_at >= ${ends_at})
      order by member.id limit ${sql.lit(PAGE_SIZE)}`.execute(db)
    yield* rows
    const last = rows.at(-1)
    if (!last || rows.length < PAGE_SIZE) return
    after = last.member_id
  }
}
